// SPDX-License-Identifier: Apache-2.0
// Layouts and sets of generated commands that lie; and what came with them: wider flags, code in chains.
#include "tests/unit/player_generated.h"

#ifdef VK_EXT_device_generated_commands

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

using HostileGenerated = test::GeneratedCommands;
class HostileGeneratedMeshes : public test::GeneratedCommands {
 protected:
  HostileGeneratedMeshes() : GeneratedCommands({VK_EXT_MESH_SHADER_EXTENSION_NAME}) {}
};

TEST_F(HostileGenerated, DispatchesAreMadeOfWhatIsThere) {
  info.sequenceCountAddress = kCount;
  execute();
  accepts();
}
TEST_F(HostileGenerated, DispatchesArePreprocessedAndThenMade) {
  layout_info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
  const VkCommandBuffer cmd = execute(VK_TRUE, true);
  end(cmd);
  submit({cmd});
  accepts();
}

TEST_F(HostileGenerated, TokensStayWithinTheirSequence) {
  layout_info.indirectStride = 16;
  commands_layout();
  refuses("token 2: reads 12 bytes at 8 of a sequence, which has 16");
}
TEST_F(HostileGenerated, TokensFollowOneAnother) {
  tokens[1].offset = 12;
  commands_layout();
  refuses("token 2: stands before the token that it follows");
}
TEST_F(HostileGenerated, TokensAreOfWords) {
  tokens[1].offset = 5;
  commands_layout();
  refuses("token 1: offset is no multiple of 4");
}
TEST_F(HostileGenerated, TheLastTokenIsTheAction) {
  tokens.pop_back();
  commands_layout();
  refuses("token 1: is the last token, and no action");
}
TEST_F(HostileGenerated, ThereIsOneAction) {
  tokens[1] = token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 4);
  commands_layout();
  refuses("token 1: is an action, and not the last token");
}
TEST_F(HostileGenerated, LayoutsHaveTokens) {
  tokens.clear();
  commands_layout();
  refuses("has no tokens");
}
TEST_F(HostileGenerated, ActionsAreOfTheStagesThatTheLayoutSays) {
  layout_info.shaderStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  tokens.erase(tokens.begin());
  commands_layout();
  refuses("token 1: is an action of other stages than shaderStages");
}
TEST_F(HostileGenerated, MeshesAreDrawnAsTheDeviceCan) {
  draw_meshes(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT);
  refuses("token 0: draws meshes without VK_EXT_mesh_shader");
}
TEST_F(HostileGeneratedMeshes, AreDrawn) {
  draw_meshes(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT);
  accepts();
}
TEST_F(HostileGeneratedMeshes, AreNotDrawnAsNoProgramCan) {
  draw_meshes(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV_EXT);
  refuses("token 0: draws meshes as VK_NV_mesh_shader does, which is not replayed");
}
TEST_F(HostileGeneratedMeshes, AreCountedAsTheyAreDrawn) {
  draw_meshes(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_NV_EXT);
  refuses("token 0: draws meshes as VK_NV_mesh_shader does, which is not replayed");
}
TEST_F(HostileGenerated, TheSetIsChosenFromFirst) {
  std::swap(tokens[0], tokens[1]);
  std::swap(tokens[0].offset, tokens[1].offset);
  commands_layout();
  refuses("behind the first token");
}
TEST_F(HostileGenerated, OnlyStagesOfTheLayoutAreChosen) {
  const VkIndirectCommandsExecutionSetTokenEXT other{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                     VK_SHADER_STAGE_VERTEX_BIT};
  tokens[0].data.pExecutionSet = &other;
  commands_layout();
  refuses("token 0: chooses shaders of other stages than shaderStages");
}
TEST_F(HostileGenerated, TokensHaveTheirData) {
  tokens[1].data.pPushConstant = nullptr;
  commands_layout();
  refuses("token 1: pPushConstant is null");
}
TEST_F(HostileGenerated, PushedConstantsHaveALayout) {
  layout_info.pipelineLayout = VK_NULL_HANDLE;
  commands_layout();
  refuses("pushes constants without a pipeline layout");
}
TEST_F(HostileGenerated, NoDeviceHasSoManyConstants) {
  word.updateRange = {VK_SHADER_STAGE_COMPUTE_BIT, 1u << 30, 4};
  commands_layout();
  refuses("pushes to more bytes than any device has");
}
TEST_F(HostileGenerated, DispatchesReadNoIndices) {
  tokens.insert(tokens.begin() + 1, token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT, 4));
  tokens[1].data.pIndexBuffer = &index_mode;
  tokens[2].offset = 20;
  tokens[3].offset = 24;
  layout_info.indirectStride = 36;
  commands_layout();
  refuses("binds buffers that its action does not read");
}

TEST_F(HostileGenerated, SetsBeginWithAPipeline) {
  set_info.maxPipelineCount = 0;
  execution_set();
  refuses("has room for 0, and begins with 1");
}
TEST_F(HostileGenerated, SetsAreWrittenWhereTheyAre) {
  update(execution_set(), 2, pipeline);
  refuses("writes 2 of VkIndirectExecutionSetEXT#0, which has 2");
}
TEST_F(HostileGenerated, SetsOfShadersAreWrittenWithShaders) {
  const auto set = execution_set();
  auto write = of_type<VkWriteIndirectExecutionSetShaderEXT>(VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT);
  write.shader = shader(VK_SHADER_STAGE_COMPUTE_BIT);
  capture.call(CommandId::vkUpdateIndirectExecutionSetShaderEXT,
               args_vkUpdateIndirectExecutionSetShaderEXT{kDevice, set, 1, &write});
  refuses("VkIndirectExecutionSetEXT#0 is one of pipelines");
}

// Flags in the chain are those that count: the member says that this is a library.
TEST_F(HostileGenerated, WiderFlagsTakeThePlaceOfTheMember) {
  auto wide = of_type<VkPipelineCreateFlags2CreateInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  wide.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  auto create_info = of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  create_info.pNext = &wide;
  auto made = fresh<VkPipeline>();
  capture.call(CommandId::vkCreateGraphicsPipelines,
               args_vkCreateGraphicsPipelines{kDevice, VK_NULL_HANDLE, 1, &create_info, nullptr, &made}, ok());
  capture.call(CommandId::vkCmdBindPipeline,
               args_vkCmdBindPipeline{recording(), VK_PIPELINE_BIND_POINT_GRAPHICS, made});
  refuses("is only a part of a pipeline");
}
TEST_F(HostileGenerated, IndicesStayWithinTheSizeThatIsBound) {
  const VkCommandBuffer cmd = recording();
  capture.call(CommandId::vkCmdBindIndexBuffer2KHR,
               args_vkCmdBindIndexBuffer2{cmd, buffer(16), 8, 16, VK_INDEX_TYPE_UINT16});
  refuses("buffer has 16 bytes at 8");
}
// A stage of a module has none in its chain, and one without has.
TEST_F(HostileGenerated, ChainedCodeIsSpirV) {
  const std::uint32_t code[5] = {1};
  auto module = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module.codeSize = sizeof code;
  module.pCode = code;
  auto create_info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  create_info.stage = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  create_info.stage.pNext = &module;
  create_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create_info.stage.pName = "main";
  create_info.layout = pipeline_layout;
  auto made = fresh<VkPipeline>();
  capture.call(CommandId::vkCreateComputePipelines,
               args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &create_info, nullptr, &made}, ok());
  refuses("pCode is not SPIR-V");
}

}  // namespace
}  // namespace rondo::player

#endif
