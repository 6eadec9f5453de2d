// SPDX-License-Identifier: Apache-2.0
#include "model/descriptors.h"

namespace rondo::model {

SetLayoutRef set_layout_of(const VkDescriptorSetLayoutCreateInfo& info) {
  auto layout = std::make_shared<SetLayout>();
  const auto* flags = find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = info.pBindings[i];
    const bool varies = flags != nullptr && i < flags->bindingCount &&
                        (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
    layout->bindings[b.binding] = {b.descriptorType, b.descriptorCount, varies};
  }
  return layout;
}

std::uint32_t last_count_of(const SetLayout& layout, const VkDescriptorSetAllocateInfo& info, std::uint32_t i) {
  if (layout.bindings.empty() || !layout.bindings.rbegin()->second.varies) return UINT32_MAX;
  const auto* counts = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  return counts != nullptr && i < counts->descriptorSetCount ? counts->pDescriptorCounts[i] : 0;
}

bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

WrittenDescriptors written_descriptors(const VkWriteDescriptorSet& w) {
  const auto of = [&](const auto* first, std::uint32_t count) {
    return WrittenDescriptors{reinterpret_cast<const std::byte*>(first), sizeof *first, first != nullptr ? count : 0};
  };
  switch (codec::template_item(w.descriptorType)) {
    case codec::TemplateItem::image:
      return of(w.pImageInfo, w.descriptorCount);
    case codec::TemplateItem::buffer:
      return of(w.pBufferInfo, w.descriptorCount);
    case codec::TemplateItem::texel_view:
      return of(w.pTexelBufferView, w.descriptorCount);
    case codec::TemplateItem::acceleration_structure: {
      const auto* structures = find_chained<VkWriteDescriptorSetAccelerationStructureKHR>(
          w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
      if (structures == nullptr) return {};
      return of(structures->pAccelerationStructures,
                std::min(w.descriptorCount, structures->accelerationStructureCount));
    }
    default:
      return {};
  }
}

bool DescriptorSet::has_many(std::uint32_t binding) const {
  RONDO_CHECK(layout != nullptr);
  if (copied.count(binding) != 0) return true;
  const auto found = layout->bindings.find(binding);
  if (found == layout->bindings.end()) return false;
  if (found->second.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return false;  // these are bytes
  const bool is_last = std::next(found) == layout->bindings.end();
  return (is_last ? std::min(found->second.count, last) : found->second.count) > kManyDescriptors;
}

}  // namespace rondo::model
