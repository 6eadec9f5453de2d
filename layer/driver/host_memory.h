// SPDX-License-Identifier: Apache-2.0
// The program's mapped memory, and the one critical section of host writes
// (docs/layer.md, "Host writes"): scan, record the writes, take and commit the number of the
// submit, flush, unmap, free, signal or event, then leave it and call the
// driver. Device memory is made and found under the same lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/vulkan.h"
#include "layer/driver/host_waits.h"
#include "layer/memory/tracker.h"
#include "layer/recorder/thread_state.h"

namespace rondo::layer {

struct DeviceState;

// A buffer that lives in a memory and that a device can write.
struct BoundBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;  // as the program asked
};

// One VkDeviceMemory.
struct Memory {
  DeviceState* device = nullptr;
  VkDeviceMemory handle = VK_NULL_HANDLE;
  VkDeviceSize size = 0;  // as the program asked
  std::uint32_t type = 0;
  bool coherent = false;
  bool addressed = false;  // device addresses
  bool zeroed = false;
  bool undated = false;  // was written before work in flight had ended, or after that: what is found next
  bool mapped = false;
  bool mapped_before = false;
  // Contested pages, from before it was unmapped: for the next submit, or the wait after which nothing works
  // any more.
  bool owes = false;
  bool device_writable = false;      // something is bound that a device can write
  std::byte* pages = nullptr;        // the program's own, imported: it can always write them, `mapped` stays true
  std::vector<BoundBuffer> buffers;  // with read-back checkpoints
  struct DriversOwn {
    VkDeviceSize from, to;
    VkBuffer alone;  // is for nothing else and lives: no host writes there; or null
  };
  // Of buffers that a driver preprocesses commands into: nobody else can read them, and they
  // may hold pointers of this process. As long as the memory lives.
  std::vector<DriversOwn> drivers_own;
  enum class Own { all, alone };
  // Calls visit(from, to) for what of these bytes is not.
  template <class Visit>
  void outside_drivers_own(Own which, VkDeviceSize from, VkDeviceSize to, Visit&& visit) const {
    while (from < to) {
      VkDeviceSize end = to, behind = from;
      for (const DriversOwn& own : drivers_own) {
        if (which == Own::alone && own.alone == VK_NULL_HANDLE) continue;
        if (own.from <= from && from < own.to) behind = std::max(behind, own.to);
        if (from < own.from) end = std::min(end, own.from);
      }
      if (behind == from) visit(from, end);
      from = behind != from ? behind : end;
    }
  }
  VkDeviceSize mapped_from = 0;  // what the program has mapped
  VkDeviceSize mapped_to = 0;
  VkDeviceSize map_offset = 0;  // tracking of a driver's own mapping begins here; alias: 0
  std::uint64_t refreshed = 0;  // DeviceMemory::epoch when it was last refreshed on an idle device
  std::uint64_t looked = 0;     // DeviceMemory::looks when it was last refreshed at all
  std::uint64_t checked = 0;    // … when there was last a checkpoint of it, or nothing to see
  // Host writes that were recorded or undone, by whom ever, since a checkpoint of submits
  // began to read.
  struct Written {
    VkDeviceSize from, to;
  };
  bool logs = false;
  std::vector<Written> logged;
  std::unique_ptr<memory::AliasMemory> alias;  // before `tracked`, which ends first
  std::unique_ptr<memory::Tracked> tracked;
};

// Why nothing tells the host's writes to it from the device's; null: something does. Not of the program's own
// pages (`pages`), where nothing ever does.
const char* why_not_apart(const Memory& memory);

// Before the driver frees pages that memory of ours covers.
inline void uncover(Memory& memory) {
  if (memory.alias == nullptr || !memory.alias->covers()) return;
  memory.tracked.reset();
  memory.alias->uncover();
}

// What a queue has been given and has finished, in submissions.
struct QueueProgress {
  std::uint64_t submitted = 0;
  std::uint64_t finished = 0;  // the program has waited for it, or the layer has
  // Without a wait (work_ends.h).
  std::uint64_t perhaps = 0;    // had ended when the layer asked last
  std::uint64_t seen = 0;       // had ended when the scan began that is running
  std::uint64_t ended = 0;      // had ended when the last scan of everything began
  std::uint64_t unwatched = 0;  // nobody can say when it ended
  std::uint64_t told = 0;       // the capture says that it had ended, by a wait or a record
  std::uint64_t unsure = 0;     // the last record says that it may have ended; 0: it is sure
};

