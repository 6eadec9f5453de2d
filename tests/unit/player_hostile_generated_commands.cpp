// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory: addresses, sets and states that lie.
#include "tests/unit/player_generated.h"

#ifdef VK_EXT_device_generated_commands

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

using HostileGenerated = test::GeneratedCommands;

TEST_F(HostileGenerated, WhatChoosesFromASetHasOne) {
  auto of = of_type<VkGeneratedCommandsPipelineInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT);
  of.pipeline = pipeline;
  info.pNext = &of;
  execute();
  refuses("chooses from a set, and there is none");
}
TEST_F(HostileGenerated, WhatDoesNotChooseHasNoSet) {
  tokens.erase(tokens.begin());
  execute();
  refuses("VkIndirectCommandsLayoutEXT#0 does not choose from a set");
}
TEST_F(HostileGenerated, WhatDoesNotChooseNamesItsPipeline) {
  tokens.erase(tokens.begin());
  auto shaders = of_type<VkGeneratedCommandsShaderInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT);
  info.pNext = &shaders;
  execute();
  refuses("has no shaders");
}

TEST_F(HostileGenerated, SetsHaveShadersOfTheStagesThatAreChosen) {
  constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkIndirectCommandsExecutionSetTokenEXT two{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, kStages};
  tokens = {token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 0),
            token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT, 8)};
  tokens[0].data.pExecutionSet = &two;
  layout_info.shaderStages = info.shaderStages = kStages;
  layout_info.indirectStride = 24;
  info.indirectExecutionSet = execution_set({shader(VK_SHADER_STAGE_VERTEX_BIT)});
  execute();
  refuses("VkIndirectExecutionSetEXT#0 has shaders of other stages than VkIndirectCommandsLayoutEXT#0 chooses");
}

