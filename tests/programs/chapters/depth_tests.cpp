// SPDX-License-Identifier: Apache-2.0
// Depth tests: every comparison, in every format with depth that the device has,
// depths that shaders write under promises and early tests, bounds where there are any,
// depths beyond zero and one, writes without a test.
#include "chapter.h"
#include "deeper.frag.h"
#include "early.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;

VkImageAspectFlags aspects(VkFormat format) {
  const bool both = format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
  return both ? kDepthAndStencil : VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT};
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME});
  WISH_CORE(needs, depthBounds);
  NEED_CORE(needs, fragmentStoresAndAtomics);
  Session s = open("depth_tests", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{100} * kTexels * 4);
  const MappedBuffer counts = buffer(s, 64 * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_buffer(s, set, 0, counts);
  Drawing d = shapes(s, {set_layout});
  const VkPipelineShaderStageCreateInfo plain = d.stages[1];
  const VkShaderModule deeper = shader(s, deeper_frag_spv), early = shader(s, early_frag_spv);
  Image behind;
  const auto picture = [&](auto&& draws) {
    const VkPipeline pipeline = build(s, d);
    const std::vector<VkRenderingAttachmentInfo> colors{
        attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
    VkRenderingAttachmentInfo depth = attachment(behind.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
    depth.clearValue.depthStencil = {0.5f, 3};
    VkRenderingInfo info = rendering_info(kExtent, colors);
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
    draws();
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
    take(s, p, behind, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  };
  const auto rows = [&] {
    for (int i = 0; i < 4; ++i) {
      const float top = static_cast<float>(i) * 0.5f - 1;
      draw(s.cmd, d.layout, {-1, top, 0.75f, top + 0.5f, {1, 0, 0, 1}, 0.25f + static_cast<float>(i) * 0.125f});
    }
    draw(s.cmd, d.layout, {0, -1, 1, 1, {0, 0, 1, 1}, 0.375f});
  };
  int formats = 0;
  for (const VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32,
                                VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT}) {
    if (!can_be(s, format, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) continue;
    ++formats;
    behind = create_general(
        s, image_info(format, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
        VK_IMAGE_VIEW_TYPE_2D, aspects(format));
    d.rendering.depthAttachmentFormat = format;
    d.stages[1] = plain;
    d.depth = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
    for (int op = 0; op < 8; ++op) {
      if (formats > 1 && op != 3) continue;  // one format has them all
      d.depth.depthCompareOp = static_cast<VkCompareOp>(op);
      picture(rows);
    }
    d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    d.depth.depthTestEnable = VK_FALSE;  // then nothing is written either
    if (formats == 1) picture(rows);
    d.depth.depthTestEnable = VK_TRUE;
    d.stages[1].module = deeper;
    picture(rows);
    d.stages[1].module = early;
    picture(rows);
    if (HAS_CORE(needs, depthBounds)) {
      d.depth.depthBoundsTestEnable = VK_TRUE;
      d.depth.minDepthBounds = 0.125f;
      d.depth.maxDepthBounds = 0.4375f;
      picture(rows);
    }
    if (format != VK_FORMAT_D32_SFLOAT) continue;
    d.stages[1] = plain;
    d.depth = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
    d.depth.depthCompareOp = VK_COMPARE_OP_GREATER;
    picture([&] {
      const VkViewport far{0, 0, kExtent, kExtent, -2, 6};
      vkCmdSetViewport(s.cmd, 0, 1, &far);
      rows();
    });
  }
  run(s);
  EXPECT(s, formats > 1);
  EXPECT(s, counts.words[0] > 0);
  add(s, p.out);
  add(s, counts);
  return finish(s);
}
