// SPDX-License-Identifier: Apache-2.0
// The dynamic states that the second version of VK_EXT_discard_rectangles added.
#include "dynamic.h"

using namespace program;

#if VK_EXT_DISCARD_RECTANGLES_SPEC_VERSION > 1

namespace {

void discards(Drawing& d) {
  static const VkRect2D whole{{0, 0}, {Stage::extent, Stage::extent}};
  static const VkPipelineDiscardRectangleStateCreateInfoEXT one{
      VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
      nullptr,
      0,
      VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT,
      1,
      &whole};
  d.rendering.pNext = &one;
}

const std::vector<Case> kCases = {
    {"discard rectangle enable",
     {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT},
     discards,
     [](const Session& s, const Stage&, VkCommandBuffer b, bool second) {
       LOAD(s, vkCmdSetDiscardRectangleEnableEXT);
       vkCmdSetDiscardRectangleEnableEXT(b, second);
     }},
    {"discard rectangle mode",
     {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT},
     discards,
     [](const Session& s, const Stage&, VkCommandBuffer b, bool second) {
       LOAD(s, vkCmdSetDiscardRectangleModeEXT);
       vkCmdSetDiscardRectangleModeEXT(
           b, second ? VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT : VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT);
     }},
};

}  // namespace

int main() {
  VkPhysicalDeviceVulkan13Features rendering{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                             .dynamicRendering = VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  wanted.extensions = {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME};
  Session s = open("discards", wanted);
  draw_cases(s, kCases);
  return finish(s);
}

#else

int main() { return cannot_run("built with headers that lack VK_EXT_discard_rectangles 2"); }

#endif
