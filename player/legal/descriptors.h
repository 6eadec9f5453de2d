// SPDX-License-Identifier: Apache-2.0
// What the data of a descriptor of some type looks like, and of its set's layout.
#pragma once

#include <cstdint>
#include <vector>

#include "format/vulkan.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

enum class DescriptorItem : std::uint8_t { image, buffer, texel_view, bytes, other };
DescriptorItem descriptor_item(VkDescriptorType type);
std::uint64_t item_bytes(DescriptorItem item);

bool is_dynamic(VkDescriptorType type);
// Of a pipeline layout, or of what one is told by.
Wrong check_sets_of_layout(const Validity& v, const Call& c, const VkPipelineLayoutCreateInfo& info);
bool pushes(const SetLayout& layout);  // for descriptors that are pushed
// The layout of a set of a pipeline layout; null: none, or not known.
const SetLayout* set_of(Validity& v, ObjectId layout, std::uint32_t set, Wrong& wrong);

// Where descriptors go that are bound or pushed: the points that stages stand for; and the
// layout, in whose place only VK_NV_per_stage_descriptor_set lets parameters stand.
std::vector<VkPipelineBindPoint> points_of(VkShaderStageFlags stages);
Wrong check_layout(ObjectId layout);

}  // namespace rondo::player::validity
