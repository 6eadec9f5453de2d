// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: where the n-th descriptor of a write, of a copy, of an update with a template or of a push goes, and
// where in the parameters it stands. Specification: "Descriptor Set Updates": what does not fit into a binding goes on
// in the next one. No device. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "format/check.h"
#include "format/codec/template_data.h"
#include "format/native_view.h"
#include "format/objects.h"

namespace rondo::model {

// A binding with more descriptors than these is one from which shaders choose as they like.
inline constexpr std::uint32_t kManyDescriptors = 1024;

struct SetLayout {
  struct Binding {
    VkDescriptorType type{};
    std::uint32_t count = 0;  // of an inline uniform block: bytes
    bool varies = false;      // each set says how many; only the last binding may
  };
  std::map<std::uint32_t, Binding> bindings;  // by number
};
using SetLayoutRef = std::shared_ptr<const SetLayout>;  // sets outlive their layouts

SetLayoutRef set_layout_of(const VkDescriptorSetLayoutCreateInfo& info);
// How many descriptors of its last binding the i-th of these sets has: what a chained
// VkDescriptorSetVariableDescriptorCountAllocateInfo says. UINT32_MAX: as many as the layout says.
std::uint32_t last_count_of(const SetLayout& layout, const VkDescriptorSetAllocateInfo& info, std::uint32_t i);
bool is_dynamic(VkDescriptorType type);

// A descriptor of a set: its binding and its element.
using DescriptorKey = std::pair<std::uint32_t, std::uint32_t>;

// Goes through the descriptors of a set, from one of them on.
class DescriptorPlace {
 public:
  // `last`: as last_count_of() says.
  DescriptorPlace(const SetLayout& layout, std::uint32_t last, std::uint32_t binding, std::uint32_t element)
      : layout_(layout), last_(last), at_(layout.bindings.find(binding)), element_(element) {
    settle();
  }
  bool there() const { return at_ != layout_.bindings.end(); }
  DescriptorKey key() const { return {at_->first, element_}; }
  void next() {
    ++element_;
    settle();
  }

 private:
  std::uint32_t count() const {
    return std::next(at_) == layout_.bindings.end() ? std::min(at_->second.count, last_) : at_->second.count;
  }
  void settle() {
    while (there() && element_ >= count()) element_ -= count(), ++at_;
  }
  const SetLayout& layout_;
  std::uint32_t last_;
  std::map<std::uint32_t, SetLayout::Binding>::const_iterator at_;
  std::uint32_t element_;
};

// The elements that a write has in its parameters: `count` of them, `stride` bytes apart. None where the write has
// bytes, or what this build does not know.
struct WrittenDescriptors {
  const std::byte* first = nullptr;
  std::size_t stride = 0;
  std::uint32_t count = 0;
};
WrittenDescriptors written_descriptors(const VkWriteDescriptorSet& write);

// The elements of an entry of a template in data of `room` bytes: visit(const std::byte*), false: no more of them.
// Stops (false) where one is not all in the data. Data of a program may have any alignment.
template <class Visit>
bool for_each_of_template(const VkDescriptorUpdateTemplateEntry& entry, const std::byte* data, std::uint64_t room,
                          const Visit& visit) {
  const std::uint64_t bytes = codec::item_bytes(codec::template_item(entry.descriptorType));
  if (entry.offset > room || entry.stride > room) return entry.descriptorCount == 0;
  for (std::uint64_t i = 0; i < entry.descriptorCount; ++i) {
    const std::uint64_t at = entry.offset + i * entry.stride;
    if (at > room || bytes > room - at || !visit(data + at)) return false;
  }
  return true;
}

// The descriptors of a copy, one after the other: visit(source key, target key).
template <class Visit>
void for_each_copied(const VkCopyDescriptorSet& copy, DescriptorPlace source, DescriptorPlace target,
                     const Visit& visit) {
  for (std::uint32_t i = 0; i < copy.descriptorCount && source.there() && target.there();
       ++i, source.next(), target.next())
    visit(source.key(), target.key());
}

// --- What sets hold, as far as it is memory ---

struct Descriptor {
  VkDescriptorType type{};
  ObjectId object = ObjectId::null;  // a buffer, a view, an acceleration structure
  std::uint64_t offset = 0, range = 0;
};
using Descriptors = std::map<DescriptorKey, Descriptor>;

struct DescriptorSet {
  SetLayoutRef layout;              // never null in Effects::sets
  std::uint32_t last = UINT32_MAX;  // last_count_of()
  Descriptors written;              // but for bindings of very many
  std::set<std::uint32_t> copied;   // bindings that something was copied to from such a one

  bool has_many(std::uint32_t binding) const;
  DescriptorPlace place(std::uint32_t binding, std::uint32_t element) const {
    RONDO_CHECK(layout != nullptr);
    return {*layout, last, binding, element};
  }
};

struct DescriptorTemplate {
  VkPipelineBindPoint point{};  // where a push with the template binds its descriptors
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

}  // namespace rondo::model
