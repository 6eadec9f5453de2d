// SPDX-License-Identifier: Apache-2.0
// What a device has and what is done to it, for tests of what checkpoints of submits know.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "generated/args.h"
#include "layer/checkpoints/resources.h"
#include "tests/unit/handles.h"

namespace rondo::layer {

using test::handle;

inline const auto kCommands = handle<VkCommandBuffer>(0x10);
inline const auto kImage = handle<VkImage>(0x20);
inline const auto kView = handle<VkImageView>(0x30);
inline const auto kPass = handle<VkRenderPass>(0x40);
inline const auto kFramebuffer = handle<VkFramebuffer>(0x50);
inline const auto kMemory = handle<VkDeviceMemory>(0x60);
inline const auto kBuffer = handle<VkBuffer>(0x70);
inline const auto kOther = handle<VkImage>(0x21);  // an image that shares kImage's memory

inline VkImageCreateInfo image_info(VkFormat format, VkImageUsageFlags usage) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {16, 8, 1};
  info.mipLevels = 2;
  info.arrayLayers = 3;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  return info;
}

class ResourcesTest : public testing::Test {
 protected:
  void add(const VkImageCreateInfo& info, std::string unreadable = {}) {
    resources.add(kImage, info, 4096, std::move(unreadable));
    resources.bind(kImage, kMemory, 0);
  }
  void begin() {
    const args_vkBeginCommandBuffer args{kCommands, nullptr};
    resources.watch(CommandId::vkBeginCommandBuffer, &args);
  }
  void barrier(VkImageSubresourceRange range, VkImageLayout from, VkImageLayout to,
               std::uint32_t from_family = VK_QUEUE_FAMILY_IGNORED, std::uint32_t to_family = VK_QUEUE_FAMILY_IGNORED,
               VkImage image = kImage) {
    const VkImageMemoryBarrier one{
        VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, 0, 0, from, to, from_family, to_family, image, range};
    args_vkCmdPipelineBarrier args{};
    args.commandBuffer = kCommands;
    args.imageMemoryBarrierCount = 1;
    args.pImageMemoryBarriers = &one;
    resources.watch(CommandId::vkCmdPipelineBarrier, &args);
  }
  void clear(VkImageSubresourceRange range, VkImage image = kImage) {
    args_vkCmdClearColorImage args{};
    args.commandBuffer = kCommands;
    args.image = image;
    args.rangeCount = 1;
    args.pRanges = &range;
    resources.watch(CommandId::vkCmdClearColorImage, &args);
  }
  // A pass over the whole of mip 0, layer 1.
  void draw(VkAttachmentStoreOp store, VkAttachmentStoreOp stencil_store, VkImageLayout after,
            VkImageAspectFlags aspects) {
    VkImageViewCreateInfo view_info{};
    view_info.image = kImage;
    view_info.subresourceRange = {aspects, 0, 1, 1, 1};
    VkImageView view = kView;
    const args_vkCreateImageView view_args{nullptr, &view_info, nullptr, &view};
    resources.watch(CommandId::vkCreateImageView, &view_args);
    VkAttachmentDescription attachment{};
    attachment.storeOp = store;
    attachment.stencilStoreOp = stencil_store;
    attachment.finalLayout = after;
    const VkAttachmentReference used{0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.pDepthStencilAttachment = &used;
    VkRenderPassCreateInfo pass_info{};
    pass_info.attachmentCount = 1;
    pass_info.pAttachments = &attachment;
    pass_info.subpassCount = 1;
    pass_info.pSubpasses = &subpass;
    VkRenderPass pass = kPass;
    const args_vkCreateRenderPass pass_args{nullptr, &pass_info, nullptr, &pass};
    resources.watch(CommandId::vkCreateRenderPass, &pass_args);
    VkFramebufferCreateInfo framebuffer_info{};
    framebuffer_info.attachmentCount = 1;
    framebuffer_info.pAttachments = &view;
    VkFramebuffer framebuffer = kFramebuffer;
    const args_vkCreateFramebuffer framebuffer_args{nullptr, &framebuffer_info, nullptr, &framebuffer};
    resources.watch(CommandId::vkCreateFramebuffer, &framebuffer_args);
    VkRenderPassBeginInfo begin_info{};
    begin_info.renderPass = kPass;
    begin_info.framebuffer = kFramebuffer;
    const args_vkCmdBeginRenderPass begin_args{kCommands, &begin_info, VK_SUBPASS_CONTENTS_INLINE};
    resources.watch(CommandId::vkCmdBeginRenderPass, &begin_args);
  }
  std::vector<Resources::Part> submit(std::uint32_t family = 0) {
    resources.submitted(family, {&kCommands, 1}, in_order);
    const auto lock = resources.enter();
    auto parts = resources.written();
    resources.clear_written();
    return parts;
  }
  static const gpu::ImageSource& image(const Resources::Part& part) { return std::get<gpu::ImageSource>(part.source); }

  Resources resources;
  bool in_order = true;  // of the next submits
};

inline constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                              VK_REMAINING_ARRAY_LAYERS};

}  // namespace rondo::layer
