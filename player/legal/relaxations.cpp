// SPDX-License-Identifier: Apache-2.0
#include "player/legal/relaxations.h"

#include <algorithm>

#include "format/codec/shapes.h"
#include "format/versions.h"
#include "player/plan/plan.h"

namespace rondo::player::validity {

namespace {

// One of the extensions is enabled, or the version is reached. Extensions are named by their
// text: older headers do not have all of them.
struct Condition {
  Relaxation what;
  std::string_view extension, other_extension = {};
  std::uint32_t version = UINT32_MAX;
};
constexpr Condition kConditions[] = {
    {Relaxation::cubic_filter, "VK_EXT_filter_cubic", "VK_IMG_filter_cubic"},
    {Relaxation::drm_format_modifier, "VK_EXT_image_drm_format_modifier"},
    {Relaxation::extended_dynamic_state3, "VK_EXT_extended_dynamic_state3"},
    {Relaxation::maintenance5, "VK_KHR_maintenance5", {}, kVulkan14},
    {Relaxation::maintenance6, "VK_KHR_maintenance6", {}, kVulkan14},
    {Relaxation::maintenance8, "VK_KHR_maintenance8"},
    {Relaxation::maintenance10, "VK_KHR_maintenance10"},
    {Relaxation::mesh_shader, "VK_EXT_mesh_shader"},
    {Relaxation::mixed_samples, "VK_AMD_mixed_attachment_samples", "VK_NV_framebuffer_mixed_samples"},
    {Relaxation::multisampled_to_single_sampled, "VK_EXT_multisampled_render_to_single_sampled"},
    {Relaxation::nested_command_buffers, "VK_EXT_nested_command_buffer"},
    {Relaxation::nested_or_maintenance7, "VK_EXT_nested_command_buffer", "VK_KHR_maintenance7"},
    {Relaxation::pipeline_libraries, "VK_EXT_graphics_pipeline_library"},
};

template <class Features>
bool has_feature(const CapturedDevice& device, StructId structure, VkBool32 Features::*member) {
  return std::any_of(device.features.begin(), device.features.end(), [&](const FeatureUse& use) {
    return use.structure == structure && use.bytes.size() >= sizeof(Features) &&
           codec::load<Features>(use.bytes.data()).*member != VK_FALSE;
  });
}

}  // namespace

bool enables(const CapturedDevice& device, std::uint32_t version, Relaxation what) {
  if (what == Relaxation::null_descriptors)
    return has_feature(device, StructId::VkPhysicalDeviceRobustness2FeaturesEXT,
                       &VkPhysicalDeviceRobustness2FeaturesEXT::nullDescriptor);
  const auto found = std::find_if(std::begin(kConditions), std::end(kConditions),
                                  [&](const Condition& one) { return one.what == what; });
  const auto has = [&](std::string_view extension) {
    return !extension.empty() &&
           std::find(device.extensions.begin(), device.extensions.end(), extension) != device.extensions.end();
  };
  return has(found->extension) || has(found->other_extension) || version >= found->version;
}

}  // namespace rondo::player::validity
