// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory: layouts, sets and addresses that lie.
#include "player/preflight.h"
#include "tests/unit/player_hostile.h"

#ifdef VK_EXT_device_generated_commands

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

const VkPhysicalDeviceBufferDeviceAddressFeatures kAddresses{
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, nullptr, VK_TRUE, VK_FALSE, VK_FALSE};

// Two sequences: a pipeline of a set, a word that is pushed, and a dispatch.
class HostileGenerated : public test::PlayerHostile {
 protected:
  static constexpr VkDeviceAddress kData = 0x100000, kRoom = 0x200000, kCount = 0x300000;
  static constexpr VkDeviceSize kRoomBytes = 1024;

  HostileGenerated() : PlayerHostile(VK_API_VERSION_1_3, &kAddresses) {
    const VkPipelineLayout layout = create<VkPipelineLayout, args_vkCreatePipelineLayout>(
        CommandId::vkCreatePipelineLayout,
        of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO));
    pipeline_layout = layout;
    pipeline = compute_pipeline();
    info.shaderStages = layout_info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    info.indirectAddress = kData;
    info.indirectAddressSize = 40;
    info.preprocessAddress = kRoom;
    info.preprocessSize = kRoomBytes;
    info.maxSequenceCount = 2;
    layout_info.pipelineLayout = layout;
    layout_info.indirectStride = 20;
    tokens[0].data.pExecutionSet = &chosen;
    tokens[1].data.pPushConstant = &word;
    set_info.initialPipeline = pipeline;
    set_info.maxPipelineCount = 2;
    addressed(kData, 40, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    addressed(kRoom, kRoomBytes, VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT);
    addressed(kCount, 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  }

  VkPipeline compute_pipeline() {
    const std::uint32_t code[5] = {0x07230203};
    auto module = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module.codeSize = sizeof code;
    module.pCode = code;
    auto create_info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    create_info.stage =
        of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    create_info.stage.pNext = &module;  // in place of a module
    create_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    create_info.stage.pName = "main";
    create_info.layout = pipeline_layout;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &create_info, nullptr, &made},
                 ok());
    return made;
  }
  VkBuffer addressed(VkDeviceAddress address, VkDeviceSize bytes, VkBufferUsageFlags2KHR usage) {
    auto wide =
        of_type<VkBufferUsageFlags2CreateInfoKHR>(VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
    wide.usage = usage | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR;
    auto create_info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    create_info.pNext = &wide;
    create_info.size = bytes;
    const auto made = create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, create_info);
    auto flags = of_type<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    auto allocation = of_type<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocation.pNext = &flags;
    allocation.allocationSize = bytes;
    const auto memory =
        create<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, allocation);
    capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, memory, 0}, ok());
    auto asked = of_type<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
    asked.buffer = made;
    capture.call(CommandId::vkGetBufferDeviceAddress, args_vkGetBufferDeviceAddress{kDevice, &asked},
                 test::Call{.result = static_cast<std::int64_t>(address)});
    return made;
  }
  VkIndirectCommandsLayoutEXT commands_layout() {
    layout_info.tokenCount = static_cast<std::uint32_t>(tokens.size());
    layout_info.pTokens = tokens.data();
    return create<VkIndirectCommandsLayoutEXT, args_vkCreateIndirectCommandsLayoutEXT>(
        CommandId::vkCreateIndirectCommandsLayoutEXT, layout_info);
  }
  VkIndirectExecutionSetEXT execution_set() {
    auto create_info = of_type<VkIndirectExecutionSetCreateInfoEXT>(
        VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT);
    create_info.info.pPipelineInfo = &set_info;
    return create<VkIndirectExecutionSetEXT, args_vkCreateIndirectExecutionSetEXT>(
        CommandId::vkCreateIndirectExecutionSetEXT, create_info);
  }
  void update(VkIndirectExecutionSetEXT set, std::uint32_t index, VkPipeline to) {
    auto write = of_type<VkWriteIndirectExecutionSetPipelineEXT>(
        VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT);
    write.index = index;
    write.pipeline = to;
    capture.call(CommandId::vkUpdateIndirectExecutionSetPipelineEXT,
                 args_vkUpdateIndirectExecutionSetPipelineEXT{kDevice, set, 1, &write});
  }
  // What `info` does not name yet is made; the pipeline is bound.
  void execute(VkBool32 preprocessed = VK_FALSE, bool preprocesses = false) {
    if (info.indirectCommandsLayout == VK_NULL_HANDLE) info.indirectCommandsLayout = commands_layout();
    if (info.indirectExecutionSet == VK_NULL_HANDLE && info.pNext == nullptr)
      info.indirectExecutionSet = execution_set();
    const VkCommandBuffer cmd = recording();
    if (binds)
      capture.call(CommandId::vkCmdBindPipeline,
                   args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
    if (preprocesses)
      capture.call(CommandId::vkCmdPreprocessGeneratedCommandsEXT,
                   args_vkCmdPreprocessGeneratedCommandsEXT{cmd, &info, cmd});
    capture.call(CommandId::vkCmdExecuteGeneratedCommandsEXT,
                 args_vkCmdExecuteGeneratedCommandsEXT{cmd, preprocessed, &info});
  }

  bool binds = true;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                      VK_SHADER_STAGE_COMPUTE_BIT};
  VkIndirectCommandsPushConstantTokenEXT word{{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4}};
  const VkIndirectCommandsIndexBufferTokenEXT index_mode{
      VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT};
  static VkIndirectCommandsLayoutTokenEXT token(VkIndirectCommandsTokenTypeEXT type, std::uint32_t offset) {
    return {VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT, nullptr, type, {}, offset};
  }
  std::vector<VkIndirectCommandsLayoutTokenEXT> tokens{
      token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 0),
      token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 4),
      token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 8)};
  VkIndirectCommandsLayoutCreateInfoEXT layout_info = of_type<VkIndirectCommandsLayoutCreateInfoEXT>(
      VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT);
  VkIndirectExecutionSetPipelineInfoEXT set_info = of_type<VkIndirectExecutionSetPipelineInfoEXT>(
      VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT);
  VkGeneratedCommandsInfoEXT info =
      of_type<VkGeneratedCommandsInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT);
};

