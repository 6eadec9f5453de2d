// SPDX-License-Identifier: Apache-2.0
// What is different between contents of the capture and of a replay: where it
// begins, both values, how much of it there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "format/digest.h"
#include "format/reader.h"
#include "format/vulkan.h"

namespace rondo::player {

// How the bytes of a subresource are to be read.
struct Texels {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkExtent3D extent{};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;  // all texels of one sample, then those of the next
};

// One sentence each, without a full stop. `captured` and `replayed` are of the
// same size, and differ. `offset`: of the first byte, in the buffer or memory.
std::string describe_bytes(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                           std::uint64_t offset);
std::string describe_texels(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                            const Texels& texels);

// Contents that the capture has under their digests (checkpoints of submits keep them).
class CapturedContents {
 public:
  CapturedContents(std::string path, FileAccess files) : path_(std::move(path)), files_(std::move(files)) {}
  std::optional<Reader::Bytes> bytes(const Digest& digest);

 private:
  std::string path_;
  FileAccess files_;
  bool tried_ = false;
  std::unique_ptr<Reader> reader_;  // opened when first needed; null: it cannot be
};

}  // namespace rondo::player
