// SPDX-License-Identifier: Apache-2.0
// A lowered block read as the native parameters it stands for. Handles have
// their captured values; blob pointers are what load() is given, null where
// the blobs are not wanted. Reused from record to record.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "format/codec/decoder.h"
#include "format/objects.h"
#include "format/vulkan.h"

namespace rondo {

class NativeView {
 public:
  void load(const codec::Lowered& lowered, const std::vector<ObjectId>& ids,
            const std::vector<const std::byte*>& blobs) {
    lowered_ = &lowered;
    ids_ = &ids;
    by_offset_.clear();
    if (const std::size_t units = (lowered.bytes.size() + 15) / 16; storage_.size() < units) storage_.resize(units);
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
  // Not in a blob, which belongs to the capture.
  bool holds(const void* member) const {
    const auto* at = static_cast<const std::byte*>(member);
    const auto* begin = reinterpret_cast<const std::byte*>(storage_.data());
    return std::less_equal<>()(begin, at) && std::less<>()(at, begin + lowered_->bytes.size());
  }
  // The object whose handle stands at `member` (inside this view), 0 if null.
  ObjectId id(const void* member) const {
    const std::size_t i = handle_at(offset(member));
    return i != kNoHandle ? (*ids_)[i] : ObjectId::null;
  }
  // Which of the handles stands there: index into Lowered::handles.
  static constexpr std::size_t kNoHandle = ~std::size_t{};
  std::size_t handle_at(std::uint32_t at) const {
    const std::vector<codec::HandleRef>& handles = lowered_->handles;
    // Arrays are asked for one element after the other.
    for (std::size_t i = last_; i < handles.size() && i < last_ + 3; ++i)
      if (handles[i].offset == at) return last_ = i;
    if (by_offset_.size() != handles.size()) {
      by_offset_.resize(handles.size());
      for (std::uint32_t i = 0; i < handles.size(); ++i) by_offset_[i] = i;
      std::sort(by_offset_.begin(), by_offset_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return handles[a].offset < handles[b].offset; });
    }
    const auto found =
        std::lower_bound(by_offset_.begin(), by_offset_.end(), at,
                         [&](std::uint32_t i, std::uint32_t wanted) { return handles[i].offset < wanted; });
    if (found == by_offset_.end() || handles[*found].offset != at) return kNoHandle;
    return last_ = *found;
  }
  // Puts other bytes where these were.
  void write(std::uint32_t offset, const void* bytes, std::size_t count) { std::memcpy(base() + offset, bytes, count); }
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
  mutable std::size_t last_ = 0;                  // index into handles: where the last one was
  mutable std::vector<std::uint32_t> by_offset_;  // indexes into handles, made when they are searched
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

}  // namespace rondo
