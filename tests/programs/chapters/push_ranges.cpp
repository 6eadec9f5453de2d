// SPDX-License-Identifier: Apache-2.0
// Push constants: ranges of two stages that overlap in part, pushed in pieces that lie
// across them, kept over pipelines with layouts that are compatible and lost with others,
// apart for graphics and compute, the last bytes of what every device has.
#include "chapter.h"
#include "pushed.comp.h"
#include "ranges.frag.h"
#include "ranges.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkShaderStageFlagBits kVertex = VK_SHADER_STAGE_VERTEX_BIT, kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  Session s = open("push_ranges", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  const MappedBuffer results = buffer(s, 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  Drawing d = shapes(s);
  d.stages = {stage(kVertex, shader(s, ranges_vert_spv)), stage(kFragment, shader(s, ranges_frag_spv))};
  // Bytes 32 to 100 are of both.
  const std::vector<VkPushConstantRange> ranges{{kVertex, 16, 84}, {kFragment, 32, 96}};
  d.layout = create_layout(s, {}, ranges);
  const VkPipelineLayout layout = d.layout, same = create_layout(s, {}, ranges);
  const VkPipeline first = build(s, d);
  d.layout = same;
  d.raster.cullMode = VK_CULL_MODE_NONE;
  d.attachments[0].colorWriteMask = 0xb;
  const VkPipeline second = build(s, d);

  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_buffer(s, set, 0, results);
  const VkPipelineLayout computes = create_layout(s, {set_layout}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128}});
  const VkPipeline compute = create_compute(s, computes, shader(s, pushed_comp_spv));

  const float edges[4] = {-1, -1, 0.5f, 0.75f}, depth = 0.5f, alpha = 0.75f;
  const float tints[8] = {0.25f, 0.5f, 0, 0, 0.125f, 0, 0.75f, 1};
  const std::uint32_t bits[2] = {0xfffffffe, 0x80000001};
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, first);
  vkCmdPushConstants(s.cmd, layout, kVertex, 16, 16, edges);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 32, 20, tints);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 52, 12, tints + 5);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 80, 8, bits);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 96, 4, &depth);
  vkCmdPushConstants(s.cmd, layout, kFragment, 124, 4, &alpha);
  vkCmdDraw(s.cmd, 4, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
  take(s, p, canvas);

  // Another bind point's constants do not disturb these; a compatible layout keeps them.
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, computes, 0, 1, &set, 0, nullptr);
  std::uint32_t numbers[32];
  for (std::uint32_t i = 0; i < 32; ++i) numbers[i] = mix(i, 5);
  vkCmdPushConstants(s.cmd, computes, VK_SHADER_STAGE_COMPUTE_BIT, 0, 128, numbers);
  vkCmdPushConstants(s.cmd, computes, VK_SHADER_STAGE_COMPUTE_BIT, 100, 4, &alpha);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  begin_rendering(s.cmd, canvas);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, first);
  vkCmdPushConstants(s.cmd, layout, kVertex, 16, 16, edges);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 32, 32, tints);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 80, 8, bits);
  vkCmdPushConstants(s.cmd, layout, kVertex | kFragment, 96, 4, &depth);
  vkCmdPushConstants(s.cmd, same, kFragment, 124, 4, &alpha);
  vkCmdDraw(s.cmd, 4, 1, 0, 0);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second);
  const float right = 1, top = -0.25f;
  vkCmdPushConstants(s.cmd, same, kVertex, 24, 4, &right);
  vkCmdPushConstants(s.cmd, same, kVertex, 20, 4, &top);
  vkCmdDraw(s.cmd, 4, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
  take(s, p, canvas);
  run(s);
  EXPECT(s, results.words[0] == mix(0, 5) && results.words[31] == mix(31, 5) && results.words[25] == 0x3f400000);
  EXPECT(s, count(p.out.words, kTexels, kBlack) == kTexels - 42);
  EXPECT(s, std::memcmp(p.out.words, p.out.words + kTexels, kTexels * 4) != 0);
  add(s, p.out);
  add(s, results);
  return finish(s);
}
