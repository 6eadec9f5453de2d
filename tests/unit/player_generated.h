// SPDX-License-Identifier: Apache-2.0
// What the tests of commands share that a device makes of what it finds in memory.
#pragma once

#include "player/devices/preflight.h"
#include "tests/unit/player_descriptors.h"

#ifdef VK_EXT_device_generated_commands

namespace rondo::test {

inline constexpr VkPhysicalDeviceBufferDeviceAddressFeatures kAddresses{
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, nullptr, VK_TRUE, VK_FALSE, VK_FALSE};

// Two sequences: a pipeline of a set, a word that is pushed, and a dispatch.
class GeneratedCommands : public Descriptors {
 protected:
  static constexpr VkDeviceAddress kData = 0x100000, kRoom = 0x200000, kCount = 0x300000;
  static constexpr VkDeviceSize kRoomBytes = 1024;

  explicit GeneratedCommands(const std::vector<const char*>& extensions = {})
      : Descriptors(VK_API_VERSION_1_3, &kAddresses, extensions) {
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

  VkPipeline compute_pipeline(const std::vector<std::uint32_t>& code = {0x07230203, 0, 0, 0, 0}) {
    auto module = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module.codeSize = code.size() * sizeof(std::uint32_t);
    module.pCode = code.data();
    auto create_info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    create_info.stage = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    create_info.stage.pNext = &module;  // in place of a module
    create_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    create_info.stage.pName = "main";
    create_info.layout = pipeline_layout;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &create_info, nullptr, &made}, ok());
    return made;
  }
  VkBuffer addressed(VkDeviceAddress address, VkDeviceSize bytes, VkBufferUsageFlags2KHR usage) {
    auto wide = of_type<VkBufferUsageFlags2CreateInfoKHR>(VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
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
    const auto memory = create<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, allocation);
    capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, memory, 0}, ok());
    auto asked = of_type<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
    asked.buffer = made;
    capture.call(CommandId::vkGetBufferDeviceAddress, args_vkGetBufferDeviceAddress{kDevice, &asked},
                 Call{.result = static_cast<std::int64_t>(address)});
    return made;
  }
  VkIndirectCommandsLayoutEXT commands_layout() {
    layout_info.tokenCount = static_cast<std::uint32_t>(tokens.size());
    layout_info.pTokens = tokens.data();
    return create<VkIndirectCommandsLayoutEXT, args_vkCreateIndirectCommandsLayoutEXT>(
        CommandId::vkCreateIndirectCommandsLayoutEXT, layout_info);
  }
  void draw_meshes(VkIndirectCommandsTokenTypeEXT type) {
    tokens = {token(type, 0)};
    layout_info.shaderStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;
    commands_layout();
  }
  VkShaderEXT shader(VkShaderStageFlagBits stage) {
    const std::uint32_t code[5] = {0x07230203};
    auto create_info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
    create_info.stage = stage;
    create_info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    create_info.codeSize = sizeof code;
    create_info.pCode = code;
    create_info.pName = "main";
    auto made = fresh<VkShaderEXT>();
    capture.call(CommandId::vkCreateShadersEXT, args_vkCreateShadersEXT{kDevice, 1, &create_info, nullptr, &made},
                 ok());
    return made;
  }
  VkIndirectExecutionSetEXT execution_set(const std::vector<VkShaderEXT>& shaders) {
    auto of = of_type<VkIndirectExecutionSetShaderInfoEXT>(VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT);
    of.shaderCount = of.maxShaderCount = static_cast<std::uint32_t>(shaders.size());
    of.pInitialShaders = shaders.data();
    auto create_info =
        of_type<VkIndirectExecutionSetCreateInfoEXT>(VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT);
    create_info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    create_info.info.pShaderInfo = &of;
    return create<VkIndirectExecutionSetEXT, args_vkCreateIndirectExecutionSetEXT>(
        CommandId::vkCreateIndirectExecutionSetEXT, create_info);
  }
  VkIndirectExecutionSetEXT execution_set() {
    auto create_info =
        of_type<VkIndirectExecutionSetCreateInfoEXT>(VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT);
    create_info.info.pPipelineInfo = &set_info;
    return create<VkIndirectExecutionSetEXT, args_vkCreateIndirectExecutionSetEXT>(
        CommandId::vkCreateIndirectExecutionSetEXT, create_info);
  }
  void update(VkIndirectExecutionSetEXT set, std::uint32_t index, VkPipeline to) {
    auto write =
        of_type<VkWriteIndirectExecutionSetPipelineEXT>(VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT);
    write.index = index;
    write.pipeline = to;
    capture.call(CommandId::vkUpdateIndirectExecutionSetPipelineEXT,
                 args_vkUpdateIndirectExecutionSetPipelineEXT{kDevice, set, 1, &write});
  }
  // What `info` does not name yet is made; the pipeline is bound.
  VkCommandBuffer execute(VkBool32 preprocessed = VK_FALSE, bool preprocesses = false) {
    if (info.indirectCommandsLayout == VK_NULL_HANDLE) info.indirectCommandsLayout = commands_layout();
    if (info.indirectExecutionSet == VK_NULL_HANDLE && info.pNext == nullptr)
      info.indirectExecutionSet = execution_set();
    const VkCommandBuffer cmd = recording();
    if (binds)
      capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
    if (preprocesses)
      capture.call(CommandId::vkCmdPreprocessGeneratedCommandsEXT,
                   args_vkCmdPreprocessGeneratedCommandsEXT{cmd, &info, cmd});
    capture.call(CommandId::vkCmdExecuteGeneratedCommandsEXT,
                 args_vkCmdExecuteGeneratedCommandsEXT{cmd, preprocessed, &info});
    return cmd;
  }
  // … in a command buffer of its own, which is not ended.
  VkCommandBuffer preprocess() {
    if (info.indirectCommandsLayout == VK_NULL_HANDLE) info.indirectCommandsLayout = commands_layout();
    if (info.indirectExecutionSet == VK_NULL_HANDLE) info.indirectExecutionSet = execution_set();
    const VkCommandBuffer cmd = recording();
    capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline});
    capture.call(CommandId::vkCmdPreprocessGeneratedCommandsEXT,
                 args_vkCmdPreprocessGeneratedCommandsEXT{cmd, &info, cmd});
    return cmd;
  }
  // Of a device that has enough of everything but constants.
  std::vector<std::string> shortfalls(std::uint32_t constants) {
    if (!built) capture.finish();
    if (!built) built = *build();
    player::LiveDevice device;
    device.properties.limits.maxPushConstantsSize = constants;
    device.properties.limits.maxBoundDescriptorSets = 4;
    device.extensions = {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME};
    device.generated_commands.maxIndirectCommandsTokenCount = 16;
    device.generated_commands.maxIndirectCommandsTokenOffset = 2048;
    device.generated_commands.maxIndirectCommandsIndirectStride = 2048;
    std::vector<std::string> found;
    player::check_limits(*built, 0, device, true, found);
    return found;
  }

  bool binds = true;
  std::unique_ptr<player::Plan> built;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                      VK_SHADER_STAGE_COMPUTE_BIT};
  VkIndirectCommandsPushConstantTokenEXT word{{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4}};
  const VkIndirectCommandsIndexBufferTokenEXT index_mode{VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT};
  static VkIndirectCommandsLayoutTokenEXT token(VkIndirectCommandsTokenTypeEXT type, std::uint32_t offset) {
    return {VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT, nullptr, type, {}, offset};
  }
  std::vector<VkIndirectCommandsLayoutTokenEXT> tokens{token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 0),
                                                       token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 4),
                                                       token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 8)};
  VkIndirectCommandsLayoutCreateInfoEXT layout_info =
      of_type<VkIndirectCommandsLayoutCreateInfoEXT>(VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT);
  VkIndirectExecutionSetPipelineInfoEXT set_info =
      of_type<VkIndirectExecutionSetPipelineInfoEXT>(VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT);
  VkGeneratedCommandsInfoEXT info = of_type<VkGeneratedCommandsInfoEXT>(VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT);
};

}  // namespace rondo::test

#endif
