// SPDX-License-Identifier: Apache-2.0
// Draws that lavapipe lacks: of mesh shaders, by numbers of the program and of
// buffers; and counted draws by the name of the vendor who had them first. Each
// way to draw has a picture of its own.
#include <cstddef>

#include "picture.h"
#include "shape.mesh.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8;
constexpr std::uint32_t kTexels = kExtent * kExtent;
constexpr std::size_t kWays = 5;

struct Arguments {
  VkDrawMeshTasksIndirectCommandEXT meshes[2] = {{1, 1, 1}, {2, 1, 1}};
  VkDrawIndirectCommand draws[2] = {{4, 1, 0, 0}, {3, 1, 0, 0}};
  VkDrawIndexedIndirectCommand indexed[1] = {{4, 1, 0, 0, 0}};
  std::uint32_t counts[2] = {2, 1};
};

VkPipeline build_meshes(Session& s, Drawing& d) {
  d.layout = create_layout(
      s, {}, {{VK_SHADER_STAGE_MESH_BIT_EXT, 0, sizeof(Shape)}, {VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(Shape)}});
  d.stages[0] = stage(VK_SHADER_STAGE_MESH_BIT_EXT, shader(s, shape_mesh_spv));
  return build(s, d);
}

}  // namespace

int main() {
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                               .meshShader = VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .pNext = &meshes,
                                       .dynamicRendering = VK_TRUE,
                                       .maintenance4 = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13, .drawIndirectCount = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
  core.features.multiDrawIndirect = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_AMD_DRAW_INDIRECT_COUNT_EXTENSION_NAME};
  Session s = open("meshes", wanted);
  LOAD(s, vkCmdDrawMeshTasksEXT);
  LOAD(s, vkCmdDrawMeshTasksIndirectEXT);
  LOAD(s, vkCmdDrawMeshTasksIndirectCountEXT);
  LOAD(s, vkCmdDrawIndirectCountAMD);
  LOAD(s, vkCmdDrawIndexedIndirectCountAMD);
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer out = create_readback(s, kWays * kTexels * 4);
  const Arguments arguments[1];
  const VkBuffer args = buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, arguments).buffer;
  const std::uint32_t order[4] = {0, 1, 2, 3};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  Drawing d = shapes(s), m = d;
  const VkPipeline vertices = build(s, d), meshed = build_meshes(s, m);
  constexpr VkDeviceSize meshes_at = offsetof(Arguments, meshes), draws_at = offsetof(Arguments, draws),
                         indexed_at = offsetof(Arguments, indexed), counts_at = offsetof(Arguments, counts);
  const std::function<void()> ways[kWays] = {
      [&] { vkCmdDrawMeshTasksEXT(s.cmd, 1, 1, 1); },
      [&] { vkCmdDrawMeshTasksIndirectEXT(s.cmd, args, meshes_at, 2, 12); },
      [&] { vkCmdDrawMeshTasksIndirectCountEXT(s.cmd, args, meshes_at, args, counts_at + 4, 2, 12); },
      [&] { vkCmdDrawIndirectCountAMD(s.cmd, args, draws_at, args, counts_at, 2, 16); },
      [&] { vkCmdDrawIndexedIndirectCountAMD(s.cmd, args, indexed_at, args, counts_at + 4, 1, 20); }};
  for (std::size_t i = 0; i < kWays; ++i) {
    const bool mesh = i < 3;
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, mesh ? meshed : vertices);
    vkCmdBindIndexBuffer(s.cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    const Shape shape{-1, -1, 0, 1, {1, 0, 0, 1}};
    if (mesh) {
      vkCmdPushConstants(s.cmd, m.layout, VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof shape,
                         &shape);
    } else {
      vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
    }
    ways[i]();
    vkCmdEndRendering(s.cmd);
    copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out, i * kTexels * 4);
    barrier(s.cmd);
  }
  run(s);
  for (std::size_t i = 0; i < kWays; ++i) EXPECT(s, count(out.words + i * kTexels, kTexels, kRed) == kTexels / 2);
  add(s, out);
  return finish(s);
}
