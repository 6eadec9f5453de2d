// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/by_handle.h"

#include <cstdint>
#include <utility>

#include "layer/driver/door.h"
#include "layer/driver/door_words.h"

namespace rondo::layer {

namespace {

// What this thread found last, as of so many changes.
struct Last {
  const void* handle = nullptr;
  void* entry = nullptr;
  std::uint64_t changes = 0;
};
thread_local constinit Last t_last;

std::atomic<const RondoShared*> g_shared{nullptr};
thread_local constinit int t_at_layers = 0;
thread_local constinit bool t_at_drivers = false;

}  // namespace

AtLayersDoor::AtLayersDoor() : shared_(g_shared.load(std::memory_order_acquire)) {
  ++t_at_layers;
  if (shared_ != nullptr) shared_->at_layers_doors(1);
}
AtLayersDoor::~AtLayersDoor() {
  if (shared_ != nullptr) shared_->at_layers_doors(-1);
  --t_at_layers;
}
bool at_layers_door() {
  const RondoShared* const shared = g_shared.load(std::memory_order_acquire);
  return t_at_layers != 0 || (shared != nullptr && shared->at_layers_doors(0) != 0);
}
void share_doors(const RondoShared* shared) { g_shared.store(shared, std::memory_order_release); }

AtDriversDoor::AtDriversDoor() { t_at_drivers = true; }
AtDriversDoor::~AtDriversDoor() { t_at_drivers = false; }
bool take_drivers_door() { return std::exchange(t_at_drivers, false); }

void ByHandle::add(const void* handle, void* entry) {
  const std::lock_guard guard(lock_);
  void*& known = entries_[handle];
  if (known == entry) return;
  known = entry;
  changes_.fetch_add(1, std::memory_order_release);
}

void ByHandle::remove(const void* handle) {
  const std::lock_guard guard(lock_);
  // With all that is of the same instance or device: their values may be others' soon.
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return;
  void* const entry = found->second;
  if (std::erase_if(entries_, [entry](const auto& one) { return one.second == entry; }) != 0)
    changes_.fetch_add(1, std::memory_order_release);
}

void ByHandle::forget(const void* handle) {
  const std::lock_guard guard(lock_);
  if (entries_.erase(handle) != 0) changes_.fetch_add(1, std::memory_order_release);
}

void* ByHandle::find(const void* handle) const {
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (t_last.handle == handle && t_last.changes == changes) return t_last.entry;
  const std::lock_guard guard(lock_);
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return nullptr;
  t_last = {handle, found->second, changes_.load(std::memory_order_relaxed)};
  return found->second;
}

ByHandle& by_handle() {
  static ByHandle* const all = new ByHandle;  // outlives every destructor
  return *all;
}

}  // namespace rondo::layer
