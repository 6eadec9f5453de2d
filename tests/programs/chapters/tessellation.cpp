// SPDX-License-Identifier: Apache-2.0
// Tessellation: quads and isolines, every spacing and winding, points, both domain
// origins, levels from push constants and patches that are culled by theirs, outputs
// for the patch as a whole, lines and points of the polygons.
#include "chapter.h"
#include "even.tese.h"
#include "lines.tese.h"
#include "odd.tese.h"
#include "place.vert.h"
#include "spaced.tesc.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 32, kTexels = kExtent * kExtent;

struct Levels {
  float outer[4], inner[2];
};
constexpr VkShaderStageFlags kControl = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;

// Four corners of a patch, from left to right.
MappedBuffer create_patches(Session& s) {
  float corners[2][4][2];
  for (int patch = 0; patch < 2; ++patch)
    for (int i = 0; i < 4; ++i) {
      corners[patch][i][0] = static_cast<float>(patch) - 0.9375f + static_cast<float>(i & 1) * 0.875f;
      corners[patch][i][1] = -0.9375f + static_cast<float>(i >> 1) * 1.75f;
    }
  return buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, tessellationShader);
  NEED_CORE(needs, shaderTessellationAndGeometryPointSize);
  NEED_CORE(needs, fillModeNonSolid);
  Session s = open("tessellation", needs);
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer patches = create_patches(s);
  Drawing d = shapes(s);
  d.layout = create_layout(s, {}, {{kControl, 0, sizeof(Levels)}});
  const VkShaderModule evaluations[3] = {shader(s, odd_tese_spv), shader(s, even_tese_spv), shader(s, lines_tese_spv)};
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, place_vert_spv)),
              stage(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, shader(s, spaced_tesc_spv)),
              stage(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, evaluations[0]),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
  d.input.pVertexBindingDescriptions = &binding;
  d.input.pVertexAttributeDescriptions = &attribute;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  d.tessellation.patchControlPoints = 4;
  VkPipelineTessellationDomainOriginStateCreateInfo origin{
      VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO};
  d.tessellation.pNext = &origin;

  Pictures p = create_pictures(s, std::size_t{12} * kTexels * 4);
  std::vector<const std::uint32_t*> seen;
  const Levels levels[2] = {{{3.5f, 2, 5, 1}, {2.5f, 4.25f}}, {{2, 6, 0, 3}, {1, 1}}};
  for (const VkShaderModule evaluation : evaluations) {
    for (const VkTessellationDomainOrigin from :
         {VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT, VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT}) {
      origin.domainOrigin = from;
      d.stages[2].module = evaluation;
      d.raster.polygonMode = evaluation == evaluations[0] ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL;
      d.raster.cullMode = evaluation == evaluations[0] ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE;
      const VkPipeline pipeline = build(s, d);
      for (const Levels& level : levels) {
        begin_rendering(s.cmd, canvas);
        set_area(s.cmd, kExtent);
        vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        const VkDeviceSize zero = 0;
        vkCmdBindVertexBuffers(s.cmd, 0, 1, &patches.buffer, &zero);
        vkCmdPushConstants(s.cmd, d.layout, kControl, 0, sizeof level, &level);
        vkCmdDraw(s.cmd, 8, 1, 0, 0);
        vkCmdEndRendering(s.cmd);
        seen.push_back(take(s, p, canvas));
      }
    }
  }
  run(s);
  // Of the second levels, one of the outer is zero: no polygon is left.
  EXPECT(s, count(seen[3], kTexels, kBlack) == kTexels && count(seen[5], kTexels, kBlack) == kTexels);
  EXPECT(s, count(seen[4], kTexels, kBlack) < kTexels);
  for (const std::size_t i : {8, 9, 10, 11}) EXPECT(s, count(seen[i], kTexels, kBlack) < kTexels);
  add(s, p.out);
  return finish(s);
}
