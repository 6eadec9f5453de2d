// SPDX-License-Identifier: Apache-2.0
// The layer's own hooks over a driver of the test's: one device and one queue,
// each dispatchable handle a pointer to a word that is the loader's table.
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "generated/args.h"
#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/driver/host_memory.h"
#include "layer/driver/state.h"
#include "layer/recorder/record.h"
#include "layer/recorder/regular.h"
#include "tests/unit/recorder_support.h"

namespace rondo::layer::testing {

class FakeDevice {
 public:
  explicit FakeDevice(const Dispatch& dispatch) {
    state_ = new DeviceState;
    state_->device = handle<VkDevice>();
    state_->api_version = VK_API_VERSION_1_1;
    state_->memory.memoryTypeCount = 1;
    state_->memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0};
    g_devices.insert(&table_, state_, dispatch);
    state_->next = &next_of(handle<VkDevice>());
  }

  template <class Handle>
  Handle handle() {
    return reinterpret_cast<Handle>(&object_);
  }
  VkDevice device() { return handle<VkDevice>(); }
  VkQueue queue() { return handle<VkQueue>(); }
  DeviceState& state() { return *state_; }  // until vkDestroyDevice

 private:
  int table_ = 0;
  void* object_ = &table_;
  DeviceState* state_;
};

template <class Handle>
Handle made_up(std::uintptr_t value) {
  return reinterpret_cast<Handle>(value);
}

// Each record of a finished capture, as the name of its command.
inline std::vector<CommandId> commands_of(const Capture& capture) {
  std::vector<CommandId> all;
  while (const auto record = capture.next()) all.push_back(capture.ids.command(record->command));
  return all;
}

}  // namespace rondo::layer::testing
