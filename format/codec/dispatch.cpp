// SPDX-License-Identifier: Apache-2.0
#include "generated/dispatch.h"

#include "format/codec/schema.h"

namespace rondo {
namespace {

bool belongs(const codec::CommandInfo& command, codec::Level level) {
  // vkGetDeviceProcAddr takes a device but is an instance's to give.
  if (command.id == CommandId::vkGetDeviceProcAddr) return level == codec::Level::instance;
  if (command.level == codec::Level::physical_device) return level == codec::Level::instance;
  return command.level == level;
}

template <class Get>
void load(Dispatch& dispatch, codec::Level level, Get get) {
  for (const codec::CommandInfo& command : codec::commands()) {
    if (command.id == CommandId::none || command.args == StructId::none) continue;
    if (codec::is_event(command.name) || !belongs(command, level)) continue;
    dispatch.set(command.id, get(command.name));
  }
}

}  // namespace

void load_global(Dispatch& dispatch, PFN_vkGetInstanceProcAddr get) {
  load(dispatch, codec::Level::global, [&](const char* name) { return get(VK_NULL_HANDLE, name); });
}

void load_instance(Dispatch& dispatch, PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  load(dispatch, codec::Level::instance, [&](const char* name) { return get(instance, name); });
}

void load_device(Dispatch& dispatch, PFN_vkGetDeviceProcAddr get, VkDevice device) {
  load(dispatch, codec::Level::device, [&](const char* name) { return get(device, name); });
}

}  // namespace rondo
