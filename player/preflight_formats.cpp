// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "player/preflight.h"

namespace rondo::player {

namespace {

std::string format_name(VkFormat format) {
  const std::string_view name = codec::enumerant_name(EnumId::VkFormat, format);
  return name.empty() ? "format " + std::to_string(static_cast<int>(format)) : std::string(name);
}

void check_image(const std::string& what, const VkImageCreateInfo& info, const LiveDevices& devices,
                 const LiveDevice& target, std::vector<std::string>& shortfalls) {
  auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceImageFormatProperties>(
      devices.get("vkGetPhysicalDeviceImageFormatProperties"));
  VkImageFormatProperties has{};
  const VkResult r =
      get(target.handle, info.format, info.imageType, info.tiling, info.usage, info.flags, &has);
  if (r == VK_ERROR_FORMAT_NOT_SUPPORTED) {
    shortfalls.push_back(what + ": " + format_name(info.format) + " in the captured tiling, usage and flags");
    return;
  }
  if (r < 0) return;  // the create itself will tell
  const VkExtent3D& e = info.extent;
  if (e.width > has.maxExtent.width || e.height > has.maxExtent.height || e.depth > has.maxExtent.depth)
    shortfalls.push_back(what + ": " + std::to_string(e.width) + "x" + std::to_string(e.height) + "x" +
                         std::to_string(e.depth) + " texels (at most " + std::to_string(has.maxExtent.width) +
                         "x" + std::to_string(has.maxExtent.height) + "x" +
                         std::to_string(has.maxExtent.depth) + ")");
  if (info.mipLevels > has.maxMipLevels)
    shortfalls.push_back(what + ": " + std::to_string(info.mipLevels) + " mip levels");
  if (info.arrayLayers > has.maxArrayLayers)
    shortfalls.push_back(what + ": " + std::to_string(info.arrayLayers) + " array layers");
  if ((info.samples & has.sampleCounts) == 0)
    shortfalls.push_back(what + ": " + std::to_string(info.samples) + " samples in " +
                         format_name(info.format));
}

}  // namespace

void check_images(const Plan& plan, std::uint32_t device, const LiveDevices& devices,
                  const LiveDevice& target, std::vector<std::string>& shortfalls) {
  std::vector<std::byte> storage;
  for (const Op& op : plan.ops) {
    if (op.device != device) continue;
    const std::string what = op.subject != 0 ? plan.name(op.subject) : std::string();
    switch (codec::info(op.command).canonical) {
      case CommandId::vkCreateImage: {
        const auto& args = native_block<args_vkCreateImage>(plan, op, storage);
        // Modifiers and external formats have questions of their own.
        if (args.pCreateInfo != nullptr && args.pCreateInfo->format != VK_FORMAT_UNDEFINED &&
            args.pCreateInfo->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
          check_image(what, *args.pCreateInfo, devices, target, shortfalls);
        break;
      }
      case CommandId::vkCreateSwapchainKHR: {
        const auto* info = native_block<args_vkCreateSwapchainKHR>(plan, op, storage).pCreateInfo;
        if (info == nullptr) break;
        VkImageCreateInfo image{};
        image.imageType = VK_IMAGE_TYPE_2D;
        image.format = info->imageFormat;
        image.extent = {info->imageExtent.width, info->imageExtent.height, 1};
        image.mipLevels = 1;
        image.arrayLayers = info->imageArrayLayers;
        image.samples = VK_SAMPLE_COUNT_1_BIT;
        image.usage = info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        check_image(what + "'s images", image, devices, target, shortfalls);
        break;
      }
      default:
        break;
    }
  }
  std::sort(shortfalls.begin(), shortfalls.end());
  shortfalls.erase(std::unique(shortfalls.begin(), shortfalls.end()), shortfalls.end());
}

void check_limits(const Plan& plan, std::uint32_t device, const LiveDevice& target,
                  std::vector<std::string>& shortfalls) {
  const VkPhysicalDeviceLimits& limits = target.properties.limits;
  std::set<std::string> found;  // each kind of shortfall once, with the first place
  const auto need = [&](const Op& op, const char* limit, std::uint64_t wanted, std::uint64_t has) {
    if (wanted <= has || !found.insert(limit).second) return;
    shortfalls.push_back(std::string(limit) + " of " + std::to_string(wanted) + " (it has " +
                         std::to_string(has) + "; record " + std::to_string(op.sequence) + ")");
  };
  const auto aligned = [&](const Op& op, const char* limit, std::uint64_t offset, std::uint64_t alignment) {
    if (alignment <= 1 || offset % alignment == 0 || !found.insert(limit).second) return;
    shortfalls.push_back(std::string(limit) + " that divides " + std::to_string(offset) + " (it has " +
                         std::to_string(alignment) + "; record " + std::to_string(op.sequence) + ")");
  };
  if (const std::uint32_t pushed = plan.devices[device].push_constants;
      pushed > limits.maxPushConstantsSize) {
    found.insert("maxPushConstantsSize");
    shortfalls.push_back("maxPushConstantsSize of " + std::to_string(pushed) + " (it has " +
                         std::to_string(limits.maxPushConstantsSize) + ")");
  }
  std::vector<std::byte> storage;
  for (const Op& op : plan.ops) {
    if (op.device != device) continue;
    switch (codec::info(op.command).canonical) {
      case CommandId::vkCreateBuffer: {
        const auto* info = native_block<args_vkCreateBuffer>(plan, op, storage).pCreateInfo;
        if (info != nullptr) need(op, "maxBufferSize", info->size, target.max_buffer_size);
        break;
      }
      case CommandId::vkCreatePipelineLayout: {
        const auto* info = native_block<args_vkCreatePipelineLayout>(plan, op, storage).pCreateInfo;
        if (info == nullptr) break;
        need(op, "maxBoundDescriptorSets", info->setLayoutCount, limits.maxBoundDescriptorSets);
        for (std::uint32_t i = 0; info->pPushConstantRanges != nullptr && i < info->pushConstantRangeCount;
             ++i)
          need(op, "maxPushConstantsSize",
               std::uint64_t{info->pPushConstantRanges[i].offset} + info->pPushConstantRanges[i].size,
               limits.maxPushConstantsSize);
        break;
      }
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
        if (info != nullptr && info->anisotropyEnable != VK_FALSE)
          need(op, "maxSamplerAnisotropy", static_cast<std::uint64_t>(std::max(info->maxAnisotropy, 0.0f)),
               static_cast<std::uint64_t>(limits.maxSamplerAnisotropy));
        break;
      }
      case CommandId::vkCmdDispatch: {
        const auto& args = native_block<args_vkCmdDispatch>(plan, op, storage);
        need(op, "maxComputeWorkGroupCount[0]", args.groupCountX, limits.maxComputeWorkGroupCount[0]);
        need(op, "maxComputeWorkGroupCount[1]", args.groupCountY, limits.maxComputeWorkGroupCount[1]);
        need(op, "maxComputeWorkGroupCount[2]", args.groupCountZ, limits.maxComputeWorkGroupCount[2]);
        break;
      }
      case CommandId::vkUpdateDescriptorSets: {
        const auto& args = native_block<args_vkUpdateDescriptorSets>(plan, op, storage);
        for (std::uint32_t w = 0; args.pDescriptorWrites != nullptr && w < args.descriptorWriteCount; ++w) {
          const VkWriteDescriptorSet& write = args.pDescriptorWrites[w];
          for (std::uint32_t i = 0; write.pBufferInfo != nullptr && i < write.descriptorCount; ++i) {
            const bool uniform = write.descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                                 write.descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
            aligned(
                op, uniform ? "minUniformBufferOffsetAlignment" : "minStorageBufferOffsetAlignment",
                write.pBufferInfo[i].offset,
                uniform ? limits.minUniformBufferOffsetAlignment : limits.minStorageBufferOffsetAlignment);
          }
        }
        break;
      }
      case CommandId::vkCreateBufferView: {
        const auto* info = native_block<args_vkCreateBufferView>(plan, op, storage).pCreateInfo;
        if (info != nullptr)
          aligned(op, "minTexelBufferOffsetAlignment", info->offset, limits.minTexelBufferOffsetAlignment);
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace rondo::player
