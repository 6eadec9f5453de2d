// SPDX-License-Identifier: Apache-2.0
// Numbers of the capture that are beyond what the target can count to.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "player/devices/preflight.h"

namespace rondo::player {

namespace {

std::uint64_t end_of(std::int32_t offset, std::uint32_t size) {
  return std::uint64_t{static_cast<std::uint32_t>(std::max(offset, 0))} + size;
}
std::uint64_t end_of(const VkPushConstantRange& range) { return std::uint64_t{range.offset} + range.size; }

template <class Need>
void check_vertex_input(const VkPipelineVertexInputStateCreateInfo& input, const VkPhysicalDeviceLimits& limits,
                        const Need& need) {
  for (std::uint32_t i = 0; i < input.vertexBindingDescriptionCount; ++i) {
    const VkVertexInputBindingDescription& binding = input.pVertexBindingDescriptions[i];
    need("maxVertexInputBindings", std::uint64_t{binding.binding} + 1, limits.maxVertexInputBindings);
    need("maxVertexInputBindingStride", binding.stride, limits.maxVertexInputBindingStride);
  }
  for (std::uint32_t i = 0; i < input.vertexAttributeDescriptionCount; ++i) {
    const VkVertexInputAttributeDescription& attribute = input.pVertexAttributeDescriptions[i];
    need("maxVertexInputAttributes", std::uint64_t{attribute.location} + 1, limits.maxVertexInputAttributes);
    need("maxVertexInputAttributeOffset", attribute.offset, limits.maxVertexInputAttributeOffset);
  }
}

// What a layout is made of: a pipeline's, a shader's, or one that is told by its parameters alone.
template <class Info, class Need>
void check_layout(const Info& info, const VkPhysicalDeviceLimits& limits, const Need& need) {
  need("maxBoundDescriptorSets", info.setLayoutCount, limits.maxBoundDescriptorSets);
  for (std::uint32_t i = 0; info.pPushConstantRanges != nullptr && i < info.pushConstantRangeCount; ++i)
    need("maxPushConstantsSize", end_of(info.pPushConstantRanges[i]), limits.maxPushConstantsSize);
}

// What a device makes commands of, and chooses from.
template <class Need>
void check_generated_commands([[maybe_unused]] const Plan& plan, [[maybe_unused]] const Op& op,
                              [[maybe_unused]] const LiveDevice& target,
                              [[maybe_unused]] std::vector<std::byte>& storage, [[maybe_unused]] const Need& need) {
#ifdef VK_EXT_device_generated_commands
  if (!target.has_extension(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME)) return;  // which is said elsewhere
  const VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT& has = target.generated_commands;
  const auto sequences = [&](const VkGeneratedCommandsInfoEXT* info) {
    if (info != nullptr) need("maxIndirectSequenceCount", info->maxSequenceCount, has.maxIndirectSequenceCount);
  };
  switch (codec::info(op.command).canonical) {
    case CommandId::vkCreateIndirectCommandsLayoutEXT: {
      const auto* info = native_block<args_vkCreateIndirectCommandsLayoutEXT>(plan, op, storage).pCreateInfo;
      if (info == nullptr) return;
      if (const auto* told =
              find_chained<VkPipelineLayoutCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
          told != nullptr)
        check_layout(*told, target.properties.limits, need);
      need("maxIndirectCommandsTokenCount", info->tokenCount, has.maxIndirectCommandsTokenCount);
      need("maxIndirectCommandsIndirectStride", info->indirectStride, has.maxIndirectCommandsIndirectStride);
      for (std::uint32_t i = 0; info->pTokens != nullptr && i < info->tokenCount; ++i) {
        const VkIndirectCommandsLayoutTokenEXT& token = info->pTokens[i];
        need("maxIndirectCommandsTokenOffset", token.offset, has.maxIndirectCommandsTokenOffset);
        if (token.type != VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT &&
            token.type != VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT)
          continue;
        if (const auto* pushed = token.data.pPushConstant; pushed != nullptr)
          need("maxPushConstantsSize", end_of(pushed->updateRange), target.properties.limits.maxPushConstantsSize);
      }
      return;
    }
    case CommandId::vkCreateIndirectExecutionSetEXT: {
      const auto* info = native_block<args_vkCreateIndirectExecutionSetEXT>(plan, op, storage).pCreateInfo;
      if (info == nullptr || info->info.pPipelineInfo == nullptr) return;
      if (info->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT)
        need("maxIndirectPipelineCount", info->info.pPipelineInfo->maxPipelineCount, has.maxIndirectPipelineCount);
      else
        need("maxIndirectShaderObjectCount", info->info.pShaderInfo->maxShaderCount, has.maxIndirectShaderObjectCount);
      return;
    }
    case CommandId::vkCmdPreprocessGeneratedCommandsEXT:
      return sequences(
          native_block<args_vkCmdPreprocessGeneratedCommandsEXT>(plan, op, storage).pGeneratedCommandsInfo);
    case CommandId::vkCmdExecuteGeneratedCommandsEXT:
      return sequences(native_block<args_vkCmdExecuteGeneratedCommandsEXT>(plan, op, storage).pGeneratedCommandsInfo);
    default:
      return;
  }
#endif
}

// The size that a stage asks for; 0: none.
std::uint32_t required_subgroup_size(const VkPipelineShaderStageCreateInfo& stage) {
  const auto* asked = find_chained<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  return asked == nullptr ? 0 : asked->requiredSubgroupSize;
}

}  // namespace

void check_limits(const Plan& plan, std::uint32_t device, const LiveDevice& target, bool captured_here,
                  std::vector<std::string>& shortfalls) {
  const VkPhysicalDeviceLimits& limits = target.properties.limits;
  std::set<std::string> found;  // each kind of shortfall once, with the first place
  const auto need = [&](const Op& op, const char* limit, std::uint64_t wanted, std::uint64_t has) {
    if (wanted <= has || !found.insert(limit).second) return;
    shortfalls.push_back(std::string(limit) + " of " + std::to_string(wanted) + " (it has " + std::to_string(has) +
                         "; record " + std::to_string(op.sequence) + ")");
  };
  // What the program did beyond these the captured device did for it.
  const auto got_away = [&](const Op& op, const char* limit, std::uint64_t wanted, std::uint64_t has) {
    if (!captured_here) need(op, limit, wanted, has);
  };
  const auto aligned = [&](std::uint64_t sequence, const char* limit, std::uint64_t offset, std::uint64_t alignment) {
    if (captured_here || alignment <= 1 || offset % alignment == 0 || !found.insert(limit).second) return;
    shortfalls.push_back(std::string(limit) + " that divides " + std::to_string(offset) + " (it has " +
                         std::to_string(alignment) + "; record " + std::to_string(sequence) + ")");
  };
  const CapturedDevice& captured = plan.devices[device];
  aligned(captured.uniform_offset.sequence, "minUniformBufferOffsetAlignment", captured.uniform_offset.offset,
          limits.minUniformBufferOffsetAlignment);
  aligned(captured.storage_offset.sequence, "minStorageBufferOffsetAlignment", captured.storage_offset.offset,
          limits.minStorageBufferOffsetAlignment);
  if (const std::uint32_t pushed = captured.push_constants; pushed > limits.maxPushConstantsSize) {
    found.insert("maxPushConstantsSize");
    shortfalls.push_back("maxPushConstantsSize of " + std::to_string(pushed) + " (it has " +
                         std::to_string(limits.maxPushConstantsSize) + ")");
  }
  const auto subgroup = [&](const Op& op, const VkPipelineShaderStageCreateInfo& stage) {
    const std::uint32_t size = required_subgroup_size(stage);
    if (size == 0 || target.max_subgroup_size == 0 ||
        (size >= target.min_subgroup_size && size <= target.max_subgroup_size) ||
        !found.insert("requiredSubgroupSize").second)
      return;
    shortfalls.push_back("a requiredSubgroupSize of " + std::to_string(size) + " (it has " +
                         std::to_string(target.min_subgroup_size) + " to " + std::to_string(target.max_subgroup_size) +
                         "; record " + std::to_string(op.sequence) + ")");
  };
  std::vector<std::byte> storage;
  for (const Op& op : plan.ops) {
    if (op.device != device) continue;
    switch (codec::info(op.command).canonical) {
      case CommandId::vkCreateBuffer: {
        const auto* info = native_block<args_vkCreateBuffer>(plan, op, storage).pCreateInfo;
        if (info != nullptr) need(op, "maxBufferSize", info->size, target.max_buffer_size);
        break;
      }
      case CommandId::vkCreateDescriptorSetLayout: {
        const auto* info = native_block<args_vkCreateDescriptorSetLayout>(plan, op, storage).pCreateInfo;
        if (info == nullptr || (info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) == 0) break;
        std::uint64_t pushed = 0;
        for (std::uint32_t i = 0; i < info->bindingCount; ++i) pushed += info->pBindings[i].descriptorCount;
        need(op, "maxPushDescriptors", pushed, target.max_push_descriptors);
        break;
      }
      case CommandId::vkCreatePipelineLayout: {
        const auto* info = native_block<args_vkCreatePipelineLayout>(plan, op, storage).pCreateInfo;
        if (info == nullptr) break;
        check_layout(*info, limits, [&](auto... values) { need(op, values...); });
        break;
      }
#ifdef VK_EXT_shader_object
      case CommandId::vkCreateShadersEXT: {
        const auto& args = native_block<args_vkCreateShadersEXT>(plan, op, storage);
        for (std::uint32_t i = 0; args.pCreateInfos != nullptr && i < args.createInfoCount; ++i)
          check_layout(args.pCreateInfos[i], limits, [&](auto... values) { need(op, values...); });
        break;
      }
#endif
      case CommandId::vkCreateFramebuffer: {
        const auto* info = native_block<args_vkCreateFramebuffer>(plan, op, storage).pCreateInfo;
        if (info == nullptr) break;
        need(op, "maxFramebufferWidth", info->width, limits.maxFramebufferWidth);
        need(op, "maxFramebufferHeight", info->height, limits.maxFramebufferHeight);
        need(op, "maxFramebufferLayers", info->layers, limits.maxFramebufferLayers);
        break;
      }
      case CommandId::vkCreateSampler: {
        const auto* info = native_block<args_vkCreateSampler>(plan, op, storage).pCreateInfo;
        if (info != nullptr && info->anisotropyEnable != VK_FALSE) {
          constexpr float kMost = 1e9f;
          const float wanted = info->maxAnisotropy < kMost ? std::max(info->maxAnisotropy, 0.0f) : kMost;
          const auto has = static_cast<std::uint64_t>(limits.maxSamplerAnisotropy);
          if (std::isfinite(info->maxAnisotropy))
            got_away(op, "maxSamplerAnisotropy", static_cast<std::uint64_t>(wanted), has);
          else
            need(op, "maxSamplerAnisotropy", static_cast<std::uint64_t>(wanted), has);
        }
        break;
      }
      case CommandId::vkCmdDispatch: {
        const auto& args = native_block<args_vkCmdDispatch>(plan, op, storage);
        got_away(op, "maxComputeWorkGroupCount[0]", args.groupCountX, limits.maxComputeWorkGroupCount[0]);
        got_away(op, "maxComputeWorkGroupCount[1]", args.groupCountY, limits.maxComputeWorkGroupCount[1]);
        got_away(op, "maxComputeWorkGroupCount[2]", args.groupCountZ, limits.maxComputeWorkGroupCount[2]);
        break;
      }
      case CommandId::vkCmdDispatchBase: {
        const auto& args = native_block<args_vkCmdDispatchBase>(plan, op, storage);
        const auto end = [](std::uint32_t base, std::uint32_t count) { return std::uint64_t{base} + count; };
        got_away(op, "maxComputeWorkGroupCount[0]", end(args.baseGroupX, args.groupCountX),
                 limits.maxComputeWorkGroupCount[0]);
        got_away(op, "maxComputeWorkGroupCount[1]", end(args.baseGroupY, args.groupCountY),
                 limits.maxComputeWorkGroupCount[1]);
        got_away(op, "maxComputeWorkGroupCount[2]", end(args.baseGroupZ, args.groupCountZ),
                 limits.maxComputeWorkGroupCount[2]);
        break;
      }
      case CommandId::vkCmdBindVertexBuffers: {
        const auto& args = native_block<args_vkCmdBindVertexBuffers>(plan, op, storage);
        need(op, "maxVertexInputBindings", std::uint64_t{args.firstBinding} + args.bindingCount,
             limits.maxVertexInputBindings);
        break;
      }
      case CommandId::vkCmdBindVertexBuffers2: {
        const auto& args = native_block<args_vkCmdBindVertexBuffers2>(plan, op, storage);
        need(op, "maxVertexInputBindings", std::uint64_t{args.firstBinding} + args.bindingCount,
             limits.maxVertexInputBindings);
        for (std::uint32_t i = 0; args.pStrides != nullptr && i < args.bindingCount; ++i)
          need(op, "maxVertexInputBindingStride", args.pStrides[i], limits.maxVertexInputBindingStride);
        break;
      }
      case CommandId::vkCreateGraphicsPipelines: {
        const auto& args = native_block<args_vkCreateGraphicsPipelines>(plan, op, storage);
        for (std::uint32_t i = 0; args.pCreateInfos != nullptr && i < args.createInfoCount; ++i) {
          const VkGraphicsPipelineCreateInfo& info = args.pCreateInfos[i];
          if (info.pVertexInputState != nullptr)
            check_vertex_input(*info.pVertexInputState, limits, [&](auto... values) { need(op, values...); });
          for (std::uint32_t s = 0; info.pStages != nullptr && s < info.stageCount; ++s) subgroup(op, info.pStages[s]);
        }
        break;
      }
      case CommandId::vkCreateComputePipelines: {
        const auto& args = native_block<args_vkCreateComputePipelines>(plan, op, storage);
        for (std::uint32_t i = 0; args.pCreateInfos != nullptr && i < args.createInfoCount; ++i)
          subgroup(op, args.pCreateInfos[i].stage);
        break;
      }
      case CommandId::vkCreateRenderPass: {
        const auto* info = native_block<args_vkCreateRenderPass>(plan, op, storage).pCreateInfo;
        for (std::uint32_t i = 0; info != nullptr && i < info->subpassCount; ++i)
          need(op, "maxColorAttachments", info->pSubpasses[i].colorAttachmentCount, limits.maxColorAttachments);
        break;
      }
      case CommandId::vkCreateRenderPass2: {
        const auto* info = native_block<args_vkCreateRenderPass2>(plan, op, storage).pCreateInfo;
        for (std::uint32_t i = 0; info != nullptr && i < info->subpassCount; ++i)
          need(op, "maxColorAttachments", info->pSubpasses[i].colorAttachmentCount, limits.maxColorAttachments);
        break;
      }
      case CommandId::vkCmdBeginRendering: {
        const auto* info = native_block<args_vkCmdBeginRendering>(plan, op, storage).pRenderingInfo;
        if (info == nullptr) break;
        need(op, "maxColorAttachments", info->colorAttachmentCount, limits.maxColorAttachments);
        need(op, "maxFramebufferWidth", end_of(info->renderArea.offset.x, info->renderArea.extent.width),
             limits.maxFramebufferWidth);
        need(op, "maxFramebufferHeight", end_of(info->renderArea.offset.y, info->renderArea.extent.height),
             limits.maxFramebufferHeight);
        break;
      }
#ifdef VK_EXT_host_image_copy
      case CommandId::vkCopyMemoryToImage:
      case CommandId::vkCopyImageToMemory: {
        const bool writes = codec::info(op.command).canonical == CommandId::vkCopyMemoryToImage;
        const VkHostImageCopyFlagsEXT flags =
            writes ? native_block<args_vkCopyMemoryToImage>(plan, op, storage).pCopyMemoryToImageInfo->flags
                   : native_block<args_vkCopyImageToMemory>(plan, op, storage).pCopyImageToMemoryInfo->flags;
        if ((flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) == 0 ||
            plan.physical_devices[captured.physical].image_layout == target.image_layout ||
            !found.insert("optimalTilingLayoutUUID").second)
          break;
        shortfalls.push_back("the captured layout of images (optimalTilingLayoutUUID), in which the program " +
                             std::string(writes ? "wrote" : "read") + " them; record " + std::to_string(op.sequence));
        break;
      }
#endif
      case CommandId::vkCreateBufferView: {
        const auto* info = native_block<args_vkCreateBufferView>(plan, op, storage).pCreateInfo;
        if (info != nullptr)
          aligned(op.sequence, "minTexelBufferOffsetAlignment", info->offset, limits.minTexelBufferOffsetAlignment);
        break;
      }
      default:
        check_generated_commands(
            plan, op, target, storage,
            [&](const char* limit, std::uint64_t wanted, std::uint64_t has) { need(op, limit, wanted, has); });
        break;
    }
  }
}

}  // namespace rondo::player
