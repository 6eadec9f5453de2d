// SPDX-License-Identifier: Apache-2.0
// Rasterization of polygons: faces and windings, filled, as lines and as points,
// moved by depth bias with slopes and clamps, clipped and clamped in depth, with either
// provoking vertex, discarded. One row of pictures for each.
#include "chapter.h"
#include "flat.frag.h"
#include "slope.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

struct Stage {
  Image canvas, behind;
  Pictures pictures;
};

// Two triangles of either winding that slope from behind the near plane to behind the far one.
void picture(Session& s, Stage& g, Drawing& d, float far) {
  const VkPipeline pipeline = build(s, d);
  const std::vector<VkRenderingAttachmentInfo> colors{
      attachment(g.canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  VkRenderingAttachmentInfo depth = attachment(g.behind.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  depth.clearValue.depthStencil.depth = 1;
  VkRenderingInfo info = rendering_info(kExtent, colors);
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  const float depths[2] = {0.5f - far, 0.5f + far};
  vkCmdPushConstants(s.cmd, d.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof depths, depths);
  vkCmdDraw(s.cmd, 6, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
  take(s, g.pictures, g.canvas);
  take(s, g.pictures, g.behind, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME});
  NEED(needs, DepthClipEnableFeaturesEXT, depthClipEnable);
  NEED(needs, ProvokingVertexFeaturesEXT, provokingVertexLast);
  NEED_CORE(needs, fillModeNonSolid);
  NEED_CORE(needs, depthClamp);
  NEED_CORE(needs, depthBiasClamp);
  NEED_CORE(needs, largePoints);
  Session s = open("rasterization", needs);
  Stage g{create_canvas(s, kExtent),
          create_general(s,
                         image_info(VK_FORMAT_D32_SFLOAT, kExtent,
                                    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
                         VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT),
          create_pictures(s, std::size_t{64} * kTexels * 4)};
  Drawing d = shapes(s);
  d.layout = create_layout(s, {}, {{VK_SHADER_STAGE_VERTEX_BIT, 0, 8}});
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, slope_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, flat_frag_spv))};
  d.rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  const VkPipelineRasterizationStateCreateInfo plain = d.raster;
  const auto with = [&](auto&& change, float far = 0.25f) {
    d.raster = plain;
    change(d.raster);
    picture(s, g, d, far);
  };
  for (const VkPolygonMode mode : {VK_POLYGON_MODE_FILL, VK_POLYGON_MODE_LINE, VK_POLYGON_MODE_POINT})
    for (const VkCullModeFlags cull : {VK_CULL_MODE_NONE, VK_CULL_MODE_FRONT_BIT, VK_CULL_MODE_BACK_BIT})
      for (const VkFrontFace front : {VK_FRONT_FACE_CLOCKWISE, VK_FRONT_FACE_COUNTER_CLOCKWISE})
        with([&](auto& r) { r.polygonMode = mode, r.cullMode = cull, r.frontFace = front; });
  with([](auto& r) { r.cullMode = VK_CULL_MODE_FRONT_AND_BACK; });
  with([](auto& r) { r.rasterizerDiscardEnable = VK_TRUE; });
  for (const float slope : {0.0f, 1.0f, -2.0f})
    for (const float clamp : {0.0f, 0.0625f})
      with([&](auto& r) {
        r.depthBiasEnable = VK_TRUE, r.depthBiasConstantFactor = -65536, r.depthBiasSlopeFactor = slope,
        r.depthBiasClamp = slope < 0 ? -clamp : clamp;
      });
  // Beyond both planes: clipped as always, clamped, both, neither.
  VkPipelineRasterizationDepthClipStateCreateInfoEXT clip{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT};
  with([](auto&) {}, 0.75f);
  for (const VkBool32 clamps : {VK_FALSE, VK_TRUE})
    for (const VkBool32 clips : {VK_FALSE, VK_TRUE}) {
      clip.depthClipEnable = clips;
      with([&](auto& r) { r.depthClampEnable = clamps, r.pNext = &clip; }, 0.75f);
    }
  VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
      VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
  with([&](auto& r) { r.pNext = &provoking; });
  run(s);
  const auto same = [&](std::size_t a, std::size_t b) {
    return std::memcmp(g.pictures.out.words + a * 2 * kTexels, g.pictures.out.words + b * 2 * kTexels, kTexels * 4) ==
           0;
  };
  EXPECT(s, !same(0, 2) && !same(2, 3) && same(2, 5) && same(3, 4) && same(0, 1));
  EXPECT(s, !same(0, 6) && !same(6, 12));
  EXPECT(s, same(18, 19) && !same(0, 18));  // nothing
  EXPECT(s, !same(0, 31));                  // another vertex gives its colour
  add(s, g.pictures.out);
  return finish(s);
}
