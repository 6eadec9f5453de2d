// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG (libpng stays behind png.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

// Whether PNG has every bit of such texels: 8-bit and 16-bit UNORM, 8-bit sRGB, 16-bit depth, stencil. One plane or
// aspect at a time (gpu::format_of_part).
bool fits_png(VkFormat format);

// Of a format that fits: one component as grey, two as red and green, three, and four with their alpha; values as they
// are stored, and marked as sRGB where the format says so. `texels` without padding, rows from the top.
Result<std::vector<std::byte>> encode_png(VkFormat format, std::uint32_t width, std::uint32_t height,
                                          std::span<const std::byte> texels);

// Puts a PNG file in the place of `path`, which is a regular file or not there. Errors (Status::failed) name the path
// and say errno's text.
Result<void> write_picture(const std::string& path, const struct Picture& picture);

}  // namespace rondo::player
