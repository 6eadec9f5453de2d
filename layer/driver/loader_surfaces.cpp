// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/loader_surfaces.h"

#include <mutex>
#include <unordered_set>

namespace rondo::layer {

namespace {

struct Surfaces {
  std::mutex lock;
  std::unordered_set<VkSurfaceKHR> known;  // guarded by lock
};

Surfaces& surfaces() {
  static Surfaces* const all = new Surfaces;  // outlives every destructor
  return *all;
}

}  // namespace

void know_surface(VkSurfaceKHR surface) {
  const std::lock_guard guard(surfaces().lock);
  surfaces().known.insert(surface);
}

void forget_surface(VkSurfaceKHR surface) {
  const std::lock_guard guard(surfaces().lock);
  surfaces().known.erase(surface);
}

bool needs_stand_in(VkSurfaceKHR surface) {
  const std::lock_guard guard(surfaces().lock);
  return surfaces().known.insert(surface).second;
}

}  // namespace rondo::layer
