// SPDX-License-Identifier: Apache-2.0
// A lowered block read as the native parameters it stands for. Handles have
// their captured values; blob pointers are what load() is given, null where
// the blobs are not wanted. Reused from record to record.
#pragma once

#include <cstring>
#include <vector>

#include "format/codec/decoder.h"
#include "format/objects.h"
#include "format/vulkan.h"

namespace rondo::player {

class NativeView {
 public:
  void load(const codec::Lowered& lowered, const std::vector<ObjectId>& ids,
            const std::vector<const std::byte*>& blobs) {
    lowered_ = &lowered;
    ids_ = &ids;
    storage_.resize((lowered.bytes.size() + 15) / 16);
    std::memcpy(storage_.data(), lowered.bytes.data(), lowered.bytes.size());
    for (const std::uint32_t at : lowered.pointers) {
      std::uint64_t offset;
      std::memcpy(&offset, base() + at, sizeof offset);
      const std::byte* pointer = base() + offset;
      std::memcpy(base() + at, &pointer, sizeof pointer);
    }
    for (std::size_t i = 0; i < lowered.blobs.size(); ++i)
      std::memcpy(base() + lowered.blobs[i].offset, &blobs[i], sizeof blobs[i]);
  }
  template <class Args>
  const Args& as() const {
    return *reinterpret_cast<const Args*>(storage_.data());
  }
  std::uint32_t offset(const void* member) const {
    return static_cast<std::uint32_t>(static_cast<const std::byte*>(member) -
                                      reinterpret_cast<const std::byte*>(storage_.data()));
  }
  // The object whose handle stands at `member` (inside this view), 0 if null.
  ObjectId id(const void* member) const {
    const std::uint32_t at = offset(member);
    const std::size_t count = lowered_->handles.size();
    // Arrays are asked for one element after the other.
    for (std::size_t n = 0, i = last_ < count ? last_ : 0; n < count; ++n, i = i + 1 < count ? i + 1 : 0)
      if (lowered_->handles[i].offset == at) {
        last_ = i;
        return (*ids_)[i];
      }
    return 0;
  }
  const codec::Lowered& lowered() const { return *lowered_; }
  const std::byte* at(std::uint32_t offset) const {
    return reinterpret_cast<const std::byte*>(storage_.data()) + offset;
  }

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  std::byte* base() { return reinterpret_cast<std::byte*>(storage_.data()); }
  std::vector<Unit> storage_;
  mutable std::size_t last_ = 0;  // index into handles: where the last one was
  const codec::Lowered* lowered_ = nullptr;
  const std::vector<ObjectId>* ids_ = nullptr;
};

// The structure of this type in a pNext chain, or null.
template <class T>
const T* find_chained(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

}  // namespace rondo::player