TEST_F(HostileGenerated, DispatchesAreMadeOfWhatIsThere) {
  info.sequenceCountAddress = kCount;
  execute();
  accepts();
}
TEST_F(HostileGenerated, DispatchesArePreprocessedAndThenMade) {
  layout_info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
  execute(VK_TRUE, true);
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
  commands_layout();
  refuses("token 2: is an action of other stages than shaderStages");
}
TEST_F(HostileGenerated, TheSetIsChosenFromFirst) {
  std::swap(tokens[0], tokens[1]);
  std::swap(tokens[0].offset, tokens[1].offset);
  commands_layout();
  refuses("behind the first token");
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
  const std::uint32_t code[5] = {0x07230203};
  auto create_info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
  create_info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create_info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  create_info.codeSize = sizeof code;
  create_info.pCode = code;
  create_info.pName = "main";
  auto write = of_type<VkWriteIndirectExecutionSetShaderEXT>(
      VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT);
  write.shader = fresh<VkShaderEXT>();
  capture.call(CommandId::vkCreateShadersEXT,
               args_vkCreateShadersEXT{kDevice, 1, &create_info, nullptr, &write.shader}, ok());
  capture.call(CommandId::vkUpdateIndirectExecutionSetShaderEXT,
               args_vkUpdateIndirectExecutionSetShaderEXT{kDevice, set, 1, &write});
  refuses("VkIndirectExecutionSetEXT#0 is one of pipelines");
}

TEST_F(HostileGenerated, WhatChoosesFromASetHasOne) {
  auto of =
      of_type<VkGeneratedCommandsPipelineInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT);
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
  auto shaders =
      of_type<VkGeneratedCommandsShaderInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT);
  info.pNext = &shaders;
  execute();
  refuses("has no shaders");
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
  const auto& args =
      native_block<args_vkCmdExecuteGeneratedCommandsEXT>(**plan, (*plan)->ops.back(), storage);
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
  execute(VK_TRUE);
  refuses("nothing was preprocessed at 0x200000");
}
TEST_F(HostileGenerated, DispatchesStandOutsideOfPasses) {
  info.indirectCommandsLayout = commands_layout();
  info.indirectExecutionSet = execution_set();
  const VkCommandBuffer cmd = recording();
  auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  pass.renderArea = {{0, 0}, {16, 16}};
  pass.layerCount = 1;
  capture.call(CommandId::vkCmdBindPipeline,
               args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
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

// Flags in the chain are those that count: the member says that this is a library.
TEST_F(HostileGenerated, WiderFlagsTakeThePlaceOfTheMember) {
  auto wide =
      of_type<VkPipelineCreateFlags2CreateInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  wide.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  auto create_info = of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  create_info.pNext = &wide;
  auto made = fresh<VkPipeline>();
  capture.call(CommandId::vkCreateGraphicsPipelines,
               args_vkCreateGraphicsPipelines{kDevice, VK_NULL_HANDLE, 1, &create_info, nullptr, &made},
               ok());
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
  create_info.stage =
      of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
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
