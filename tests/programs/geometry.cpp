// SPDX-License-Identifier: Apache-2.0
// The stages between vertex and fragment: tessellation, geometry shaders that
// write to layers, clip distances, several viewports written by the vertex
// shader, and two views at once.
#include "clip.vert.h"
#include "patch.tesc.h"
#include "patch.tese.h"
#include "picture.h"
#include "primitive.geom.h"
#include "views.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;

void begin_layers(VkCommandBuffer cmd, VkImageView view, std::uint32_t layers, std::uint32_t views) {
  const VkRenderingAttachmentInfo color = attachment(view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = layers,
                             .viewMask = views,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(cmd, &info);
}

struct Pictures {
  Image target;  // of two layers
  MappedBuffer out;
  VkDeviceSize next = 0;  // where the next picture goes
};

// Draws and keeps both layers.
void take(Session& s, Pictures& p, Drawing& d, std::uint32_t vertices, std::uint32_t instances, const Shape& shape,
          std::uint32_t views = 0) {
  d.rendering.viewMask = views;
  const VkPipeline pipeline = build(s, d);
  begin_layers(s.cmd, p.target.view, 2, views);
  const VkViewport viewports[2] = {{0, 0, kExtent, kExtent, 0, 1}, {8, 8, 8, 8, 0, 1}};
  const VkRect2D scissors[2] = {{{0, 0}, {kExtent, kExtent}}, {{0, 0}, {kExtent, kExtent}}};
  vkCmdSetViewport(s.cmd, 0, d.viewport.viewportCount, viewports);
  vkCmdSetScissor(s.cmd, 0, d.viewport.viewportCount, scissors);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
  vkCmdDraw(s.cmd, vertices, instances, 0, 0);
  vkCmdEndRendering(s.cmd);
  for (std::uint32_t layer = 0; layer < 2; ++layer) {
    copy_out(s.cmd, p.target, VK_IMAGE_LAYOUT_GENERAL, p.out, p.next, VK_IMAGE_ASPECT_COLOR_BIT, 0, layer);
    p.next += kTexels * 4;
  }
  barrier(s.cmd);
}

}  // namespace

int main() {
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &v13,
                                       .shaderOutputViewportIndex = VK_TRUE,
                                       .shaderOutputLayer = VK_TRUE};
  VkPhysicalDeviceVulkan11Features v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                       .pNext = &v12,
                                       .multiview = VK_TRUE,
                                       .shaderDrawParameters = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
  core.features.geometryShader = core.features.tessellationShader = core.features.multiViewport = VK_TRUE;
  core.features.shaderClipDistance = core.features.shaderCullDistance = VK_TRUE;
  core.features.shaderTessellationAndGeometryPointSize = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_KHR_MULTIVIEW_EXTENSION_NAME, VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME,
                       VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME};
  Session s = open("geometry", wanted);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent,
                                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  info.arrayLayers = 2;
  Pictures p{create_image(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY), create_readback(s, 10 * kTexels * 4)};
  transition(s.cmd, p.target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);

  Drawing d = shapes(s);
  const std::vector<VkPipelineShaderStageCreateInfo> plain = d.stages;
  d.stages.push_back(stage(VK_SHADER_STAGE_GEOMETRY_BIT, shader(s, primitive_geom_spv)));
  take(s, p, d, 4, 1, {-1, -1, 0, 1, {1, 0, 0, 1}});
  d.stages = plain;
  d.stages.push_back(stage(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, shader(s, patch_tesc_spv)));
  d.stages.push_back(stage(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, shader(s, patch_tese_spv)));
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  take(s, p, d, 3, 1, {-1, -1, 1, 1, {0, 1, 0, 1}});

  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  const VkShaderModule module = shader(s, clip_vert_spv);
  const VkSpecializationMapEntry entry{0, 0, 4};
  const std::uint32_t modes[3] = {0, 1, 2};
  const VkSpecializationInfo by_mode[3] = {
      {1, &entry, 4, &modes[0]}, {1, &entry, 4, &modes[1]}, {1, &entry, 4, &modes[2]}};
  d.stages = plain;
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, module, &by_mode[1]);
  take(s, p, d, 4, 1, {-1, -1, 1, 1, {0, 0, 1, 1}});
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, module, &by_mode[2]);
  d.viewport.viewportCount = d.viewport.scissorCount = 2;
  take(s, p, d, 4, 2, {-0.5f, -1, 0, 1, {1, 1, 1, 1}});
  d.viewport.viewportCount = d.viewport.scissorCount = 1;
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, views_vert_spv));
  take(s, p, d, 4, 1, {-1, -1, 0, 1, {1, 0, 0, 1}}, 3);
  run(s);

  const auto texels = [&](std::uint32_t picture, std::uint32_t value) {
    return count(p.out.words + picture * kTexels, kTexels, value);
  };
  EXPECT(s, texels(0, kRed) == 128 && texels(1, kRed) == 128);
  EXPECT(s, p.out.words[0] == kRed && p.out.words[kTexels] == kBlack);
  EXPECT(s, texels(2, kGreen) >= 120 && texels(2, kGreen) <= 136);  // a triangle's half
  EXPECT(s, texels(4, kBlue) == 128);
  EXPECT(s, texels(6, kWhite) == 64 + 16);
  EXPECT(s, texels(8, kRed) == 128 && p.out.words[8 * kTexels] == kRed);
  EXPECT(s, texels(9, kRed) == 128 && p.out.words[9 * kTexels] == kBlack);
  add(s, p.out);
  return finish(s);
}
