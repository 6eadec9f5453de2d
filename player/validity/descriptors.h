// SPDX-License-Identifier: Apache-2.0
// What the data of a descriptor of some type looks like.
#pragma once

#include <cstdint>

#include "format/vulkan.h"

namespace rondo::player::validity {

enum class DescriptorItem : std::uint8_t { image, buffer, texel_view, bytes, other };
DescriptorItem descriptor_item(VkDescriptorType type);
std::uint64_t item_bytes(DescriptorItem item);

}  // namespace rondo::player::validity
