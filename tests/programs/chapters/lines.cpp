// SPDX-License-Identifier: Apache-2.0
// Lines and points: widths at the limits and between, stippled by factors and
// patterns, of every rasterization mode, strips whose pattern goes on, points of sizes
// that shaders choose, with coordinates within.
#include "chapter.h"
#include "lines.vert.h"
#include "points.frag.h"
#include "points.vert.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 24, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME});
  NEED(needs, LineRasterizationFeaturesEXT, rectangularLines);
  NEED(needs, LineRasterizationFeaturesEXT, bresenhamLines);
  needs.enable(needs.of<VkPhysicalDeviceLineRasterizationFeaturesEXT>().smoothLines, nullptr);
  needs.enable(needs.of<VkPhysicalDeviceLineRasterizationFeaturesEXT>().stippledRectangularLines, nullptr);
  needs.enable(needs.of<VkPhysicalDeviceLineRasterizationFeaturesEXT>().stippledBresenhamLines, nullptr);
  needs.enable(needs.of<VkPhysicalDeviceLineRasterizationFeaturesEXT>().stippledSmoothLines, nullptr);
  WISH_CORE(needs, wideLines);
  NEED_CORE(needs, largePoints);
  Session s = open("lines", needs);
  const auto& has = needs.of<VkPhysicalDeviceLineRasterizationFeaturesEXT>();
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{40} * kTexels * 4);
  int pictures = 0;
  const auto picture = [&](VkPipeline pipeline, auto&& draws) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draws();
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
    ++pictures;
  };
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, lines_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const auto lines = [&](VkLineRasterizationModeEXT mode, bool stipples, float width, std::uint32_t factor,
                         std::uint16_t pattern) {
    const VkPipelineRasterizationLineStateCreateInfoEXT state{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        nullptr,
        mode,
        stipples ? VK_TRUE : VK_FALSE,
        stipples ? factor : 0,  // not used
        pattern};
    d.raster.pNext = &state;
    d.raster.lineWidth = HAS_CORE(needs, wideLines) ? width : 1;
    for (const VkPrimitiveTopology topology : {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP}) {
      d.assembly.topology = topology;
      picture(build(s, d), [&] { vkCmdDraw(s.cmd, 8, 1, 0, 0); });
    }
  };
  constexpr VkLineRasterizationModeEXT rectangles = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
                                       bresenham = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
                                       smooth = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
  const VkPhysicalDeviceLimits limit = limits(s);
  lines(rectangles, false, 1, 1, 0xffff);
  lines(rectangles, false, limit.lineWidthRange[1] < 5 ? limit.lineWidthRange[1] : 5, 1, 0xffff);
  lines(bresenham, false, 1, 1, 0xffff);
  if (has.smoothLines) lines(smooth, false, 3, 1, 0xffff);
  if (has.stippledRectangularLines) lines(rectangles, true, 2, 1, 0x0f0f);
  if (has.stippledBresenhamLines) lines(bresenham, true, 1, 3, 0x5a5a);
  if (has.stippledBresenhamLines) lines(bresenham, true, 1, 256, 0x0001);
  if (has.stippledSmoothLines) lines(smooth, true, 4, 2, 0x3333);
  d.raster.pNext = nullptr;
  d.raster.lineWidth = 1;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, points_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, points_frag_spv))};
  picture(build(s, d), [&] { vkCmdDraw(s.cmd, 5, 1, 0, 0); });
  picture(build(s, d), [&] { vkCmdDraw(s.cmd, 1, 7, 3, 2); });
  run(s);
  EXPECT(s, pictures >= 8);
  for (int i = 0; i < pictures; ++i)
    EXPECT(s, count(p.out.words + static_cast<std::size_t>(i) * kTexels, kTexels, kBlack) < kTexels);
  add(s, p.out);
  return finish(s);
}