// Of one device; a member of DeviceState.
struct DeviceMemory {
  std::unordered_map<VkDeviceMemory, std::unique_ptr<Memory>> memories;
  struct BufferUse {
    VkDeviceSize size = 0;
    bool writable = false;                   // by a device
    bool addressed = false;                  // its device address may be asked for
    bool external = false;                   // may live in imported memory
    bool drivers_own = false;                // what a driver writes there only it can read
    bool drivers_alone = false;              // … and nothing else is there
    VkDeviceMemory memory = VK_NULL_HANDLE;  // null before it is bound
  };
  std::unordered_map<VkBuffer, BufferUse> buffers;
  // Images that may not live in imported memory, not yet bound: the bytes they
  // need. An allocation with room for one is not imported.
  std::unordered_map<VkImage, VkDeviceSize> plain_images;
  bool sparse_seen = false;  // a sparse resource was made, or asked for what it needs
  // From then on: buffers and images that are not sparse, not yet bound, and the bytes that they need.
  std::unordered_map<std::uint64_t, VkDeviceSize> unbound;
  // How large the allocations with device addresses were whose pages were bound (sparse.h).
  std::unordered_set<VkDeviceSize> page_pools;
  std::unordered_map<VkQueue, QueueProgress> queues;
  struct FenceUse {
    VkQueue queue;
    std::uint64_t submitted;
  };
  std::unordered_map<VkFence, FenceUse> fences;
  std::uint64_t epoch = 1;        // grows with every submit
  std::uint64_t signals = 0;      // by the host: what they may have let go on
  std::uint64_t settled = 0;      // epoch at which the layer itself found all work finished, 0: it did not
  bool told_settled = false;      // … and a record says so
  std::uint64_t refreshed = 0;    // epoch when all that is mapped was last refreshed with all work finished
  std::uint64_t looks = 0;        // refreshes, of which each left out what was not mapped
  std::uint64_t ever_mapped = 0;  // memories that live and were mapped once
  HostWaits host_waits;
  bool told_of_misplaced = false;                                       // images: one note is enough
  bool told_of_sparse_address = false, told_of_imported_pages = false;  // likewise
  bool told_of_shared = false;                                          // semaphores and fences: likewise
};

class HostMemory {
 public:
  using Lock = std::unique_lock<std::mutex>;
  Lock enter() { return Lock(lock_); }
  // Handlers of fork. The first enters the critical section, and the other leaves it.
  void before_fork();
  void after_fork(bool is_child);

  // madvise(2) by the program, of whole pages of mapped memory; not inside the critical section. -1: the kernel is to
  // be asked; else the error, or 0.
  int advise(std::byte* start, std::size_t bytes, int advice);

  // Some memory has a shadow: it is kept up whether anything is recorded or not.
  static inline std::atomic<bool> any_shadow{false};

  // Everything below: inside the critical section.

  // Null before the first device that is recorded.
  memory::Tracker* tracker() { return tracker_.get(); }
  // Creates it at the first call; null when out of memory.
  memory::Tracker* start_tracker(const char* choice);

  static Memory* find(DeviceState& device, VkDeviceMemory handle);

  // Host writes to coherent memory, everywhere. Before a submit, signal, event.
  // `state` null: nothing is recorded, and shadows are given to their devices.
  void record_all(ThreadState* state) { record_all(state, memory::Contested::record, nullptr); }
  // … but for pages that work in flight may have written, too: their bytes can be told
  // once the device is settled(). True: this device has such pages.
  bool record_uncontested(ThreadState* state, const DeviceState& device) {
    return record_all(state, memory::Contested::keep, &device);
  }
  // Between the program's calls, by the layer's own thread, and after a wait: what can be told from the
  // device's writes. Nothing where it is not needed (WorkEnds::begin_scan). True: it has found host writes.
  // Without `may_record` what is found is undated, and left for the next scan before a call.
  bool record_between(bool may_record = true);
  // … to memory whose host writes are told from the device's.
  void record_told_apart(ThreadState& state);
  // Whether Memory::logged is kept, from now on; it is empty then.
  static void log_writes(Memory& memory, bool may);
  // Host writes to one memory. Before a flush, unmap or free. Returns them, from
  // the start of what is tracked, until the next call for this memory. `state` as above.
  std::span<const memory::Range> record(ThreadState* state, Memory& memory, VkDeviceSize offset = 0,
                                        VkDeviceSize size = memory::whole,
                                        memory::Contested contested = memory::Contested::record);
  // What is coherent needs no flush: contested pages stay for the next submit.
  static memory::Contested at_flush(const Memory& memory) {
    return memory.coherent ? memory::Contested::keep : memory::Contested::record;
  }

  // The submission's number among those to its queue, from 1.
  std::uint64_t submitted(DeviceState& device, VkQueue queue, VkFence fence);
  // The driver refused what submitted() counted: nobody will ever finish it.
  static void not_submitted(DeviceState& device, VkQueue queue, VkFence fence);
  // What the program has waited for. True: of work that it had not seen finished before.
  static bool finished(DeviceState& device, std::span<const VkFence> fences);
  static bool finished(DeviceState& device, VkQueue queue);
  static bool finished(DeviceState& device);
  static bool reached(DeviceState& device, VkSemaphore timeline, std::uint64_t value);
  static bool idle(const DeviceState& device);
  // The layer waited until all work was finished, and nothing was submitted since. A
  // record says so before host writes that may hold what that work wrote.
  static void settled(DeviceState& device);

  // After a wait: device writes to what is mapped become part of the last known contents.
  void refresh(DeviceState& device);
  // After a refresh: contested pages that unmapped memory owes, where the work that contested them has ended.
  void record_owed(ThreadState& state, DeviceState& device);
  // Whether a wait that saw nothing new has to, all the same.
  static bool to_refresh(const DeviceState& device);

 private:
  bool record_all(ThreadState* state, memory::Contested contested, const DeviceState* asked);

  std::mutex lock_;
  std::unique_ptr<memory::Tracker> tracker_;
};

HostMemory& host_memory();

}  // namespace rondo::layer
