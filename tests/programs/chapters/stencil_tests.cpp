// SPDX-License-Identifier: Apache-2.0
// Stencil tests: every operation and comparison, another for each face, with masks
// for reading and writing, written by shaders, in formats with depth and without,
// with references and masks that are dynamic for one face only.
#include "chapter.h"
#include "stencil.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageAspectFlags kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;
constexpr VkStencilOp kOps[8] = {VK_STENCIL_OP_KEEP,
                                 VK_STENCIL_OP_ZERO,
                                 VK_STENCIL_OP_REPLACE,
                                 VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                 VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                                 VK_STENCIL_OP_INVERT,
                                 VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                 VK_STENCIL_OP_DECREMENT_AND_WRAP};

// Rectangles of the front are right way up, those of the back upside down.
void faces(Session& s, const Drawing& d, float left) {
  draw(s.cmd, d.layout, {left, -1, left + 0.5f, 1, {1, 0, 0, 1}, 0.25f});
  draw(s.cmd, d.layout, {left + 0.25f, 0.75f, left + 0.75f, -0.5f, {0, 1, 0, 1}, 0.75f});
  draw(s.cmd, d.layout, {left, 0.25f, left + 1, -1, {0, 0, 1, 1}, 0.375f});
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME});
  Session s = open("stencil_tests", needs);
  constexpr VkImageUsageFlags usage =
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const Image canvas = create_canvas(s, kExtent);
  Image behind[2];
  const VkFormat formats[2] = {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_S8_UINT};
  for (int i = 0; i < 2; ++i) {
    if (!can_be(s, formats[i], VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) leave("a stencil format");
    behind[i] = create_general(s, image_info(formats[i], kExtent, usage), VK_IMAGE_VIEW_TYPE_2D,
                               i == 0 ? kDepthAndStencil : kStencil);
  }
  Pictures p = create_pictures(s, std::size_t{20} * kTexels * (4 + 1));
  Drawing d = shapes(s);
  const VkPipelineShaderStageCreateInfo plain = d.stages[1];
  const VkShaderModule exports = shader(s, stencil_frag_spv);
  const auto begin = [&](int which) {
    const std::vector<VkRenderingAttachmentInfo> colors{
        attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
    VkRenderingAttachmentInfo attached =
        attachment(behind[which].view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
    attached.clearValue.depthStencil = {0.5f, 0xfe};
    VkRenderingInfo info = rendering_info(kExtent, colors);
    info.pDepthAttachment = which == 0 ? &attached : nullptr;
    info.pStencilAttachment = &attached;
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
  };
  const auto end = [&](int which) {
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
    take(s, p, behind[which], 1, VK_IMAGE_ASPECT_STENCIL_BIT);
  };
  for (std::uint32_t i = 0; i < 8; ++i) {
    const int which = static_cast<int>(i) % 2;
    d.rendering.depthAttachmentFormat = which == 0 ? formats[0] : VK_FORMAT_UNDEFINED;
    d.rendering.stencilAttachmentFormat = formats[which];
    d.depth.depthTestEnable = which == 0 ? VK_TRUE : VK_FALSE;
    d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    d.depth.stencilTestEnable = VK_TRUE;
    d.depth.front = {kOps[i], kOps[(i + 2) % 8], kOps[(i + 5) % 8], static_cast<VkCompareOp>(i), 0xf7, 0x7f, 0xf6};
    d.depth.back = {
        kOps[(i + 3) % 8], kOps[(i + 1) % 8], kOps[(i + 6) % 8], static_cast<VkCompareOp>(7 - i), 0x0f, 0xf3, 0xfd};
    d.stages[1] = plain;
    if (i >= 6) d.stages[1].module = exports;
    d.dynamic = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipeline fixed = build(s, d);
    d.dynamic.insert(d.dynamic.end(), {VK_DYNAMIC_STATE_STENCIL_REFERENCE, VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
                                       VK_DYNAMIC_STATE_STENCIL_WRITE_MASK});
    const VkPipeline dynamic = build(s, d);
    begin(which);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, fixed);
    faces(s, d, -1);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, dynamic);
    vkCmdSetStencilReference(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0x80 + i);
    vkCmdSetStencilReference(s.cmd, VK_STENCIL_FACE_BACK_BIT, 0x3c);
    vkCmdSetStencilCompareMask(s.cmd, VK_STENCIL_FACE_FRONT_BIT, 0xff);
    vkCmdSetStencilCompareMask(s.cmd, VK_STENCIL_FACE_BACK_BIT, 0x18);
    vkCmdSetStencilWriteMask(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0xff);
    faces(s, d, 0);
    end(which);
  }
  run(s);
  bool differ = false;
  for (std::size_t i = 1; i < 8; ++i)
    differ |= std::memcmp(p.out.words, p.out.words + i * (kTexels + kTexels / 4), kTexels * 5) != 0;
  EXPECT(s, differ);
  add(s, p.out);
  return finish(s);
}
