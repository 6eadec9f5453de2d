// SPDX-License-Identifier: Apache-2.0
// Indirect draws: several at strides with garbage between, counts from buffers below,
// at and above the limit, parameters that a shader writes in the same command buffer,
// first instances, the draw's number in shaders, several draws of one command with and
// without an offset of their own.
#include "chapter.h"
#include "numbered.vert.h"
#include "parameters.comp.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_MULTI_DRAW_EXTENSION_NAME});
  NEED(needs, MultiDrawFeaturesEXT, multiDraw);
  NEED(needs, Vulkan12Features, drawIndirectCount);
  NEED(needs, Vulkan11Features, shaderDrawParameters);
  NEED_CORE(needs, multiDrawIndirect);
  NEED_CORE(needs, drawIndirectFirstInstance);
  Session s = open("counted_draws", needs);
  LOAD(s, vkCmdDrawMultiEXT);
  LOAD(s, vkCmdDrawMultiIndexedEXT);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{8} * kTexels * 4);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const std::uint32_t garbage[64] = {0xdddddddd, 0xdddddddd, 0xdddddddd, 0xdddddddd};
  const MappedBuffer draws = buffer_of(s, usage, garbage), indexed = buffer_of(s, usage, garbage);
  for (const MappedBuffer& b : {draws, indexed}) std::memset(b.words, 0xdd, b.bytes);
  const std::uint32_t numbers[4] = {2, 0, 9, 0xffffffff};
  const MappedBuffer counts = buffer_of(s, usage, numbers);
  const std::uint16_t order[8] = {0, 1, 2, 3, 2, 1, 0, 3};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  const Kernel kernel = create_kernel(s, shader(s, parameters_comp_spv), {draws, indexed});
  bind(s.cmd, kernel);
  push(s.cmd, kernel, 7, 8);  // words from one to the next
  vkCmdDispatch(s.cmd, 1, 1, 1);
  barrier(s.cmd);

  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, numbered_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const VkPipeline pipeline = build(s, d);
  std::vector<const std::uint32_t*> seen;
  const auto picture = [&](auto&& what) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindIndexBuffer(s.cmd, indices.buffer, 2, VK_INDEX_TYPE_UINT16);
    what();
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas));
  };
  picture([&] { vkCmdDrawIndirect(s.cmd, draws.buffer, 4, 4, 28); });
  picture([&] { vkCmdDrawIndirectCount(s.cmd, draws.buffer, 4, counts.buffer, 0, 4, 28); });
  picture([&] {
    vkCmdDrawIndirectCount(s.cmd, draws.buffer, 4, counts.buffer, 4, 4, 28);  // none
    vkCmdDrawIndexedIndirectCount(s.cmd, indexed.buffer, 8, counts.buffer, 12, 3, 32);
  });
  picture([&] { vkCmdDrawIndexedIndirect(s.cmd, indexed.buffer, 8, 3, 32); });
  picture([&] { vkCmdDrawIndexedIndirect(s.cmd, indexed.buffer, 40, 1, 0); });
  const VkMultiDrawInfoEXT several[3] = {{0, 4}, {1, 3}, {2, 4}};
  picture([&] { vkCmdDrawMultiEXT(s.cmd, 3, several, 2, 3, sizeof several[0]); });
  struct {
    VkMultiDrawIndexedInfoEXT draw;
    std::uint32_t garbage;
  } wide[2] = {{{0, 4, 1}, ~0u}, {{2, 4, 2}, ~0u}};
  picture([&] { vkCmdDrawMultiIndexedEXT(s.cmd, 2, &wide[0].draw, 1, 5, sizeof wide[0], nullptr); });
  const std::int32_t offset = 3;
  picture([&] { vkCmdDrawMultiIndexedEXT(s.cmd, 2, &wide[0].draw, 1, 5, sizeof wide[0], &offset); });
  run(s);
  for (const std::uint32_t* one : seen) EXPECT(s, count(one, kTexels, kBlack) < kTexels);
  EXPECT(s, std::memcmp(seen[2], seen[3], kTexels * 4) == 0 && std::memcmp(seen[0], seen[1], kTexels * 4) != 0);
  EXPECT(s, std::memcmp(seen[6], seen[7], kTexels * 4) != 0);
  for (const MappedBuffer& b : {p.out, draws, indexed}) add(s, b);
  return finish(s);
}
