// SPDX-License-Identifier: Apache-2.0
// Rays that the device traces by what it finds in memory: a sequence's pipeline of a set, its
// constants, the addresses of its shader binding tables, in which there are addresses again.
#include <algorithm>

#include "generated.h"
#include "generated.rgen.h"
#include "ray_pipelines.h"
#include "scene.rchit.h"
#include "scene.rmiss.h"

#ifdef VK_EXT_device_generated_commands

using namespace program;

namespace {

constexpr std::uint32_t kPipelines = 2, kSequences = 3, kSide = 8, kRays = 2 * kSide * kSide;
constexpr VkShaderStageFlags kStages =
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;
constexpr VkPushConstantRange kPushed{VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, 8};

struct Scene {
  Generated g;
  Accelerated shape, structure;
  Addressed values;  // one of each sequence and hit
  MappedBuffer seen;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipeline pipelines[kPipelines] = {};
};

// What a sequence has in memory.
struct Sequence {
  std::uint32_t pipeline, first;
  VkTraceRaysIndirectCommand2KHR rays;
};

VkPipeline create_bindable(Session& s, VkPipelineLayout layout, std::uint32_t factor) {
  LOAD(s, vkCreateRayTracingPipelinesKHR);
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &factor};
  VkPipelineShaderStageCreateInfo stages[3] = {
      ray_stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, shader(s, generated_rgen_spv)),
      ray_stage(VK_SHADER_STAGE_MISS_BIT_KHR, shader(s, scene_rmiss_spv)),
      ray_stage(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, shader(s, scene_rchit_spv))};
  stages[0].pSpecializationInfo = &constants;
  const VkRayTracingShaderGroupCreateInfoKHR groups[kGroups] = {
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 0), group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 1),
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, 2),
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, 2)};
  const VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                 VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT};
  const VkRayTracingPipelineCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                               .pNext = &wide,
                                               .stageCount = 3,
                                               .pStages = stages,
                                               .groupCount = kGroups,
                                               .pGroups = groups,
                                               .maxPipelineRayRecursionDepth = 1,
                                               .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateRayTracingPipelinesKHR(s.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

// A triangle twice, with a record each.
void build_structures(Session& s, Scene& scene) {
  const float corners[9] = {-1, -1, 0, 1, -1, 0, -1, 1, 0};
  const Addressed vertices = addressed_of(s, kBuildInput, corners);
  build(s, {.geometries = {triangles(vertices, 3)}, .counts = {1}}, scene.shape);
  VkAccelerationStructureInstanceKHR placed[2] = {instance_of(scene.shape, -2, 5), instance_of(scene.shape, 2, 6)};
  placed[1].instanceShaderBindingTableRecordOffset = 1;
  const Addressed where = addressed_of(s, kBuildInput, placed);
  build(s, {.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, .geometries = {instances(where)}, .counts = {2}},
        scene.structure);
  run(s);
}

Scene create_scene(Session& s) {
  Scene scene;
  scene.g = load_generated(s);
  build_structures(s, scene);
  const std::uint32_t values[2 * kSequences] = {100, 200, 300, 400, 500, 600};
  scene.values = addressed_of(s, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, values);
  scene.seen = buffer(s, kSequences * kRays * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  constexpr VkShaderStageFlags raygen = VK_SHADER_STAGE_RAYGEN_BIT_KHR;
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, raygen, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, raygen, nullptr}});
  scene.layout = create_layout(s, {set_layout}, {kPushed});
  scene.set =
      create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_accelerated(s, scene.set, 0, scene.structure);
  write_buffer(s, scene.set, 1, scene.seen);
  for (std::uint32_t i = 0; i < kPipelines; ++i) scene.pipelines[i] = create_bindable(s, scene.layout, i + 1);
  return scene;
}

VkIndirectExecutionSetEXT create_pipelines_set(Session& s, const Scene& scene) {
  const VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT, nullptr,
                                                 scene.pipelines[0], kPipelines};
  const VkIndirectExecutionSetCreateInfoEXT info{.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
                                                 .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                 .info = {.pPipelineInfo = &of}};
  VkIndirectExecutionSetEXT set;
  CHECK(scene.g.create_set(s.device, &info, nullptr, &set));
  const VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
                                                     nullptr, 1, scene.pipelines[1]};
  scene.g.update_pipelines(s.device, set, 1, &write);
  return keep(s, scene.g.destroy_set, set);
}

