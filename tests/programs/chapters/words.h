// SPDX-License-Identifier: Apache-2.0
// What the programs of the chapters on memory, resources, compute and
// synchronization repeat: buffers of words, and copies of them.
#pragma once

#include "kernel.h"
#include "needs.h"

namespace program {

constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkBufferUsageFlags kStorage = kCopies | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;

// Words that are different for every seed.
inline void fill(const MappedBuffer& b, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < b.bytes / 4; ++i) b.words[i] = mix(seed, i);
}

inline void copy(VkCommandBuffer cmd, VkBuffer from, VkDeviceSize at, VkBuffer to, VkDeviceSize to_at,
                 VkDeviceSize bytes) {
  const VkBufferCopy region{at, to_at, bytes};
  vkCmdCopyBuffer(cmd, from, to, 1, &region);
}

}  // namespace program
