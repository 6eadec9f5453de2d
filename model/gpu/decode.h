// SPDX-License-Identifier: Apache-2.0
// Lets the device decode texels whose numbers only a decoder knows: compressed blocks (BC, ETC2, EAC, ASTC) and shared
// exponents. They are copied to an image of their format, and blitted to one of plain components. Core 1.0 commands.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "format/result.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/staging.h"

namespace rondo::gpu {

struct Decoded {
  VkFormat format = VK_FORMAT_UNDEFINED;  // R8G8B8A8_UNORM, R8G8B8A8_SRGB or R32G32B32A32_SFLOAT
  unsigned colors = 3;                    // components from red on that the source has (BC4: 1)
  std::vector<std::byte> texels;          // rows from the top, without padding
};

// One thread at a time; the caller holds the external synchronization of the queue it passes, of a family that can do
// graphics.
class Decoder {
 public:
  // `features`: VkFormatProperties::optimalTilingFeatures of the device.
  Decoder(const Access& access, std::uint32_t queue_family, std::function<VkFormatFeatureFlags(VkFormat)> features);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // `texels`: of one slice, as copies to buffers have them. Status::device: this device cannot, and why.
  Result<Decoded> decode(VkQueue queue, VkFormat format, VkExtent2D extent, std::span<const std::byte> texels);

 private:
  struct Image;
  Result<void> make(Image& image, VkFormat format, VkExtent2D extent, VkImageUsageFlags usage) const;
  void record(VkCommandBuffer commands, const Image& from, const Image& to, VkFormat format, VkExtent2D extent,
              VkDeviceSize result) const;

  Access access_;
  std::function<VkFormatFeatureFlags(VkFormat)> features_;
  Staging staging_;
  OneShot commands_;
};

}  // namespace rondo::gpu
