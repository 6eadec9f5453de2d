// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/layouts.h"

namespace rondo::gpu {

namespace {

void change(const Dispatch& vk, VkCommandBuffer commands, const ImageSource& image, const LayoutUse& from,
            const LayoutUse& to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = from.access;
  barrier.dstAccessMask = to.access;
  barrier.oldLayout = from.layout;
  barrier.newLayout = to.layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.image;
  barrier.subresourceRange = {image.together, image.mip, 1, image.layer, 1};
  vk.vkCmdPipelineBarrier(commands, from.stages, to.stages, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

// Whatever the program does with it.
LayoutUse own_use(const ImageSource& image) {
  return {image.layout, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
}

}  // namespace

void begin_use(const Dispatch& vk, VkCommandBuffer commands, const ImageSource& image, const LayoutUse& use) {
  change(vk, commands, image, own_use(image), use);
}

void end_use(const Dispatch& vk, VkCommandBuffer commands, const ImageSource& image, const LayoutUse& use) {
  change(vk, commands, image, use, own_use(image));
}

}  // namespace rondo::gpu
