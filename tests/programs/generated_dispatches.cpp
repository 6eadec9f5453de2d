// SPDX-License-Identifier: Apache-2.0
// Dispatches that the device makes of what it finds in memory: with a pipeline from a set for
// each sequence, push constants, the sequence's index and a count that a shader writes; with
// and without a command that preprocesses them.
#include "generated.comp.h"
#include "generated.h"

#ifdef VK_EXT_device_generated_commands

using namespace program;

namespace {

constexpr std::uint32_t kSequences = 6, kPipelines = 3;
constexpr VkPushConstantRange kPushed{VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};

struct Scene {
  Generated g;
  Wide out;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipeline pipelines[kPipelines] = {};
  std::uint32_t expected[64] = {};
};

// Without a module: its code is chained to the stage. Its flags are wider than the member.
VkPipeline create_bindable(Session& s, VkPipelineLayout layout, std::uint32_t factor) {
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                      sizeof generated_comp_spv, generated_comp_spv};
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &factor};
  const VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                 VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .pNext = &wide,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &code, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE, "main", &constants},
                                         .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

Scene create_scene(Session& s) {
  Scene scene;
  scene.g = load_generated(s);
  scene.out = create_wide(s, sizeof scene.expected, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR);
  scene.set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  scene.layout = create_layout(s, {scene.set_layout}, {kPushed});
  scene.set = create_set(s, scene.set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_buffer(s, scene.set, 0, scene.out);
  for (std::uint32_t i = 0; i < kPipelines; ++i) scene.pipelines[i] = create_bindable(s, scene.layout, i + 1);
  return scene;
}

// What one run of a sequence leaves.
void expect(Scene& scene, std::uint32_t factor, std::uint32_t first, std::uint32_t sequence, std::uint32_t groups) {
  for (std::uint32_t i = 0; i < groups; ++i) scene.expected[first + i] += factor * 1000 + sequence * 10 + groups;
}

void check(Session& s, const Scene& scene) {
  EXPECT(s, std::memcmp(scene.out.words, scene.expected, sizeof scene.expected) == 0);
  add(s, scene.out);
}

void bind(Session& s, const Scene& scene) {
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.pipelines[0]);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.layout, 0, 1, &scene.set, 0, nullptr);
}

VkIndirectExecutionSetEXT create_pipelines_set(Session& s, Scene& scene) {
  const VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT, nullptr,
                                                 scene.pipelines[0], kPipelines};
  const VkIndirectExecutionSetCreateInfoEXT info{.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
                                                 .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                 .info = {.pPipelineInfo = &of}};
  VkIndirectExecutionSetEXT made;
  CHECK(scene.g.create_set(s.device, &info, nullptr, &made));
  return keep(s, scene.g.destroy_set, made);
}

void put(Session& s, Scene& scene, VkIndirectExecutionSetEXT set, std::uint32_t index, std::uint32_t pipeline) {
  const VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
                                                     nullptr, index, scene.pipelines[pipeline]};
  scene.g.update_pipelines(s.device, set, 1, &write);
}

