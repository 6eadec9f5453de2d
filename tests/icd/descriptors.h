// SPDX-License-Identifier: Apache-2.0
// Writing to descriptor sets. Private to tests/icd.
#pragma once

#include "tests/icd/objects.h"

namespace fake {

inline bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

// An empty set of a layout; `variable`: descriptors of its last binding, if that varies.
std::shared_ptr<DescriptorSet> make_set(const std::shared_ptr<DescriptorSetLayout>& layout, std::uint32_t variable);

// One write in a form that updates, templates and pushes share. `data`: the
// first element; elements lie `stride` bytes apart.
struct DescriptorWrite {
  std::uint32_t binding = 0, element = 0, count = 0;  // count: bytes, of an inline block
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
  const std::byte* data = nullptr;
  std::size_t stride = 0;
};
DescriptorWrite as_write(const VkWriteDescriptorSet& write);

void check_write(const DescriptorSetLayout& layout, const DescriptorSet* set, const DescriptorWrite& write);
void apply_write(DescriptorSet& set, const DescriptorWrite& write);

// Through a template. `data` is the program's.
DescriptorWrite as_write(const VkDescriptorUpdateTemplateEntry& entry, const void* data);

}  // namespace fake
