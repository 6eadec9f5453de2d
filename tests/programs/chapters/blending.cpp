// SPDX-License-Identifier: Apache-2.0
// Blending: every factor and operation, colour apart from alpha, constants that are
// static and dynamic, sources of two colours, other blending and masks for each of several
// attachments, into formats that are normalized, signed, floating, sRGB and without alpha.
#include "chapter.h"
#include "four.frag.h"
#include "two_sources.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8;
constexpr VkFormat kFormats[4] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_SRGB,
                                  VK_FORMAT_B10G11R11_UFLOAT_PACK32};

VkPipelineColorBlendAttachmentState state(int i, int shift, VkColorComponentFlags mask) {
  // Sources of two colours are for a single attachment.
  const auto factor = [](int n) { return static_cast<VkBlendFactor>(n % 15); };
  return {VK_TRUE,
          factor(i + shift),
          factor(2 * i + 3 * shift + 1),
          static_cast<VkBlendOp>((i + shift) % 5),
          factor(4 * i + shift + 2),
          factor(7 * i + 1),
          static_cast<VkBlendOp>((i + 2 * shift + 1) % 5),
          mask};
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, independentBlend);
  WISH_CORE(needs, dualSrcBlend);
  Session s = open("blending", needs);
  Image canvas[4];
  for (int i = 0; i < 4; ++i) {
    if (!can_be(s, kFormats[i], VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT)) leave("blending into a format");
    canvas[i] = create_general(s, image_info(kFormats[i], kExtent, kDrawnAndRead));
  }
  Pictures p = create_pictures(s, 64 * 1024);
  Drawing d = shapes(s);
  const VkPipelineShaderStageCreateInfo plain = d.stages[1];
  const auto picture = [&](std::size_t attachments, VkPipeline pipeline, bool dynamic) {
    std::vector<VkRenderingAttachmentInfo> colors;
    for (std::size_t i = 0; i < attachments; ++i) {
      colors.push_back(attachment(canvas[i].view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR));
      colors.back().clearValue.color = {.float32 = {0.25f, 0.5f, 0.75f, 0.375f}};
    }
    const VkRenderingInfo info = rendering_info(kExtent, colors);
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const float constants[4] = {0.125f, 0.875f, 0.5f, 0.625f};
    if (dynamic) vkCmdSetBlendConstants(s.cmd, constants);
    draw(s.cmd, d.layout, {-1, -1, 0.5f, 1, {0.75f, 0.25f, 0.5f, 0.5f}});
    draw(s.cmd, d.layout, {-0.5f, -1, 1, 0.5f, {0.125f, 1, 0.25f, 0.75f}});
    vkCmdEndRendering(s.cmd);
    for (std::size_t i = 0; i < attachments; ++i) take(s, p, canvas[i], i == 1 ? 8 : 4);
  };
  d.formats.assign(kFormats, kFormats + 4);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, four_frag_spv));
  constexpr VkColorComponentFlags masks[4] = {0xf, 0x7, 0xd, 0xa};
  for (int i = 0; i < 4; ++i) {
    const bool dynamic = i % 2 == 1;
    d.attachments.clear();
    for (int k = 0; k < 4; ++k) d.attachments.push_back(state(4 * i + k, k, masks[(i + k) % 4]));
    for (float& constant : d.blend.blendConstants) constant = 0.75f - static_cast<float>(i) / 16;
    d.dynamic.resize(2);
    if (dynamic) d.dynamic.push_back(VK_DYNAMIC_STATE_BLEND_CONSTANTS);
    if (i == 3) d.attachments[1].blendEnable = d.attachments[2].blendEnable = VK_FALSE;
    picture(4, build(s, d), dynamic);
  }
  d.formats.resize(1);
  d.dynamic.resize(2);
  d.stages[1] = plain;
  if (HAS_CORE(needs, dualSrcBlend)) {
    d.stages[1].module = shader(s, two_sources_frag_spv);
    for (const VkBlendFactor factor : {VK_BLEND_FACTOR_SRC1_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
                                       VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA}) {
      d.attachments = {{VK_TRUE, factor, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE, factor,
                        VK_BLEND_OP_REVERSE_SUBTRACT, 0xf}};
      picture(1, build(s, d), false);
    }
  }
  run(s);
  for (std::size_t i = 0; i < 4; ++i) EXPECT(s, count(p.out.words + i * 320, 64, p.out.words[i * 320]) < 64);
  add(s, p.out);
  return finish(s);
}
