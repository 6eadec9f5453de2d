// SPDX-License-Identifier: Apache-2.0
// Advanced blending: every operation of the extension that the device has, over a picture
// that was there, drawn once over each texel.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 4, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME});
  Session s = open("advanced_blending", needs);
  const auto limits = properties<VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT>(
      s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{48} * kTexels * 4);
  Drawing d = shapes(s);
  std::vector<const std::uint32_t*> seen;
  const bool all = limits.advancedBlendAllOperations == VK_TRUE;
  const int first = all ? VK_BLEND_OP_ZERO_EXT : VK_BLEND_OP_MULTIPLY_EXT,
            last = all ? VK_BLEND_OP_BLUE_EXT : VK_BLEND_OP_HSL_LUMINOSITY_EXT;
  for (int op = first; op <= last; ++op) {
    // Without the property the operations lie between those of plain Porter and Duff, and of light.
    const bool of_light = op > VK_BLEND_OP_EXCLUSION_EXT && op < VK_BLEND_OP_HSL_HUE_EXT;
    if (!all && of_light) continue;
    d.attachments = {{VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, static_cast<VkBlendOp>(op),
                      VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, static_cast<VkBlendOp>(op), 0xf}};
    const VkPipelineColorBlendAdvancedStateCreateInfoEXT advanced{
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT, nullptr,
        op % 2 == 0 || limits.advancedBlendNonPremultipliedSrcColor == VK_FALSE ? VK_TRUE : VK_FALSE, VK_TRUE,
        op % 3 == 0 && limits.advancedBlendCorrelatedOverlap == VK_TRUE ? VK_BLEND_OVERLAP_CONJOINT_EXT
                                                                        : VK_BLEND_OVERLAP_UNCORRELATED_EXT};
    d.blend.pNext = &advanced;
    const VkPipeline pipeline = build(s, d);
    std::vector<VkRenderingAttachmentInfo> colors{
        attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
    colors[0].clearValue.color = {.float32 = {0.5f, 0.25f, 0.375f, 0.75f}};
    const VkRenderingInfo info = rendering_info(kExtent, colors);
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-1, -1, 0, 1, {0.125f, 0.5f, 0.625f, 0.625f}});
    draw(s.cmd, d.layout, {0, -1, 0.5f, 1, {0.5f, 0.125f, 0.25f, 0.5f}});
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas));
  }
  run(s);
  bool differ = false;
  for (std::size_t i = 1; i < seen.size(); ++i) differ |= std::memcmp(seen[0], seen[i], kTexels * 4) != 0;
  EXPECT(s, differ);
  add(s, p.out);
  return finish(s);
}
