// SPDX-License-Identifier: Apache-2.0
#include "player/show/window_system.h"

#include <algorithm>
#include <array>
#include <utility>

#include "player/run/chains.h"

namespace rondo::player {

bool is_window_system_extension(std::string_view name) {
  static constexpr std::array<std::string_view, 26> names = {
      "VK_KHR_surface",
      "VK_KHR_xcb_surface",
      "VK_KHR_xlib_surface",
      "VK_KHR_wayland_surface",
      "VK_KHR_display",
      "VK_KHR_get_surface_capabilities2",
      "VK_KHR_get_display_properties2",
      "VK_EXT_headless_surface",
      "VK_EXT_direct_mode_display",
      "VK_EXT_acquire_xlib_display",
      "VK_EXT_acquire_drm_display",
      "VK_EXT_display_surface_counter",
      "VK_EXT_swapchain_colorspace",
      "VK_KHR_surface_protected_capabilities",
      "VK_EXT_surface_maintenance1",
      "VK_KHR_surface_maintenance1",
      "VK_KHR_swapchain",
      "VK_KHR_display_swapchain",
      "VK_KHR_incremental_present",
      "VK_KHR_shared_presentable_image",
      "VK_EXT_display_control",
      "VK_GOOGLE_display_timing",
      "VK_EXT_hdr_metadata",
      "VK_EXT_swapchain_maintenance1",
      "VK_KHR_swapchain_maintenance1",
      "VK_KHR_swapchain_mutable_format",
  };
  return std::find(names.begin(), names.end(), name) != names.end() || name == "VK_KHR_present_id" ||
         name == "VK_KHR_present_wait" || name == "VK_AMD_display_native_hdr";
}

bool is_optional_extension(std::string_view name) {
  return name == "VK_EXT_debug_utils" || name == "VK_EXT_debug_report" || name == "VK_EXT_debug_marker" ||
         name == "VK_EXT_validation_features" || name == "VK_EXT_validation_flags" || name == "VK_EXT_tooling_info" ||
         name == "VK_EXT_layer_settings" || name == "VK_EXT_validation_cache" ||
         // Its commands are not played, and the player maps what it maps by the older ones.
         name == "VK_KHR_map_memory2" ||
         // What was imported is ordinary memory here.
         name == "VK_EXT_external_memory_host" ||
         // Sync fds are signals and waits of the player's own.
         name == "VK_KHR_external_semaphore" || name == "VK_KHR_external_semaphore_fd" ||
         name == "VK_KHR_external_semaphore_capabilities" || name == "VK_KHR_external_fence" ||
         name == "VK_KHR_external_fence_fd" || name == "VK_KHR_external_fence_capabilities" ||
         // The player does not call vkGetCalibratedTimestamps, so it needs neither extension.
         name == "VK_EXT_calibrated_timestamps" || name == "VK_KHR_calibrated_timestamps" ||
         // Structures to ask with; nothing that replays needs them beyond what 1.1 has.
         name == "VK_EXT_memory_budget" || name == "VK_KHR_portability_enumeration" ||
         name == "VK_KHR_get_physical_device_properties2";
}

std::string_view other_name(std::string_view extension) {
  static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"VK_EXT_depth_clamp_zero_one", "VK_KHR_depth_clamp_zero_one"},
      {"VK_EXT_index_type_uint8", "VK_KHR_index_type_uint8"},
      {"VK_EXT_load_store_op_none", "VK_KHR_load_store_op_none"},
      {"VK_EXT_robustness2", "VK_KHR_robustness2"},
      {"VK_EXT_vertex_attribute_divisor", "VK_KHR_vertex_attribute_divisor"},
  };
  for (const auto& [first, second] : kPairs) {
    if (extension == first) return second;
    if (extension == second) return first;
  }
  return {};
}

bool is_stripped_structure(VkStructureType type) {
  switch (type) {
    case VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT:
    case VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT:
    case VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT:
    case VK_STRUCTURE_TYPE_VALIDATION_FLAGS_EXT:
    case VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT:
    case VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO:  // of one device: says nothing
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR:
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR:
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT:
      return true;
    default:
      return false;
  }
}

void strip_chain(const void** chain) {
  unchain(*chain, [](const VkBaseInStructure& structure) { return is_stripped_structure(structure.sType); });
}

}  // namespace rondo::player
