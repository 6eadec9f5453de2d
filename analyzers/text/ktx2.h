// SPDX-License-Identifier: Apache-2.0
// KTX 2.0, as the Khronos specification of 2025 (document revision 4) has it: one image without mips, layers or
// compression of the file's own, and the basic data format descriptor that goes with its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/vulkan.h"

namespace rondo::analyzers {

struct Ktx2Image {
  VkFormat format = VK_FORMAT_UNDEFINED;  // of one plane and aspect (gpu::format_of_part)
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkExtent3D extent{};
  std::span<const std::byte> texels;  // or blocks, without padding
};

// The file. Formats that KTX does not allow stand as others with the same bits: SCALED as INT.
std::vector<std::byte> encode_ktx2(const Ktx2Image& image, std::string_view writer);

// The descriptor's block, without the total size in front of it. Of formats that it does not describe (subsampled
// ones, PVRTC) there are no samples in it. `format` is one that KTX allows.
std::vector<std::uint32_t> data_format_descriptor(VkFormat format);

// The size of what a big-endian machine would swap, in bytes.
std::uint32_t ktx2_type_bytes(VkFormat format);

}  // namespace rondo::analyzers
