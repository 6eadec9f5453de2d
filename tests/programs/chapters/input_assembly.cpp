// SPDX-License-Identifier: Apache-2.0
// Input assembly: every topology, with and without primitive restart, indices of
// every width at offsets, vertex offsets of indexed draws. Adjacency is assembled
// without a geometry shader: the neighbours are left out.
#include "assembly.vert.h"
#include "chapter.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkPrimitiveTopology kTopologies[] = {VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                               VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                               VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                               VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                               VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                               VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
                                               VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY,
                                               VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY,
                                               VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY,
                                               VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY};
constexpr std::size_t kCount = sizeof kTopologies / sizeof kTopologies[0];

template <class Index>
MappedBuffer indices(Session& s) {
  // The first three are before the offset; the largest value restarts.
  constexpr Index restart = static_cast<Index>(~Index{0});
  const Index order[16] = {9, 9, 9, 9, 0, 1, 5, 4, 10, 14, restart, 2, 3, 7, 6, 11};
  return buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
}

}  // namespace

int main() {
  Needs needs =
      drawing_needs({VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME});
  NEED(needs, IndexTypeUint8FeaturesEXT, indexTypeUint8);
  NEED(needs, PrimitiveTopologyListRestartFeaturesEXT, primitiveTopologyListRestart);
  NEED_CORE(needs, largePoints);
  WISH_CORE(needs, geometryShader);  // who has none knows no neighbours
  Session s = open("input_assembly", needs);
  const std::size_t topologies = HAS_CORE(needs, geometryShader) ? kCount : kCount - 4;
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{2} * kCount * kTexels * 4);
  const MappedBuffer bytes = indices<std::uint8_t>(s), halves = indices<std::uint16_t>(s),
                     words = indices<std::uint32_t>(s);
  std::vector<const std::uint32_t*> seen;
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, assembly_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  for (std::size_t i = 0; i < topologies; ++i) {
    for (const VkBool32 restarts : {VK_FALSE, VK_TRUE}) {
      d.assembly.topology = kTopologies[i];
      d.assembly.primitiveRestartEnable = restarts;
      const VkPipeline pipeline = build(s, d);
      begin_rendering(s.cmd, canvas);
      set_area(s.cmd, kExtent);
      vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindIndexBuffer(s.cmd, bytes.buffer, 1, VK_INDEX_TYPE_UINT8_EXT);
      if (restarts == VK_TRUE) vkCmdDrawIndexed(s.cmd, 12, 1, 3, 0, 0);
      vkCmdBindIndexBuffer(s.cmd, halves.buffer, 4, VK_INDEX_TYPE_UINT16);
      if (restarts == VK_TRUE) vkCmdDrawIndexed(s.cmd, 12, 1, 2, 4, 0);
      vkCmdBindIndexBuffer(s.cmd, words.buffer, 8, VK_INDEX_TYPE_UINT32);
      vkCmdDrawIndexed(s.cmd, restarts == VK_TRUE ? 12 : 6, 1, 2, -1, 0);
      if (restarts == VK_FALSE) vkCmdDraw(s.cmd, 7, 1, 8, 0);
      vkCmdEndRendering(s.cmd);
      const std::uint32_t* picture = take(s, p, canvas);
      seen.push_back(picture);
    }
  }
  run(s);
  for (const std::uint32_t* picture : seen) EXPECT(s, count(picture, kTexels, kBlack) < kTexels);
  // Lines and triangles differ, of the same indices; so do they with restarts and without.
  for (std::size_t i = 2; i < 2 * topologies; ++i) EXPECT(s, std::memcmp(seen[i], seen[i - 1], kTexels * 4) != 0);
  add(s, p.out);
  return finish(s);
}