std::size_t count(const std::uint32_t* words, std::uint32_t size, std::uint32_t value) {
  return static_cast<std::size_t>(std::count(words, words + size, value));
}

// What `pipeline` has traced in a sequence: each ray has missed or hit one of the two, and some
// have each.
void expect_traced(Session& s, const Scene& scene, std::uint32_t sequence, std::uint32_t pipeline, std::uint32_t rays) {
  const std::uint32_t* words = scene.seen.words + sequence * kRays;
  const std::uint32_t* values = scene.values.words + 2 * sequence;
  const std::uint32_t base = (pipeline + 1) * 100000 + sequence * 10000 + 1000 * sequence;
  const std::size_t missed = count(words, rays, base + 2001), left = count(words, rays, base + values[0] + 5),
                    right = count(words, rays, base + values[1] + 6);
  EXPECT(s, missed > 0 && left > 0 && right > 0 && missed + left + right == rays);
  EXPECT(s, count(words + rays, kRays - rays, 0) == kRays - rays);
}

void trace(Session& s, Scene& scene, bool chosen) {
  const VkIndirectCommandsExecutionSetTokenEXT of_set{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kStages};
  const VkIndirectCommandsPushConstantTokenEXT first{{VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, 4}},
      index{{VK_SHADER_STAGE_RAYGEN_BIT_KHR, 4, 4}};
  Tokens tokens;
  if (chosen)
    tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 4, {.pExecutionSet = &of_set});
  else
    tokens.stride = 4;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 4, {.pPushConstant = &first});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT, 0, {.pPushConstant = &index});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_TRACE_RAYS2_EXT, sizeof(VkTraceRaysIndirectCommand2KHR));

  Sequence sequences[kSequences];
  for (std::uint32_t i = 0; i < kSequences; ++i) {
    const std::uint32_t pipeline = chosen ? i % kPipelines : 1;
    const VkDeviceAddress value = scene.values.address + 8 * i;
    const Tables tables = create_tables(s, scene.pipelines[pipeline], {1000 * i, 2000, value, value + 4});
    sequences[i] = {pipeline, i * kRays, command_of(tables, kSide, i == 1 ? kSide : 2 * kSide)};
  }
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  const VkGeneratedCommandsPipelineInfoEXT of_pipeline{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                                       scene.pipelines[1]};
  VkGeneratedCommandsInfoEXT info{
      .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
      .pNext = chosen ? nullptr : &of_pipeline,
      .shaderStages = kStages,
      .indirectCommandsLayout = create_commands_layout(s, scene.g, tokens, kStages, scene.layout),
      .indirectAddress = data.address,
      .indirectAddressSize = data.bytes,
      .maxSequenceCount = kSequences};
  if (chosen) info.indirectExecutionSet = create_pipelines_set(s, scene);
  give_room(s, scene.g, info);
  std::memset(scene.seen.words, 0, scene.seen.bytes);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene.pipelines[chosen ? 0 : 1]);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene.layout, 0, 1, &scene.set, 0, nullptr);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  run(s);
  for (std::uint32_t i = 0; i < kSequences; ++i)
    expect_traced(s, scene, i, sequences[i].pipeline, sequences[i].rays.width * sequences[i].rays.height);
  add(s, scene.seen);
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                       nullptr, VK_TRUE};
  VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, &maintenance5, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
      .pNext = &generated,
      .accelerationStructure = VK_TRUE};
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipelines{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
      .pNext = &structures,
      .rayTracingPipeline = VK_TRUE};
  VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR maintenance1{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR, &pipelines, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &maintenance1,
                                       .bufferDeviceAddress = VK_TRUE};
  Wanted wanted;
  wanted.features = &v12;
  wanted.extensions = kRayExtensions;
  for (const char* one : {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME,
                          "VK_EXT_device_generated_commands", "VK_KHR_maintenance5"})
    wanted.extensions.push_back(one);
  Session s = open("generated_rays", wanted);
  Scene scene = create_scene(s);
  trace(s, scene, false);
  trace(s, scene, true);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_EXT_device_generated_commands");
}

#endif
