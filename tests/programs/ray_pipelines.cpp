// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines: shader binding tables hold the handles of groups and,
// in the records behind them, addresses of buffers. Traced by parameters in the
// call, in memory, and in memory with the tables' addresses.
#include "ray_pipelines.h"

#include <algorithm>

#include "scene.rchit.h"
#include "scene.rgen.h"
#include "scene.rmiss.h"

using namespace program;

namespace {

constexpr std::uint32_t kSide = 16;
// The hits' shaders are in a library.
VkPipeline create_pipeline(Session& s, VkPipelineLayout layout, VkDeferredOperationKHR deferred, bool& was_deferred) {
  LOAD(s, vkCreateRayTracingPipelinesKHR);
  const VkRayTracingPipelineInterfaceCreateInfoKHR interface {
    VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR, nullptr, 4, 8
  };
  const VkPipelineShaderStageCreateInfo hit =
      ray_stage(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, shader(s, scene_rchit_spv));
  const VkRayTracingShaderGroupCreateInfoKHR hits[2] = {
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, 0),
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, 0)};
  const VkRayTracingPipelineCreateInfoKHR part{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                               .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
                                               .stageCount = 1,
                                               .pStages = &hit,
                                               .groupCount = 2,
                                               .pGroups = hits,
                                               .maxPipelineRayRecursionDepth = 1,
                                               .pLibraryInterface = &interface,
                                               .layout = layout};
  VkPipeline library;
  CHECK(vkCreateRayTracingPipelinesKHR(s.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &part, nullptr, &library));
  keep(s, vkDestroyPipeline, library);
  const VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, 1, &library};
  const VkPipelineShaderStageCreateInfo stages[2] = {
      ray_stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, shader(s, scene_rgen_spv)),
      ray_stage(VK_SHADER_STAGE_MISS_BIT_KHR, shader(s, scene_rmiss_spv))};
  const VkRayTracingShaderGroupCreateInfoKHR groups[2] = {group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 0),
                                                          group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 1)};
  const VkDynamicState stack = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 1,
                                                 &stack};
  const VkRayTracingPipelineCreateInfoKHR whole{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                                .stageCount = 2,
                                                .pStages = stages,
                                                .groupCount = 2,
                                                .pGroups = groups,
                                                .maxPipelineRayRecursionDepth = 1,
                                                .pLibraryInfo = &linked,
                                                .pLibraryInterface = &interface,
                                                .pDynamicState = &dynamic,
                                                .layout = layout};
  VkPipeline pipeline;
  const VkResult result =
      vkCreateRayTracingPipelinesKHR(s.device, deferred, VK_NULL_HANDLE, 1, &whole, nullptr, &pipeline);
  if (result < 0) die("vkCreateRayTracingPipelinesKHR", result);
  was_deferred = result == VK_OPERATION_DEFERRED_KHR;
  if (was_deferred) {
    LOAD(s, vkDeferredOperationJoinKHR);
    LOAD(s, vkGetDeferredOperationResultKHR);
    VkResult joined = vkDeferredOperationJoinKHR(s.device, deferred);
    while (joined == VK_THREAD_IDLE_KHR || joined == VK_THREAD_DONE_KHR)
      joined = vkDeferredOperationJoinKHR(s.device, deferred);
    CHECK(vkGetDeferredOperationResultKHR(s.device, deferred));
  }
  return keep(s, vkDestroyPipeline, pipeline);
}

// More handles than a record holds in place, asked for at once.
void ask_for_many_handles(Session& s, VkPipelineLayout layout) {
  LOAD(s, vkCreateRayTracingPipelinesKHR);
  LOAD(s, vkGetRayTracingShaderGroupHandlesKHR);
  constexpr std::uint32_t many = 24;
  const VkPipelineShaderStageCreateInfo stages[2] = {
      ray_stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, shader(s, scene_rgen_spv)),
      ray_stage(VK_SHADER_STAGE_MISS_BIT_KHR, shader(s, scene_rmiss_spv))};
  std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups(many,
                                                           group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 1));
  groups[0] = group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 0);
  const VkRayTracingPipelineCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                               .stageCount = 2,
                                               .pStages = stages,
                                               .groupCount = many,
                                               .pGroups = groups.data(),
                                               .maxPipelineRayRecursionDepth = 1,
                                               .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateRayTracingPipelinesKHR(s.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  keep(s, vkDestroyPipeline, pipeline);
  std::vector<std::uint8_t> handles(many * limits_of(s).shaderGroupHandleSize);
  CHECK(vkGetRayTracingShaderGroupHandlesKHR(s.device, pipeline, 0, many, handles.size(), handles.data()));
  EXPECT(s, std::any_of(handles.begin(), handles.end(), [](std::uint8_t byte) { return byte != 0; }));
}

}  // namespace

