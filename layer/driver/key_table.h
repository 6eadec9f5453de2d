// SPDX-License-Identifier: Apache-2.0
// Dispatchable handles to what the layer knows of their instance or device.
// The first word of every dispatchable handle points to the loader's table of
// its instance or device: that pointer is the key. At the driver's door (door.h) it is the
// handle itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "generated/dispatch.h"

namespace rondo::layer {

inline void* dispatch_key(const void* handle) { return *static_cast<void* const*>(handle); }

// What a hook needs at once. Never freed, so that a lookup by another thread
// never reads freed memory; reused in place when its key is gone.
template <class State>
struct alignas(64) KeyEntry {
  std::atomic<void*> key{nullptr};
  State* state = nullptr;
  Dispatch dispatch{};
};

// Lock-free lookup; open addressing. An entry stays in its slot for ever.
template <class State, std::size_t kSlots>
class KeyTable {
 public:
  using Entry = KeyEntry<State>;

  // Null if unknown. The latest one added is found at once.
  Entry* find(void* key) const {
    Entry* const latest = latest_.load(std::memory_order_acquire);
    if (latest != nullptr && latest->key.load(std::memory_order_relaxed) == key) [[likely]]
      return latest;
    return probe(key);
  }

  // Makes `state` and `dispatch` known under `key`. False when the table is full.
  bool insert(void* key, State* state, const Dispatch& dispatch) {
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0, at = slot(key); i < kSlots; ++i, at = (at + 1) % kSlots) {
      Entry* entry = slots_[at].load(std::memory_order_relaxed);
      if (entry != nullptr && entry->key.load(std::memory_order_relaxed) != nullptr) continue;
      const bool fresh = entry == nullptr;
      if (fresh) entry = new Entry;
      entry->state = state;
      entry->dispatch = dispatch;
      entry->key.store(key, std::memory_order_release);
      if (fresh) slots_[at].store(entry, std::memory_order_release);
      latest_.store(entry, std::memory_order_release);
      return true;
    }
    return false;
  }

  // A command that was not to be had yet when `dispatch` was filled.
  void complete(void* key, CommandId id, PFN_vkVoidFunction function) {
    const std::lock_guard guard(lock_);
    if (Entry* entry = probe(key); entry != nullptr && entry->dispatch.at(id) == nullptr)
      entry->dispatch.set(id, function);
  }

  // No insert or erase is halfway between these two: for handlers of fork.
  void lock() { lock_.lock(); }
  void unlock() { lock_.unlock(); }

  void erase(void* key) {
    const std::lock_guard guard(lock_);
    if (Entry* entry = probe(key); entry != nullptr) {
      entry->key.store(nullptr, std::memory_order_release);
      entry->state = nullptr;
    }
  }

 private:
  static std::size_t slot(void* key) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(key) >> 4) * 0x9e3779b97f4a7c15u >> 32) % kSlots;
  }
  Entry* probe(void* key) const {
    for (std::size_t i = 0, at = slot(key); i < kSlots; ++i, at = (at + 1) % kSlots) {
      Entry* const entry = slots_[at].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->key.load(std::memory_order_acquire) == key) return entry;
    }
    return nullptr;
  }

  std::mutex lock_;  // writers only
  std::atomic<Entry*> latest_{nullptr};
  std::atomic<Entry*> slots_[kSlots] = {};
};

}  // namespace rondo::layer
