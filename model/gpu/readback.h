// SPDX-License-Identifier: Apache-2.0
// Reads buffers and images back as bytes without padding: an image's
// subresource texel by texel (blocks of a compressed one), rows from the top,
// slices one after the other. Bits that a format leaves unused are zero.
// Checkpoints (layer), verification and screenshots (player) use it, so all
// of them digest the same bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "format/result.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/staging.h"

namespace rondo::gpu {

struct BufferSource {
  VkBuffer buffer = VK_NULL_HANDLE;  // created with VK_BUFFER_USAGE_TRANSFER_SRC_BIT
  VkDeviceSize offset = 0, size = 0;
};

// One aspect or plane of one mip and layer of an image. Of several samples its texels are those of sample 0,
// then those of sample 1, ….
struct ImageSource {
  // Created with VK_IMAGE_USAGE_TRANSFER_SRC_BIT; of several samples as samples.h says.
  VkImage image = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};                               // of this mip, and plane
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  // as it is, and as it is left
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkImageAspectFlags together = VK_IMAGE_ASPECT_COLOR_BIT;  // what changes its layout with it
  std::uint32_t mip = 0, layer = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

using Source = std::variant<BufferSource, ImageSource>;

// 0: such an image cannot be read.
VkDeviceSize bytes_of(const Source& source);
bool has_samples(const Source& source);  // an image of several: a queue that can compute reads it

class Samples;

// One for each queue family. One thread at a time; the caller holds the
// external synchronization of the queue it passes.
class Readback {
 public:
  Readback(const Access& access, std::uint32_t queue_family);
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;
  ~Readback();

  // Of one sample. Waits for `wait` (binary semaphores, thereby unsignalled), copies, waits
  // for the copy. The bytes stay valid until the next call.
  Result<std::span<const std::byte>> read(VkQueue queue, const ImageSource& source,
                                          std::span<const VkSemaphore> wait = {});

  // Reads all of them, as many at once as a few megabytes hold, and calls
  // visit(index, bytes) for each in order; the bytes are valid in there.
  Result<void> read_all(VkQueue queue, std::span<const Source> sources,
                        const std::function<void(std::size_t, std::span<const std::byte>)>& visit);

 private:
  Result<void> copy(VkQueue queue, std::span<const Source> sources, std::span<const VkSemaphore> wait);
  std::span<const std::byte> take(const Source& source, VkDeviceSize& at) const;
  Result<std::span<const std::byte>> read_samples(VkQueue queue, const ImageSource& source);

  Access access_;
  const std::uint32_t family_;
  Staging staging_;
  OneShot commands_;
  std::unique_ptr<Samples> samples_;  // null: no image of several samples was read yet
  std::vector<std::byte> texels_;     // of the last one
};

}  // namespace rondo::gpu
