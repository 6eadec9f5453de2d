// SPDX-License-Identifier: Apache-2.0
// What regions of copies reach. Used by access/*.cpp only.
#pragma once

#include "model/access/tracker.h"

namespace rondo::access {

// Whether a region is all of its mip.
bool covers_all(Tracker& t, ObjectId image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent);
// Of a buffer, behind the region's offset; VK_WHOLE_SIZE: not known, to its end at most.
std::uint64_t region_bytes(Tracker& t, ObjectId image, const VkBufferImageCopy2& region);

}  // namespace rondo::access
