// SPDX-License-Identifier: Apache-2.0
// Texels as words of 32 bits, as the shaders of samples.cpp have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "format/vulkan.h"

namespace rondo::gpu {

// That a texel takes; 0: such texels cannot be words.
std::uint32_t words_of(VkFormat format, VkImageAspectFlags aspect);
// As many texels as the words hold. Depth is the float next to it in them.
void to_words(VkFormat format, VkImageAspectFlags aspect, std::span<const std::byte> texels,
              std::span<std::uint32_t> words);
void from_words(VkFormat format, VkImageAspectFlags aspect, std::span<const std::uint32_t> words,
                std::span<std::byte> texels);

}  // namespace rondo::gpu
