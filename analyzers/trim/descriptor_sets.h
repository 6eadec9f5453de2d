// SPDX-License-Identifier: Apache-2.0
// What every descriptor set holds, descriptor by descriptor, with the captured handles, and calls that write it so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/trim/encoder.h"
#include "model/call.h"
#include "model/descriptors.h"

namespace rondo::trim {

class DescriptorSets {
 public:
  // Every record that is not the layer's own, in order.
  void take(const model::Call& call);

  // Of the objects that the set's descriptors name.
  void each_object(ObjectId set, const std::function<void(ObjectId)>& visit) const;
  // The record behind which the set has what it has; 0: nothing was written.
  std::uint64_t last_written(ObjectId set) const;
  // Writes what these sets hold, as one call on `device`; not what names an object that `alive` does not know.
  Result<void> write(RecordEncoder& out, VkDevice device, const std::vector<ObjectId>& sets,
                     const std::vector<std::uint64_t>& handles, const std::function<bool(ObjectId)>& alive) const;
  // More than can be followed, of a hostile file.
  bool too_many() const { return too_many_; }

 private:
  struct Descriptor {
    VkDescriptorType type{};
    VkDescriptorImageInfo image{};
    VkDescriptorBufferInfo buffer{};
    std::uint64_t handle = 0;  // a buffer view, an acceleration structure
    ObjectId objects[2] = {};
  };
  using Key = model::DescriptorKey;
  struct Set {
    model::SetLayoutRef layout;
    std::uint32_t last_count = UINT32_MAX;  // model::last_count_of()
    std::map<Key, Descriptor> written;
    std::map<std::uint32_t, std::vector<std::byte>> bytes;  // inline uniform blocks
    std::uint64_t last = 0;

    model::DescriptorPlace place(std::uint32_t binding, std::uint32_t element) const {
      return {*layout, last_count, binding, element};
    }
  };
  struct Template {
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
  };
  struct Writes;

  void make_layout(const model::Call& call);
  void allocate(const model::Call& call);
  void update(const model::Call& call);
  void update_by_template(const model::Call& call);
  void write_set(const model::Call& call, const VkWriteDescriptorSet& write);
  void copy_set(const model::Call& call, const VkCopyDescriptorSet& copy);
  void put(Set& set, std::uint32_t binding, std::uint32_t element, const std::vector<Descriptor>& all);
  void put_bytes(Set& set, std::uint32_t binding, std::uint32_t offset, const std::byte* bytes, std::uint32_t count);
  Descriptor read(const model::Call& call, VkDescriptorType type, const std::byte* at) const;
  void collect(Writes& out, std::uint64_t set_handle, const Set& set, const std::function<bool(ObjectId)>& alive) const;

  std::unordered_map<ObjectId, model::SetLayoutRef> layouts_;
  std::unordered_map<ObjectId, Set> sets_;
  std::unordered_map<ObjectId, Template> templates_;
  static constexpr std::size_t kMost = std::size_t{1} << 22;  // descriptors in all sets
  std::size_t descriptors_ = 0;
  bool too_many_ = false;
};

}  // namespace rondo::trim
