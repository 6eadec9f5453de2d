// SPDX-License-Identifier: Apache-2.0
// Names, tags and labels: kept where the target has the extension. They change
// no result.
#include <string_view>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

Result<void> if_here(Run& run, const Op& op, std::byte* args) {
  return run.function(op) == nullptr ? Result<void>() : run.call_checked(op, args);
}

// Swapchains are not objects of the target, some names are of objects that the player
// does not make, and one physical device may be played on several.
bool has_live_object(Run& run, const Op& op, std::uint64_t object, VkObjectType type) {
  return object != 0 && type != VK_OBJECT_TYPE_SWAPCHAIN_KHR && type != VK_OBJECT_TYPE_SURFACE_KHR &&
         type != VK_OBJECT_TYPE_INSTANCE && type != VK_OBJECT_TYPE_PHYSICAL_DEVICE && run.function(op) != nullptr;
}

Result<void> set_name(Run& run, const Op& op, std::byte* args) {
  const auto* info = as<args_vkSetDebugUtilsObjectNameEXT>(args).pNameInfo;
  if (info == nullptr || !has_live_object(run, op, info->objectHandle, info->objectType)) return {};
  return run.call_checked(op, args);
}

Result<void> set_tag(Run& run, const Op& op, std::byte* args) {
  const auto* info = as<args_vkSetDebugUtilsObjectTagEXT>(args).pTagInfo;
  if (info == nullptr || !has_live_object(run, op, info->objectHandle, info->objectType)) return {};
  return run.call_checked(op, args);
}

template <class Info>
bool marks_live_object(Run& run, const Op& op, const Info* info) {
  return info != nullptr && info->object != 0 && info->objectType != VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT &&
         info->objectType != VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT &&
         info->objectType != VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT &&
         info->objectType != VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT && run.function(op) != nullptr;
}

Result<void> set_marker_name(Run& run, const Op& op, std::byte* args) {
  if (!marks_live_object(run, op, as<args_vkDebugMarkerSetObjectNameEXT>(args).pNameInfo)) return {};
  return run.call_checked(op, args);
}

Result<void> set_marker_tag(Run& run, const Op& op, std::byte* args) {
  if (!marks_live_object(run, op, as<args_vkDebugMarkerSetObjectTagEXT>(args).pTagInfo)) return {};
  return run.call_checked(op, args);
}

}  // namespace

bool is_debug_command(CommandId id) {
  switch (id) {
    case CommandId::vkSetDebugUtilsObjectNameEXT:
    case CommandId::vkSetDebugUtilsObjectTagEXT:
    case CommandId::vkDebugMarkerSetObjectNameEXT:
    case CommandId::vkDebugMarkerSetObjectTagEXT:
    case CommandId::vkQueueBeginDebugUtilsLabelEXT:
    case CommandId::vkQueueEndDebugUtilsLabelEXT:
    case CommandId::vkQueueInsertDebugUtilsLabelEXT:
    case CommandId::vkCmdBeginDebugUtilsLabelEXT:
    case CommandId::vkCmdEndDebugUtilsLabelEXT:
    case CommandId::vkCmdInsertDebugUtilsLabelEXT:
    case CommandId::vkCmdDebugMarkerBeginEXT:
    case CommandId::vkCmdDebugMarkerEndEXT:
    case CommandId::vkCmdDebugMarkerInsertEXT:
      return true;
    default:
      return false;
  }
}

void add_debug_executors(std::vector<Executor>& table) {
  for (const codec::CommandInfo& command : codec::commands()) {
    if (is_debug_command(command.id)) table[static_cast<std::size_t>(command.canonical)] = if_here;
  }
  table[static_cast<std::size_t>(CommandId::vkSetDebugUtilsObjectNameEXT)] = set_name;
  table[static_cast<std::size_t>(CommandId::vkSetDebugUtilsObjectTagEXT)] = set_tag;
  table[static_cast<std::size_t>(CommandId::vkDebugMarkerSetObjectNameEXT)] = set_marker_name;
  table[static_cast<std::size_t>(CommandId::vkDebugMarkerSetObjectTagEXT)] = set_marker_tag;
}

}  // namespace rondo::player
