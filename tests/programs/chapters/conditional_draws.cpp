// SPDX-License-Identifier: Apache-2.0
// Conditional rendering: by words that the host, copies and shaders wrote, inverted, around
// passes and within them, over clears of attachments, indirect draws and dispatches,
// where what is not conditional goes on; in secondaries where they may inherit it.
#include "chapter.h"
#include "decide.comp.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME});
  NEED(needs, ConditionalRenderingFeaturesEXT, conditionalRendering);
  auto& inherits = needs.of<VkPhysicalDeviceConditionalRenderingFeaturesEXT>().inheritedConditionalRendering;
  needs.enable(inherits, nullptr);
  Session s = open("conditional_draws", needs);
  LOAD(s, vkCmdBeginConditionalRenderingEXT);
  LOAD(s, vkCmdEndConditionalRenderingEXT);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{2} * kTexels * 4);
  const std::uint32_t host[8] = {0, 1, 0, 0x80000000, 2, 0, 0, 0};  // the last two are written
  const MappedBuffer words = buffer_of(s,
                                       VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT |
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                       host);
  const VkDrawIndirectCommand draws[1] = {{4, 1, 0, 0}};
  const MappedBuffer indirect = buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, draws);
  const MappedBuffer results = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Kernel kernel = create_kernel(s, shader(s, decide_comp_spv), {words, results});
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);
  const std::uint32_t one = 1;
  vkCmdUpdateBuffer(s.cmd, words.buffer, 24, 4, &one);
  barrier(s.cmd);
  bind(s.cmd, kernel);
  push(s.cmd, kernel, 7, 1, 0, 1);
  vkCmdDispatch(s.cmd, 1, 1, 1);  // the last word
  barrier(s.cmd);

  const auto when = [&](std::uint32_t word, bool inverted, auto&& what) {
    const VkConditionalRenderingBeginInfoEXT begins{
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, words.buffer, word * 4,
        inverted ? VkConditionalRenderingFlagsEXT{VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT} : 0};
    vkCmdBeginConditionalRenderingEXT(s.cmd, &begins);
    what();
    vkCmdEndConditionalRenderingEXT(s.cmd);
  };
  const auto square = [&](int n, const float(&color)[4]) {
    const float left = static_cast<float>(n % 4) * 0.5f - 1, top = static_cast<float>(n / 4) * 0.5f - 1;
    return Shape{left, top, left + 0.5f, top + 0.5f, {color[0], color[1], color[2], color[3]}};
  };
  const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  int n = 0;
  for (std::uint32_t word = 0; word < 8; ++word)
    for (const bool inverted : {false, true}) {
      const Shape shape = square(n++, inverted ? red : green);
      when(word, inverted, [&] { draw(s.cmd, d.layout, shape); });
    }
  vkCmdEndRendering(s.cmd);
  const std::uint32_t* first = take(s, p, canvas);

  // Around a whole pass: its clear is made, its draws are not.
  when(0, false, [&] {
    begin_rendering(s.cmd, canvas);
    draw(s.cmd, d.layout, square(0, green));
    vkCmdEndRendering(s.cmd);
    barrier(s.cmd);
    begin_rendering(s.cmd, canvas, VK_ATTACHMENT_LOAD_OP_LOAD);
    const VkClearAttachment blue{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 0, 1, 1}}}};
    const VkClearRect area{{{4, 4}, {4, 4}}, 0, 1};
    vkCmdClearAttachments(s.cmd, 1, &blue, 1, &area);
    vkCmdEndRendering(s.cmd);
    bind(s.cmd, kernel);
    push(s.cmd, kernel, 0, 99, 1);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  });
  barrier(s.cmd);
  begin_rendering(s.cmd, canvas, VK_ATTACHMENT_LOAD_OP_LOAD);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  when(7, false, [&] {
    const Shape shape = square(15, green);
    vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
    vkCmdDrawIndirect(s.cmd, indirect.buffer, 0, 1, 0);
  });
  vkCmdEndRendering(s.cmd);
  when(7, true, [&] {
    bind(s.cmd, kernel);
    push(s.cmd, kernel, 1, 98, 1);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  });
  when(6, false, [&] {
    bind(s.cmd, kernel);
    push(s.cmd, kernel, 2, 97, 1);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  });
  const std::uint32_t* second = take(s, p, canvas);
  run(s);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t texel = first[(i / 4 * 4 + 1) * kExtent + i % 4 * 4 + 1];
    const bool set = i / 2 == 1 || i / 2 == 3 || i / 2 == 4 || i / 2 >= 6;
    EXPECT(s, texel == (i % 2 == 0 ? (set ? kGreen : kBlack) : (set ? kBlack : kRed)));
  }
  EXPECT(s, count(second, kTexels, kGreen) == 16);
  EXPECT(s, results.words[0] == 0 && results.words[1] == 0 && results.words[2] == 97);
  add(s, p.out);
  add(s, words);
  add(s, results);
  return finish(s);
}
