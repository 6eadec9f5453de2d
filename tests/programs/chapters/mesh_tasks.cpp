// SPDX-License-Identifier: Apache-2.0
// Task and mesh shaders: payloads, primitives that are culled, numbered and shaded one by one,
// by numbers of the program, of a buffer and of a count in a buffer, counted by queries.
#include "chapter.h"
#include "meshed.frag.h"
#include "tasks.mesh.h"
#include "tasks.task.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 20, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_MESH_SHADER_EXTENSION_NAME});
  NEED(needs, MeshShaderFeaturesEXT, meshShader);
  NEED(needs, MeshShaderFeaturesEXT, taskShader);
  NEED(needs, MeshShaderFeaturesEXT, meshShaderQueries);
  NEED(needs, Vulkan12Features, drawIndirectCount);
  NEED(needs, Vulkan13Features, maintenance4);
  NEED(needs, Vulkan11Features, shaderDrawParameters);
  NEED_CORE(needs, geometryShader);  // fragments read their primitive's number
  NEED_CORE(needs, multiDrawIndirect);
  NEED_CORE(needs, pipelineStatisticsQuery);
  Session s = open("mesh_tasks", needs);
  LOAD(s, vkCmdDrawMeshTasksEXT);
  LOAD(s, vkCmdDrawMeshTasksIndirectEXT);
  LOAD(s, vkCmdDrawMeshTasksIndirectCountEXT);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  const std::uint32_t numbers[12] = {1, 2, 1, 0xdead, 2, 1, 1, 0xdead, 2, 0, 0, 0};
  const MappedBuffer arguments = buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, numbers);
  const VkQueryPool counted = create_queries(s, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
                                             VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
                                                 VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT);
  constexpr VkShaderStageFlags pushed = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  Drawing d = shapes(s);
  d.layout = create_layout(s, {}, {{pushed, 0, 8}});
  d.stages = {stage(VK_SHADER_STAGE_TASK_BIT_EXT, shader(s, tasks_task_spv)),
              stage(VK_SHADER_STAGE_MESH_BIT_EXT, shader(s, tasks_mesh_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, meshed_frag_spv))};
  const VkPipeline pipeline = build(s, d);
  vkCmdResetQueryPool(s.cmd, counted, 0, 1);
  const auto picture = [&](std::uint32_t tasks, std::uint32_t bits, auto&& draws) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const std::uint32_t what[2] = {tasks, bits};
    vkCmdPushConstants(s.cmd, d.layout, pushed, 0, 8, what);
    draws();
    vkCmdEndRendering(s.cmd);
    return take(s, p, canvas);
  };
  const auto* all = picture(4, 0, [&] {
    vkCmdBeginQuery(s.cmd, counted, 0, 0);
    vkCmdDrawMeshTasksEXT(s.cmd, 2, 2, 1);
    vkCmdEndQuery(s.cmd, counted, 0);
  });
  const auto* some = picture(3, 0x5a5a5a, [&] { vkCmdDrawMeshTasksEXT(s.cmd, 1, 1, 1); });
  const auto* indirect = picture(4, 0x8, [&] { vkCmdDrawMeshTasksIndirectEXT(s.cmd, arguments.buffer, 0, 2, 16); });
  const auto* by_count = picture(
      4, 0x8, [&] { vkCmdDrawMeshTasksIndirectCountEXT(s.cmd, arguments.buffer, 0, arguments.buffer, 32, 3, 16); });
  run(s);
  std::uint32_t invocations[2] = {};
  CHECK(vkGetQueryPoolResults(s.device, counted, 0, 1, sizeof invocations, invocations, 8, VK_QUERY_RESULT_WAIT_BIT));
  EXPECT(s, invocations[0] > 0 && invocations[1] > 0);
  EXPECT(s, count(all, kTexels, kBlack) < count(some, kTexels, kBlack));
  EXPECT(s, std::memcmp(indirect, by_count, kTexels * 4) == 0);
  add(s, p.out);
  return finish(s);
}
