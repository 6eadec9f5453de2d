// SPDX-License-Identifier: Apache-2.0
// Conditional rendering by a predicate in a buffer that the device itself
// writes: draws, dispatches and clears that happen or do not, also inverted.
#include "constants.comp.h"
#include "picture.h"

using namespace program;

int main() {
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &conditional, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.shaderFloat64 = core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
  Session s = open("conditional", wanted);
  LOAD(s, vkCmdBeginConditionalRenderingEXT);
  LOAD(s, vkCmdEndConditionalRenderingEXT);
  constexpr std::uint32_t extent = 16;
  const Image canvas = create_canvas(s, extent);
  const MappedBuffer picture = create_readback(s, extent * extent * 4);
  const MappedBuffer predicates =
      buffer(s, 16, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const MappedBuffer sums = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Kernel k = create_kernel(s, shader(s, constants_comp_spv), {sums});
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);
  vkCmdFillBuffer(s.cmd, predicates.buffer, 4, 4, 1);  // 0, 1, 0, 0
  barrier(s.cmd);

  constexpr VkConditionalRenderingFlagsEXT inverted = VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, extent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  for (std::uint32_t i = 0; i < 4; ++i) {  // the third of four quarters and the second are drawn
    const VkConditionalRenderingBeginInfoEXT begins{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr,
                                                    predicates.buffer, i % 2 * 4, i < 2 ? 0u : inverted};
    vkCmdBeginConditionalRenderingEXT(s.cmd, &begins);
    const float left = static_cast<float>(i) * 0.5f - 1;
    draw(s.cmd, d.layout, {left, -1, left + 0.5f, 1, {i == 1 ? 1.0f : 0, i == 2 ? 1.0f : 0, 0, 1}});
    vkCmdEndConditionalRenderingEXT(s.cmd);
  }
  vkCmdEndRendering(s.cmd);
  bind(s.cmd, k);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VkConditionalRenderingBeginInfoEXT begins{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr,
                                                    predicates.buffer, i * 4, 0};
    vkCmdBeginConditionalRenderingEXT(s.cmd, &begins);
    vkCmdDispatch(s.cmd, i == 0 ? 5 : 3, 1, 1);
    vkCmdEndConditionalRenderingEXT(s.cmd);
  }
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, picture);
  run(s);
  EXPECT(s, count(picture.words, extent * extent, kRed) == 64);
  EXPECT(s, count(picture.words, extent * extent, kGreen) == 64);
  EXPECT(s, count(picture.words, extent * extent, kBlack) == 128);
  EXPECT(s, sums.words[0] == 3);
  add(s, picture);
  add(s, sums);
  return finish(s);
}
