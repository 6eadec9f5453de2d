// SPDX-License-Identifier: Apache-2.0
// What is different between contents of the capture and of a replay: where it
// begins, both values, how much of it there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "format/digest.h"
#include "format/reader.h"
#include "format/vulkan.h"

namespace rondo::player {

// How the bytes of a subresource are to be read.
struct Texels {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkExtent3D extent{};
};

// One sentence each, without a full stop. `captured` and `replayed` are of the
// same size, and differ. `offset`: of the first byte, in the buffer or memory.
std::string describe_bytes(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                           std::uint64_t offset);
std::string describe_texels(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                            const Texels& texels);

// The bytes of this digest, if the capture has them (checkpoints of submits keep them).
std::optional<Reader::Bytes> captured_bytes(const std::string& path, const Digest& digest);

}  // namespace rondo::player
