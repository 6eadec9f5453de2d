// SPDX-License-Identifier: Apache-2.0
// The data of a descriptor update template: what lies at each entry. In the
// file it is u32 entries (kNull), u32 bytes of the native data, and for each
// entry u32 type, u32 count, u64 offset, u64 stride and its descriptors: a
// record needs no template to be read, and its handles are patched like others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/vulkan.h"
#include "generated/ids.h"

namespace rondo::codec {

enum class TemplateItem { image, buffer, texel_view, bytes, acceleration_structure, unknown };

inline TemplateItem template_item(std::uint32_t descriptor_type) {
  switch (descriptor_type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
      return TemplateItem::image;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return TemplateItem::buffer;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return TemplateItem::texel_view;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return TemplateItem::bytes;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return TemplateItem::acceleration_structure;
    default:
      return TemplateItem::unknown;
  }
}

// Bytes of one descriptor in the native data.
inline std::size_t item_bytes(TemplateItem item) {
  switch (item) {
    case TemplateItem::image:
      return sizeof(VkDescriptorImageInfo);
    case TemplateItem::buffer:
      return sizeof(VkDescriptorBufferInfo);
    case TemplateItem::texel_view:
    case TemplateItem::acceleration_structure:
      return sizeof(std::uint64_t);
    default:
      return 1;
  }
}

inline HandleType acceleration_structure(std::uint32_t descriptor_type) {
  return descriptor_type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV ? HandleType::VkAccelerationStructureNV
                                                                         : HandleType::VkAccelerationStructureKHR;
}

}  // namespace rondo::codec
