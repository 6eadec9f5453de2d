// SPDX-License-Identifier: Apache-2.0
// What regions of copies reach. Used by the handlers of effects.
#pragma once

#include "model/views.h"

namespace rondo::model {

// Whether a region is all of its mip. Null: nobody knows the image.
bool covers_all(const Image* image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent);
// Bytes of a buffer, counted from the region's offset. VK_WHOLE_SIZE: not known, to the buffer's end at most.
std::uint64_t region_bytes(const Image* image, const VkBufferImageCopy2& region);

}  // namespace rondo::model
