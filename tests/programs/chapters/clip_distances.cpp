// SPDX-License-Identifier: Apache-2.0
// Clip and cull distances, as many as there are of each, written by vertex shaders and
// read by fragments; planes that cut lines, points and triangles; whole primitives
// that are culled when all of their vertices lie outside.
#include "chapter.h"
#include "cut.frag.h"
#include "cut.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, shaderClipDistance);
  NEED_CORE(needs, shaderCullDistance);
  NEED_CORE(needs, largePoints);
  Session s = open("clip_distances", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{8} * kTexels * 4);
  Drawing d = shapes(s);
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, 32};
  d.layout = create_layout(s, {}, {range});
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, cut_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, cut_frag_spv))};
  const float planes[2][8] = {{1, 0.5f, 0.25f, 0.5f, -1, 0.25f, 0.5f, 1.25f},
                              {0.25f, -1, 0.5f, 0.5f, 1, 1, -0.75f, 0.5f}};
  for (const VkPrimitiveTopology topology :
       {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, VK_PRIMITIVE_TOPOLOGY_POINT_LIST}) {
    d.assembly.topology = topology;
    const VkPipeline pipeline = build(s, d);
    for (const auto& plane : planes) {
      begin_rendering(s.cmd, canvas);
      set_area(s.cmd, kExtent);
      vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdPushConstants(s.cmd, d.layout, range.stageFlags, 0, sizeof plane, plane);
      vkCmdDraw(s.cmd, 10, 1, 0, 0);
      vkCmdEndRendering(s.cmd);
      take(s, p, canvas);
    }
  }
  run(s);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t black = count(p.out.words + i * kTexels, kTexels, kBlack);
    EXPECT(s, black > 0 && black < kTexels);
  }
  add(s, p.out);
  return finish(s);
}
