// SPDX-License-Identifier: Apache-2.0
// What attachments take besides blending: every logic operation on normalized and
// integer formats, write masks by the component, colour writes that are switched off.
#include "chapter.h"
#include "whole_numbers.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 4, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[2] = {VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R32G32_SINT};

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME});
  NEED(needs, ColorWriteEnableFeaturesEXT, colorWriteEnable);
  NEED_CORE(needs, logicOp);
  NEED_CORE(needs, independentBlend);
  Session s = open("logic_ops", needs);
  LOAD(s, vkCmdSetColorWriteEnableEXT);
  Image canvas[2];
  for (int i = 0; i < 2; ++i) canvas[i] = create_general(s, image_info(kFormats[i], kExtent, kDrawnAndRead));
  Pictures p = create_pictures(s, 16 * 1024);
  Drawing d = shapes(s);
  d.formats.assign(kFormats, kFormats + 2);
  d.attachments = {{.colorWriteMask = 0xf}, {.colorWriteMask = 0xf}};
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, whole_numbers_frag_spv));
  std::vector<const std::uint32_t*> seen;
  const auto picture = [&](VkPipeline pipeline, bool dynamic) {
    std::vector<VkRenderingAttachmentInfo> colors;
    for (const Image& i : canvas) {
      colors.push_back(attachment(i.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR));
      colors.back().clearValue.color = {.uint32 = {0x5a, 0x3c, 0x0f, 0xff}};
    }
    const VkRenderingInfo info = rendering_info(kExtent, colors);
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkBool32 writes[2] = {VK_FALSE, VK_TRUE};
    if (dynamic) vkCmdSetColorWriteEnableEXT(s.cmd, 2, writes);
    draw(s.cmd, d.layout, {-1, -1, 0.5f, 1, {}});
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas[0]));
    take(s, p, canvas[1], 8);
  };
  for (int op = 0; op < 16; ++op) {
    d.blend.logicOpEnable = VK_TRUE;
    d.blend.logicOp = static_cast<VkLogicOp>(op);
    picture(build(s, d), false);
  }
  d.blend.logicOpEnable = VK_FALSE;
  d.blend.logicOp = VK_LOGIC_OP_AND;
  d.attachments = {{.colorWriteMask = 0x6}, {.colorWriteMask = 0x1}};
  picture(build(s, d), false);
  VkBool32 writes[2] = {VK_TRUE, VK_FALSE};
  const VkPipelineColorWriteCreateInfoEXT fixed{VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT, nullptr, 2,
                                                writes};
  d.blend.pNext = &fixed;
  picture(build(s, d), false);
  d.dynamic.push_back(VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT);
  picture(build(s, d), true);
  run(s);
  EXPECT(s, seen[0][0] == 0 && seen[15][0] == 0xffffffff && seen[5][0] == seen[5][3]);
  EXPECT(s, seen[18][0] == 0xff0f3c5a && seen[17][0] != 0xff0f3c5a);
  add(s, p.out);
  return finish(s);
}
