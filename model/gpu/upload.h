// SPDX-License-Identifier: Apache-2.0
// Writes texels into images: what Readback has read, in the form in which it reads them.
#pragma once

#include <cstddef>
#include <span>

#include "format/result.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/readback.h"
#include "model/gpu/staging.h"

namespace rondo::gpu {

// One for each queue family. One thread at a time; the caller holds the external synchronization of the queue
// it passes.
class Upload {
 public:
  // `granularity`: of the family's image transfers (VkQueueFamilyProperties::minImageTransferGranularity).
  Upload(const Access& access, std::uint32_t queue_family, VkExtent3D granularity);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // All of this part, which was created with VK_IMAGE_USAGE_TRANSFER_DST_BIT and is in its layout before and
  // afterwards. Waits for the end of it.
  Result<void> write(VkQueue queue, const ImageSource& to, std::span<const std::byte> texels);

 private:
  Result<void> copy(VkQueue queue, const ImageSource& to, const VkBufferImageCopy& region,
                    std::span<const std::byte> texels);

  Access access_;
  Staging staging_;
  OneShot commands_;
  VkExtent3D granularity_;
};

}  // namespace rondo::gpu
