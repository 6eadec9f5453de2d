// SPDX-License-Identifier: Apache-2.0
#include "player/run/mips.h"

#include <algorithm>

namespace rondo::player {

namespace {

void change_layout(const Dispatch& vk, VkCommandBuffer commands, const MipChain& chain, std::uint32_t mip,
                   VkImageLayout from, VkImageLayout to) {
  constexpr VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = barrier.dstAccessMask = any;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = chain.image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, chain.layer, 1};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                          nullptr, 0, nullptr, 1, &barrier);
}

VkOffset3D end_of(const VkExtent3D& extent, std::uint32_t mip) {
  const auto at = [mip](std::uint32_t n) { return static_cast<std::int32_t>(std::max(n >> mip, 1u)); };
  return {at(extent.width), at(extent.height), at(extent.depth)};
}

}  // namespace

void record_mips(const Dispatch& vk, VkCommandBuffer commands, const MipChain& chain) {
  constexpr VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const bool fresh = chain.layout == VK_IMAGE_LAYOUT_UNDEFINED;
  if (!fresh) change_layout(vk, commands, chain, chain.base, chain.layout, source);
  for (std::uint32_t i = 1; i < chain.count; ++i) {
    const std::uint32_t mip = chain.base + i;
    change_layout(vk, commands, chain, mip, chain.layout, target);
    VkImageBlit blit{};
    blit.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip - 1, chain.layer, 1};
    blit.srcOffsets[1] = end_of(chain.extent, mip - 1);
    blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip, chain.layer, 1};
    blit.dstOffsets[1] = end_of(chain.extent, mip);
    vk.vkCmdBlitImage(commands, chain.image, source, chain.image, target, 1, &blit, VK_FILTER_LINEAR);
    change_layout(vk, commands, chain, mip, target, source);
  }
  for (std::uint32_t i = 0; i < chain.count && !fresh; ++i)
    change_layout(vk, commands, chain, chain.base + i, source, chain.layout);
}

bool can_make_mips(Run& run, std::uint32_t index, VkFormat format) {
  constexpr VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                          VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  const CapturedDevice& captured = run.plan().devices[index];
  InstanceState& instance = run.instance(captured.instance);
  const auto target = instance.targets.find(index);
  if (target == instance.targets.end()) return false;
  VkFormatProperties properties{};
  instance.dispatch.vkGetPhysicalDeviceFormatProperties(target->second, format, &properties);
  return (properties.optimalTilingFeatures & needed) == needed;
}

}  // namespace rondo::player