int main() {
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .accelerationStructure = VK_TRUE};
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipelines{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
      .pNext = &structures,
      .rayTracingPipeline = VK_TRUE,
      .rayTracingPipelineTraceRaysIndirect = VK_TRUE};
  VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR maintenance{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR, &pipelines, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &maintenance,
                                       .bufferDeviceAddress = VK_TRUE};
  Wanted wanted;
  wanted.features = &v12;
  wanted.extensions = kRayExtensions;
  for (const char* one : {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME,
                          VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME})
    wanted.extensions.push_back(one);
  Session s = open("ray_pipelines", wanted);

  const float corners[9] = {-1, -1, 0, 1, -1, 0, -1, 1, 0};
  const Addressed vertices = addressed_of(s, kBuildInput, corners);
  Accelerated shape, scene;
  build(s, {.geometries = {triangles(vertices, 3)}, .counts = {1}}, shape);
  VkAccelerationStructureInstanceKHR placed[2] = {instance_of(shape, -2, 5), instance_of(shape, 2, 6)};
  placed[1].instanceShaderBindingTableRecordOffset = 1;
  const Addressed where = addressed_of(s, kBuildInput, placed);
  build(s, {.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, .geometries = {instances(where)}, .counts = {2}},
        scene);
  run(s);

  LOAD(s, vkCreateDeferredOperationKHR);
  LOAD(s, vkDestroyDeferredOperationKHR);
  LOAD(s, vkGetDeferredOperationMaxConcurrencyKHR);
  VkDeferredOperationKHR deferred;
  CHECK(vkCreateDeferredOperationKHR(s.device, nullptr, &deferred));
  (void)vkGetDeferredOperationMaxConcurrencyKHR(s.device, deferred);
  constexpr VkShaderStageFlags all_stages = VK_SHADER_STAGE_RAYGEN_BIT_KHR;
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, all_stages, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, all_stages, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  bool was_deferred = false;
  const VkPipeline pipeline = create_pipeline(s, layout, deferred, was_deferred);
  vkDestroyDeferredOperationKHR(s.device, deferred, nullptr);
  ask_for_many_handles(s, layout);

  const std::uint32_t stored[2] = {100, 200};
  const Addressed values = addressed_of(s, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, stored);
  const Tables tables = create_tables(s, pipeline, {1000, 2000, values.address, values.address + 4});
  const MappedBuffer seen = buffer(s, kSide * kSide * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSet set =
      create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_accelerated(s, set, 0, scene);
  write_buffer(s, set, 1, seen);

  LOAD(s, vkGetRayTracingShaderGroupStackSizeKHR);
  LOAD(s, vkCmdSetRayTracingPipelineStackSizeKHR);
  LOAD(s, vkCmdTraceRaysKHR);
  LOAD(s, vkCmdTraceRaysIndirectKHR);
  LOAD(s, vkCmdTraceRaysIndirect2KHR);
  const VkDeviceSize deepest =
      vkGetRayTracingShaderGroupStackSizeKHR(s.device, pipeline, 0, VK_SHADER_GROUP_SHADER_GENERAL_KHR) +
      vkGetRayTracingShaderGroupStackSizeKHR(s.device, pipeline, 2, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR);
  const VkTraceRaysIndirectCommandKHR size[1] = {{kSide, kSide, 1}};
  const Addressed indirect = addressed_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, size);
  const VkTraceRaysIndirectCommand2KHR with_tables[1] = {command_of(tables, kSide, kSide)};
  const Addressed indirect2 = addressed_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, with_tables);
  for (int way = 0; way < 3; ++way) {
    values.words[0] = 100 + static_cast<std::uint32_t>(way);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, layout, 0, 1, &set, 0, nullptr);
    vkCmdSetRayTracingPipelineStackSizeKHR(s.cmd, static_cast<std::uint32_t>(deepest) + 256);
    const auto& t = tables.at;
    if (way == 0) vkCmdTraceRaysKHR(s.cmd, &t[0], &t[1], &t[2], &t[3], kSide, kSide, 1);
    if (way == 1) vkCmdTraceRaysIndirectKHR(s.cmd, &t[0], &t[1], &t[2], &t[3], indirect.address);
    if (way == 2) vkCmdTraceRaysIndirect2KHR(s.cmd, indirect2.address);
    run(s);
    add(s, seen);
    std::uint32_t missed = 0, left = 0, right = 0;
    for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
      missed += seen.words[i] == 1000 + 2001 ? 1 : 0;
      left += seen.words[i] == 1000 + 105 + static_cast<std::uint32_t>(way) ? 1 : 0;
      right += seen.words[i] == 1000 + 206 ? 1 : 0;
    }
    EXPECT(s, missed > 0 && left > 0 && right > 0 && missed + left + right == kSide * kSide);
  }
  return finish(s);
}