// A pipeline of the set for each sequence. Indirect data, room to preprocess and a count share
// one memory, which is mapped all along.
void choose_pipelines(Session& s, Scene& scene) {
  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                      VK_SHADER_STAGE_COMPUTE_BIT};
  const VkIndirectCommandsPushConstantTokenEXT first{{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4}},
      index{{VK_SHADER_STAGE_COMPUTE_BIT, 4, 4}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 4, {.pExecutionSet = &chosen});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 4, {.pPushConstant = &first});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT, 0, {.pPushConstant = &index});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 12);
  const VkIndirectExecutionSetEXT set = create_pipelines_set(s, scene);
  put(s, scene, set, 1, 1);
  put(s, scene, set, 2, 2);

  VkGeneratedCommandsInfoEXT info{
      .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
      .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
      .indirectExecutionSet = set,
      .indirectCommandsLayout = create_commands_layout(s, scene.g, tokens, VK_SHADER_STAGE_COMPUTE_BIT, scene.layout),
      .maxSequenceCount = kSequences};
  const VkMemoryRequirements needs = requirements(s, scene.g, info);
  constexpr VkDeviceSize kApart = 4096;
  const Place place = create_place(s, 2 * kApart + needs.size, needs.memoryTypeBits);
  const Wide data = create_wide(s, kSequences * tokens.stride, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, place);
  const Wide room = create_wide(s, needs.size, VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT, place, kApart);
  const Wide count = create_wide(s, 4,
                                 VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR |
                                     VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR,
                                 place, kApart + (needs.size + 255) / 256 * 256);
  info.indirectAddress = data.address;
  info.indirectAddressSize = data.bytes;
  info.preprocessAddress = room.address;
  info.preprocessSize = needs.size;
  info.sequenceCountAddress = count.address;

  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    const std::uint32_t sequences = kSequences - turn;
    for (std::uint32_t i = 0; i < kSequences; ++i) {
      const std::uint32_t words[5] = {(i + turn) % kPipelines, 8 * i, 1 + i, 1, 1};
      std::memcpy(data.words + i * 5, words, sizeof words);
      // In the last turn the set has the first pipeline in place of the last.
      const std::uint32_t pipeline = turn == 2 && words[0] == 2 ? 0 : words[0];
      if (i < sequences) expect(scene, pipeline + 1, 8 * i, i, 1 + i);
    }
    if (turn == 2) put(s, scene, set, 2, 0);
    if (turn == 0)
      count.words[0] = sequences;
    else
      vkCmdUpdateBuffer(s.cmd, count.buffer, 0, 4, &sequences);
    generated_barrier(s.cmd);
    bind(s, scene);
    scene.g.execute(s.cmd, VK_FALSE, &info);
    run(s);
    check(s, scene);
  }
}

// One pipeline for all sequences, preprocessed by a command of its own.
void preprocess(Session& s, Scene& scene) {
  const VkIndirectCommandsPushConstantTokenEXT both{{VK_SHADER_STAGE_COMPUTE_BIT, 0, 8}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 8, {.pPushConstant = &both});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 12);
  // The layout is told by its parameters alone.
  const VkPipelineLayoutCreateInfo described{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &scene.set_layout, 1, &kPushed};
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              scene.pipelines[1]};
  VkGeneratedCommandsInfoEXT info{.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
                                  .pNext = &of,
                                  .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .indirectCommandsLayout = create_commands_layout(
                                      s, scene.g, tokens, VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE,
                                      VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT, &described),
                                  .maxSequenceCount = 2};
  give_room(s, scene.g, info);
  const Wide data = create_wide(s, 2 * tokens.stride,
                                VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR);
  info.indirectAddress = data.address;
  info.indirectAddressSize = data.bytes;
  const std::uint32_t words[10] = {3, 7, 2, 1, 1, 40, 8, 5, 1, 1};
  std::memcpy(data.words, words, sizeof words);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.pipelines[1]);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.layout, 0, 1, &scene.set, 0, nullptr);
  scene.g.preprocess(s.cmd, &info, s.cmd);
  generated_barrier(s.cmd);
  scene.g.execute(s.cmd, VK_TRUE, &info);
  expect(scene, 2, 3, 7, 2);
  expect(scene, 2, 40, 8, 5);
  run(s);
  check(s, scene);
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                      nullptr, VK_TRUE};
  VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, &maintenance, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &generated,
                                       .bufferDeviceAddress = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12, {}};
  Wanted wanted;
  wanted.features = &features;
  wanted.extensions = {"VK_EXT_device_generated_commands", "VK_KHR_maintenance5"};
  Session s = open("generated_dispatches", wanted);
  Scene scene = create_scene(s);
  choose_pipelines(s, scene);
  preprocess(s, scene);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_EXT_device_generated_commands");
}

#endif
