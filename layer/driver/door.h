// SPDX-License-Identifier: Apache-2.0
// The recorder has two doors: the layer's, which loaders open, and the driver's, for programs whose loader loads no
// layers, or that have none: the preload shim gives out entry points of door.cpp where a driver's own are looked up
// (door_words.h). An instance that one of them records the other passes on.
#pragma once

struct RondoShared;  // door_words.h

namespace rondo::layer {

// While it lives, this thread makes an instance at the layer's door: drivers' doors pass it on, also those of other
// copies of this library.
class AtLayersDoor {
 public:
  AtLayersDoor();
  ~AtLayersDoor();
  AtLayersDoor(const AtLayersDoor&) = delete;
  AtLayersDoor& operator=(const AtLayersDoor&) = delete;

 private:
  const RondoShared* const shared_;
};
bool at_layers_door();
void share_doors(const RondoShared* shared);

// While it lives, this thread makes an instance or a device at a driver's door: it is found by its handle's value.
class AtDriversDoor {
 public:
  AtDriversDoor();
  ~AtDriversDoor();
  AtDriversDoor(const AtDriversDoor&) = delete;
  AtDriversDoor& operator=(const AtDriversDoor&) = delete;
};
// Told once: a driver may open loaders beneath.
bool take_drivers_door();

}  // namespace rondo::layer