TEST_F(HostileGenerated, SequencesFitTheirData) {
  info.maxSequenceCount = 3;
  execute();
  refuses("indirectAddress has 60 bytes at 0x100000, and no buffer has them there");
}
TEST_F(HostileGenerated, SequencesThatAreCountedAreWhatThereIsRoomFor) {
  info.maxSequenceCount = 1000;
  info.sequenceCountAddress = kCount;
  execute();
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  std::vector<std::byte> storage;
  const auto& args = native_block<args_vkCmdExecuteGeneratedCommandsEXT>(**plan, (*plan)->ops.back(), storage);
  EXPECT_EQ(args.pGeneratedCommandsInfo->maxSequenceCount, 2u);
}
TEST_F(HostileGenerated, ThereAreSequences) {
  info.maxSequenceCount = 0;
  execute();
  refuses("maxSequenceCount is 0");
}
TEST_F(HostileGenerated, DataLiesInABuffer) {
  info.indirectAddress = kData + 4;
  execute();
  refuses("indirectAddress has 40 bytes at 0x100004, and no buffer has them there");
}
TEST_F(HostileGenerated, WhatIsPreprocessedLiesInABuffer) {
  info.preprocessSize = kRoomBytes + 1;
  execute();
  refuses("preprocessAddress has 1025 bytes at 0x200000, and no buffer has them there");
}
TEST_F(HostileGenerated, CountsLieInABuffer) {
  info.sequenceCountAddress = kCount + 4;
  execute();
  refuses("sequenceCountAddress has 4 bytes");
}
TEST_F(HostileGenerated, APipelineIsBound) {
  binds = false;
  execute();
  refuses("no such pipeline is bound");
}
TEST_F(HostileGenerated, WhatIsToBePreprocessedIs) {
  layout_info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
  const VkCommandBuffer cmd = execute(VK_TRUE);
  end(preprocess());  // and never submitted
  end(cmd);
  submit({cmd});
  refuses("vkQueueSubmit: VkCommandBuffer#0 executes what nothing preprocessed");
}
TEST_F(HostileGenerated, WhatIsPreprocessedMayBeRecordedLater) {
  layout_info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
  const VkCommandBuffer cmd = execute(VK_TRUE), before = preprocess();
  end(cmd);
  end(before);
  submit({before});
  submit({cmd});
  accepts();
}
TEST_F(HostileGenerated, WhatIsPreprocessedIsForThat) {
  preprocess();
  refuses("VkIndirectCommandsLayoutEXT#0 is not for preprocessing");
}
TEST_F(HostileGenerated, WhatIsExecutedAsPreprocessedIsForThat) {
  execute(VK_TRUE);
  refuses("vkCmdExecuteGeneratedCommandsEXT: VkIndirectCommandsLayoutEXT#0 is not for preprocessing");
}
TEST_F(HostileGenerated, WhatIsForPreprocessingIsPreprocessed) {
  layout_info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
  execute();
  refuses("VkIndirectCommandsLayoutEXT#0 is for preprocessing, and nothing is preprocessed");
}
// … in which one may have a descriptor that no sequence reaches, as long as it is not the bound one.
TEST_F(HostileGenerated, PipelinesOfASetNeedNotReachWhatTheyDeclare) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkPipeline reaches = compute_pipeline({0x07230203,   0, 0,  8,  0,  // the header
                                               4 << 16 | 71, 5, 34, 0,      // %5 is of set 0
                                               4 << 16 | 71, 5, 33, 0,      // … and binding 0
                                               4 << 16 | 59, 2, 5,  12,     // %5 is a variable
                                               5 << 16 | 54, 1, 6,  0,  3,  // a function
                                               4 << 16 | 61, 4, 7,  5});    // that loads it
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet bound = set(set_pool(kType), of);
  const VkBuffer what = buffer(64);
  write_set(bound, kType, what, 64);
  info.indirectCommandsLayout = commands_layout();
  info.indirectExecutionSet = execution_set();
  update(info.indirectExecutionSet, 1, reaches);
  const VkCommandBuffer cmd = recording();
  capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
  bind_set(cmd, layout(of), bound, VK_PIPELINE_BIND_POINT_COMPUTE);
  capture.call(CommandId::vkCmdExecuteGeneratedCommandsEXT,
               args_vkCmdExecuteGeneratedCommandsEXT{cmd, VK_FALSE, &info});
  end(cmd);
  destroy(what);
  submit({cmd});
  accepts();
}

TEST_F(HostileGenerated, WhatChoosesPipelinesLeavesNoneBound) {
  const VkCommandBuffer cmd = execute();
  capture.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{cmd, 1, 1, 1});
  refuses("vkCmdDispatch: no compute pipeline is bound");
}
TEST_F(HostileGenerated, WhatBringsIndicesLeavesNoneBound) {
  const VkShaderEXT vertex = shader(VK_SHADER_STAGE_VERTEX_BIT);
  constexpr VkShaderStageFlagBits kStage = VK_SHADER_STAGE_VERTEX_BIT;
  auto of = of_type<VkGeneratedCommandsShaderInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT);
  of.shaderCount = 1;
  of.pShaders = &vertex;
  tokens = {token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT, 0),
            token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 16)};
  tokens[0].data.pIndexBuffer = &index_mode;
  layout_info.shaderStages = info.shaderStages = kStage;
  layout_info.indirectStride = 36;
  info.pNext = &of;
  info.maxSequenceCount = 1;
  info.indirectCommandsLayout = commands_layout();
  const VkBuffer indices = buffer(64);
  const VkCommandBuffer cmd = recording();
  auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  pass.renderArea = {{0, 0}, {16, 16}};
  pass.layerCount = 1;
  capture.call(CommandId::vkCmdBindShadersEXT, args_vkCmdBindShadersEXT{cmd, 1, &kStage, &vertex});
  capture.call(CommandId::vkCmdBindIndexBuffer, args_vkCmdBindIndexBuffer{cmd, indices, 0, VK_INDEX_TYPE_UINT16});
  capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{cmd, &pass});
  capture.call(CommandId::vkCmdDrawIndexed, args_vkCmdDrawIndexed{cmd, 3, 1, 0, 0, 0});
  capture.call(CommandId::vkCmdExecuteGeneratedCommandsEXT,
               args_vkCmdExecuteGeneratedCommandsEXT{cmd, VK_FALSE, &info});
  capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{cmd, 3, 1, 0, 0});
  capture.call(CommandId::vkCmdDrawIndexed, args_vkCmdDrawIndexed{cmd, 3, 1, 0, 0, 0});
  refuses("vkCmdDrawIndexed: no index buffer is bound");
}

