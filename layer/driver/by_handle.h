// SPDX-License-Identifier: Apache-2.0
// Dispatchable handles of the driver's door (door.h). Nobody tells drivers' handles apart by their first word: it is
// the same in all of them until a loader puts its own there, if there is one. So they are found by their value.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace rondo::layer {

// Any thread. Handles of queues and command buffers stay until their device goes: nobody asks for them meanwhile.
class ByHandle {
 public:
  // `entry`: a KeyEntry of g_instances or g_devices.
  void add(const void* handle, void* entry);
  // An instance or a device, before the driver ends it, and all that is of it.
  void remove(const void* handle);
  // One that is somebody else's now: where a command buffer was, say, that its pool took with it.
  void forget(const void* handle);
  // Null where nothing is known of it.
  void* find(const void* handle) const;

  // No change is halfway between these two: for handlers of fork.
  void lock() { lock_.lock(); }
  void unlock() { lock_.unlock(); }

 private:
  mutable std::mutex lock_;  // of the kind that a forked child may unlock
  std::unordered_map<const void*, void*> entries_;
  std::atomic<std::uint64_t> changes_{1};
};

ByHandle& by_handle();

}  // namespace rondo::layer
