// SPDX-License-Identifier: Apache-2.0
// Images that the program keeps in a layout of its own are used by us in another one.
#pragma once

#include "model/gpu/access.h"
#include "model/gpu/readback.h"

namespace rondo::gpu {

struct LayoutUse {
  VkImageLayout layout;
  VkPipelineStageFlags stages;
  VkAccessFlags access;
};

inline constexpr LayoutUse kReadByCopies{VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                         VK_ACCESS_TRANSFER_READ_BIT};
inline constexpr LayoutUse kWrittenByCopies{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_WRITE_BIT};
inline constexpr LayoutUse kUsedByShaders{VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

// From the image's own layout, `image.layout`, to `use`, after all that was recorded or submitted before; and back to
// its own, before all that comes. Recorded into `commands`, outside a render pass (vkCmdPipelineBarrier, Vulkan 1.0).
void begin_use(const Dispatch& vk, VkCommandBuffer commands, const ImageSource& image, const LayoutUse& use);
void end_use(const Dispatch& vk, VkCommandBuffer commands, const ImageSource& image, const LayoutUse& use);

}  // namespace rondo::gpu