TEST_F(HostileGenerated, DispatchesStandOutsideOfPasses) {
  info.indirectCommandsLayout = commands_layout();
  info.indirectExecutionSet = execution_set();
  const VkCommandBuffer cmd = recording();
  auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  pass.renderArea = {{0, 0}, {16, 16}};
  pass.layerCount = 1;
  capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
  capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{cmd, &pass});
  capture.call(CommandId::vkCmdExecuteGeneratedCommandsEXT,
               args_vkCmdExecuteGeneratedCommandsEXT{cmd, VK_FALSE, &info});
  refuses("stands within a render pass");
}

TEST_F(HostileGenerated, DevicesAreAskedForTheirLimits) {
  execute();
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  LiveDevice device;
  device.properties.limits.maxPushConstantsSize = 128;
  std::vector<std::string> found;
  check_limits(**plan, 0, device, true, found);
  EXPECT_EQ(found, std::vector<std::string>{}) << "what lacks the extension is told so";
  device.extensions = {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME};
  device.generated_commands.maxIndirectCommandsTokenCount = 3;
  device.generated_commands.maxIndirectCommandsTokenOffset = 4;
  device.generated_commands.maxIndirectCommandsIndirectStride = 20;
  device.generated_commands.maxIndirectPipelineCount = 1;
  device.generated_commands.maxIndirectSequenceCount = 2;
  check_limits(**plan, 0, device, true, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("maxIndirectCommandsTokenOffset of 8 (it has 4"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("maxIndirectPipelineCount of 2 (it has 1"), std::string::npos) << found[1];
}

TEST_F(HostileGenerated, TokensPushWithinTheConstantsOfTheDevice) {
  tokens.insert(tokens.begin() + 2, token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT, 8));
  const VkIndirectCommandsPushConstantTokenEXT index{{VK_SHADER_STAGE_COMPUTE_BIT, 124, 4}};
  tokens[2].data.pPushConstant = &index;
  commands_layout();
  EXPECT_EQ(shortfalls(128), std::vector<std::string>{});
  const std::vector<std::string> found = shortfalls(64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("maxPushConstantsSize of 128 (it has 64"), std::string::npos) << found[0];
}

TEST_F(HostileGenerated, LayoutsToldByParametersStayWithinTheLimits) {
  const std::vector<VkDescriptorSetLayout> sets(5, set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 256};
  const VkPipelineLayoutCreateInfo told{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 5, sets.data(), 1, &range};
  layout_info.pipelineLayout = VK_NULL_HANDLE;
  layout_info.pNext = &told;
  commands_layout();
  const std::vector<std::string> found = shortfalls(128);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("maxBoundDescriptorSets of 5 (it has 4"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("maxPushConstantsSize of 256 (it has 128"), std::string::npos) << found[1];
}
TEST_F(HostileGenerated, LayoutsToldByParametersHaveTheirSets) {
  const VkDescriptorSetLayout none = VK_NULL_HANDLE;
  const VkPipelineLayoutCreateInfo told{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &none, 0, nullptr};
  layout_info.pipelineLayout = VK_NULL_HANDLE;
  layout_info.pNext = &told;
  commands_layout();
  refuses("vkCreateIndirectCommandsLayoutEXT: layout 0 is null");
}

}  // namespace
}  // namespace rondo::player

#endif
