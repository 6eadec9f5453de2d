// SPDX-License-Identifier: Apache-2.0
// Geometry shaders: several invocations a primitive, neighbours as inputs, strips
// that end, primitives that are dropped or numbered anew, points with sizes, layers
// and viewports together.
#include "assembly.vert.h"
#include "chapter.h"
#include "invocations.geom.h"
#include "layers.geom.h"
#include "numbered.frag.h"
#include "points.geom.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kLayers = 3;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, geometryShader);
  NEED_CORE(needs, multiViewport);
  NEED_CORE(needs, shaderTessellationAndGeometryPointSize);
  NEED_CORE(needs, largePoints);
  Session s = open("geometry_shaders", needs);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kDrawnAndRead);
  info.arrayLayers = kLayers;
  const Image canvas = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  Pictures p = create_pictures(s, std::size_t{3} * kLayers * kTexels * 4);
  const std::uint32_t order[12] = {0, 1, 2, 3, 7, 6, ~0u, 5, 4, 9, 10, 14};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, assembly_vert_spv)),
              stage(VK_SHADER_STAGE_GEOMETRY_BIT, shader(s, invocations_geom_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, numbered_frag_spv))};
  d.viewport.viewportCount = d.viewport.scissorCount = 2;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
  d.assembly.primitiveRestartEnable = VK_TRUE;
  const VkPipeline lines = build(s, d);
  d.stages[1].module = shader(s, points_geom_spv);
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
  const VkPipeline points = build(s, d);
  d.stages[1].module = shader(s, layers_geom_spv);
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  d.assembly.primitiveRestartEnable = VK_FALSE;
  const VkPipeline layers = build(s, d);

  const VkViewport viewports[2] = {{0, 0, kExtent, kExtent, 0, 1}, {4, 2, 12, 8, 0.25f, 0.5f}};
  const VkRect2D scissors[2] = {{{0, 0}, {kExtent, kExtent}}, {{5, 3}, {9, 9}}};
  std::vector<const std::uint32_t*> seen;
  for (const VkPipeline pipeline : {lines, points, layers}) {
    const std::vector<VkRenderingAttachmentInfo> colors{
        attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
    const VkRenderingInfo rendering = rendering_info(kExtent, colors, kLayers);
    vkCmdBeginRendering(s.cmd, &rendering);
    vkCmdSetViewport(s.cmd, 0, 2, viewports);
    vkCmdSetScissor(s.cmd, 0, 2, scissors);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindIndexBuffer(s.cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    if (pipeline == layers)
      vkCmdDraw(s.cmd, 12, 1, 2, 0);
    else
      vkCmdDrawIndexed(s.cmd, 12, 2, 0, 0, 0);
    vkCmdEndRendering(s.cmd);
    for (std::uint32_t i = 0; i < kLayers; ++i) seen.push_back(take(s, p, canvas, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, i));
  }
  run(s);
  for (const std::size_t drawn : {0, 3, 6, 7, 8}) EXPECT(s, count(seen[drawn], kTexels, kBlack) < kTexels);
  for (const std::size_t empty : {1, 2, 4, 5}) EXPECT(s, count(seen[empty], kTexels, kBlack) == kTexels);
  add(s, p.out);
  return finish(s);
}
