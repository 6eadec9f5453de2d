// SPDX-License-Identifier: Apache-2.0
// Mips made from each other, as programs make them: by blits with a linear filter.
#pragma once

#include "player/run/run.h"

namespace rondo::player {

struct MipChain {
  VkImage image = VK_NULL_HANDLE;
  VkExtent3D extent{};                               // of mip 0
  std::uint32_t base = 0, count = 0, layer = 0;      // the first is there already
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  // of all, before and after; UNDEFINED: those behind the first are
                                                     // in it before, and all in TRANSFER_SRC_OPTIMAL afterwards
};

// Into a command buffer of a queue that does graphics.
void record_mips(const Dispatch& vk, VkCommandBuffer commands, const MipChain& chain);

// Whether the device can blit this format so, where images are tiled as it likes.
bool can_make_mips(Run& run, std::uint32_t device, VkFormat format);

}  // namespace rondo::player
