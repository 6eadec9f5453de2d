// SPDX-License-Identifier: Apache-2.0
// Reads a single-sampled, single-plane 2D colour image back, texel by texel:
// rows from the top, no padding. Both checkpoints (layer) and verification
// and screenshots (player) use it, so both digest the same bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "format/result.h"
#include "gpu/access.h"
#include "gpu/one_shot.h"

namespace rondo::gpu {

// Bytes of one texel of an uncompressed colour format; nullopt for others
// (compressed, depth/stencil, multi-planar). Vulkan 1.0's formats.
std::optional<std::uint32_t> texel_bytes(VkFormat format);

struct ImageSource {
  VkImage image = VK_NULL_HANDLE;  // created with VK_IMAGE_USAGE_TRANSFER_SRC_BIT
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  // as it is, and as it is left
  std::uint32_t layer = 0;
};

// One for each queue family. One thread at a time; the caller holds the
// external synchronization of the queue it passes.
class ImageReadback {
 public:
  ImageReadback(const Access& access, std::uint32_t queue_family);
  ImageReadback(const ImageReadback&) = delete;
  ImageReadback& operator=(const ImageReadback&) = delete;
  ~ImageReadback();

  // Waits for `wait` (binary semaphores, thereby unsignalled), copies, waits
  // for the copy. The bytes stay valid until the next call.
  Result<std::span<const std::byte>> read(VkQueue queue, const ImageSource& source,
                                          std::span<const VkSemaphore> wait = {});

 private:
  Result<void> grow(VkDeviceSize bytes);
  void release();

  Access access_;
  OneShot commands_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize capacity_ = 0;
  bool coherent_ = true;
  void* mapped_ = nullptr;
};

}  // namespace rondo::gpu
