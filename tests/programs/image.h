// SPDX-License-Identifier: Apache-2.0
// What is the same of images however a program keeps them.
#pragma once

#include "support.h"

namespace program {

constexpr VkImageSubresourceRange kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                         VK_REMAINING_ARRAY_LAYERS};

// The description of a plain 2D image, for a program to change.
inline VkImageCreateInfo image_info(VkFormat format, VkExtent3D extent, VkImageUsageFlags usage) {
  return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
          .imageType = VK_IMAGE_TYPE_2D,
          .format = format,
          .extent = extent,
          .mipLevels = 1,
          .arrayLayers = 1,
          .samples = VK_SAMPLE_COUNT_1_BIT,
          .tiling = VK_IMAGE_TILING_OPTIMAL,
          .usage = usage};
}

inline VkImageCreateInfo image_info(VkFormat format, std::uint32_t extent, VkImageUsageFlags usage) {
  return image_info(format, VkExtent3D{extent, extent, 1}, usage);
}

inline VkImage create_unbound_image(const Context& c, const VkImageCreateInfo& info) {
  VkImage image;
  CHECK(vkCreateImage(c.device, &info, nullptr, &image));
  return image;
}

inline VkDeviceMemory bind_to_memory_of_its_own(const Context& c, VkImage image, VkMemoryPropertyFlags wanted = 0) {
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(c.device, image, &needs);
  const VkDeviceMemory memory = allocate(c, needs, wanted);
  CHECK(vkBindImageMemory(c.device, image, memory, 0));
  return memory;
}

inline VkImageView create_view(const Context& c, VkImage image, VkImageViewType type, VkFormat format,
                               const VkImageSubresourceRange& range, const void* next = nullptr,
                               const VkComponentMapping& swizzle = {}) {
  const VkImageViewCreateInfo info{
      VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, next, 0, image, type, format, swizzle, range};
  VkImageView view;
  CHECK(vkCreateImageView(c.device, &info, nullptr, &view));
  return view;
}

// A full barrier with a change of layout.
inline void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                          const VkImageSubresourceRange& range = kColor) {
  const VkImageMemoryBarrier change{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = range};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &change);
}

}  // namespace program
