// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "format/unverified.h"
#include "generated/args.h"
#include "layer/driver/state.h"
#include "layer/driver/work_ends.h"
#include "layer/memory/kernel.h"
#include "layer/recorder/log.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

// Larger ranges stand alone: the same bytes written again are then the same blob.
constexpr std::uint64_t kGrouped = 4096;
// Still larger ones, and groups, are recorded in pieces of this: a reader holds one, and
// bytes that move in a file are few.
constexpr std::uint64_t kPiece = 4u << 20;
constexpr std::size_t kMostRanges = kPiece / sizeof(RondoRange);

memory::Device activity(const Memory& memory) {
  const DeviceMemory& device = memory.device->memories;
  if (!memory.device_writable || memory.refreshed == device.epoch) return memory::Device::idle;
  return device.settled == device.epoch ? memory::Device::settled : memory::Device::active;
}

// Of the program's own pages nothing tells host from device: what work in flight writes there is
// recorded when that is finished.
bool waits_for_work(const Memory& memory) {
  return memory.pages != nullptr && memory.device->settler != nullptr && activity(memory) == memory::Device::active &&
         memory.tracked->anything_differs();
}

void tell_settled(ThreadState& state, DeviceState& device) {
  if (device.memories.settled != device.memories.epoch || device.memories.told_settled) return;
  const args_rondoDeviceIdle args{device.device};
  if (!encode_payload(state, state.host_writes, CommandId::rondoDeviceIdle, &args, true)) return;
  write_call(state, CommandId::rondoDeviceIdle, 0, g_hot.writer->take_sequence(), {}, state.host_writes.bytes());
  device.memories.told_settled = true;
  WorkEnds::told_idle(device);
}

// What is gathered for a record. Kept, guarded by HostMemory's lock: new pages for it at
// every submit cost more than what is put there.
struct Gathered {
  std::vector<RondoRange> ranges;
  std::vector<std::byte> bytes;
};

Gathered& gathered() {
  static auto* const all = new Gathered;  // outlives every destructor
  return *all;
}

// Host writes of one memory, gathered into as few records as make sense.
class WriteRecorder {
 public:
  WriteRecorder(ThreadState& state, const Memory& memory) : state_(state), memory_(memory) { clear(); }
  ~WriteRecorder() { flush(); }

  void add(const memory::Range& range) {
    const std::uint64_t offset = memory_.map_offset + range.offset;
    if (offset >= memory_.size) return;  // the import's rounding
    const std::uint64_t end = offset + std::min(range.size, memory_.size - offset);
    if (!range.ambiguous) return add({offset, end - offset}, range.bytes, false);
    memory_.outside_drivers_own(Memory::Own::alone, offset, end, [&](VkDeviceSize from, VkDeviceSize to) {
      add({from, to - from}, range.bytes + (from - offset), true);
    });
  }

 private:
  void add(const RondoRange& part, const std::byte* bytes, bool ambiguous) {
    if (part.size > kGrouped) {
      flush();
      for (std::uint64_t at = part.offset, end = part.offset + part.size; at < end;) {
        const RondoRange piece{at, std::min(kPiece, end - at)};
        write({&piece, 1}, {bytes, static_cast<std::size_t>(piece.size)}, ambiguous);
        bytes += piece.size;
        at += piece.size;
      }
      return;
    }
    if (ambiguous != ambiguous_ || bytes_.size() + part.size > kPiece || ranges_.size() >= kMostRanges) flush();
    ambiguous_ = ambiguous;
    ranges_.push_back(part);
    bytes_.insert(bytes_.end(), bytes, bytes + part.size);
  }

  void flush() {
    if (!ranges_.empty()) write(ranges_, bytes_, ambiguous_);
    clear();
  }

  void clear() {
    ranges_.clear();
    bytes_.clear();
  }

  void write(std::span<const RondoRange> ranges, std::span<const std::byte> bytes, bool ambiguous) {
    args_rondoHostWrite args{};
    args.device = memory_.device->device;
    args.memory = memory_.handle;
    args.rangeCount = static_cast<std::uint32_t>(ranges.size());
    args.pRanges = ranges.data();
    args.dataSize = bytes.size();
    args.pData = bytes.data();
    if (!encode_payload(state_, state_.host_writes, CommandId::rondoHostWrite, &args, true)) return;
    write_call(state_, CommandId::rondoHostWrite, ambiguous ? kRecordAmbiguous : 0, g_hot.writer->take_sequence(), {},
               state_.host_writes.bytes());
  }

  ThreadState& state_;
  const Memory& memory_;
  std::vector<RondoRange>& ranges_ = gathered().ranges;
  std::vector<std::byte>& bytes_ = gathered().bytes;
  bool ambiguous_ = false;
};

// So many ranges are as good as all of it.
constexpr std::size_t kMostLogged = 1u << 16;

void log_ranges(Memory& memory, std::span<const memory::Range> ranges) {
  const auto log = [&](VkDeviceSize from, VkDeviceSize to) {
    if (memory.logged.size() < kMostLogged)
      memory.logged.push_back({memory.map_offset + from, memory.map_offset + to});
    else
      memory.logged.back() = {0, memory::whole};
  };
  for (const memory::Range& range : ranges) log(range.offset, range.offset + range.size);
  memory.tracked->each_undone(log);
}

void write_ranges(ThreadState* state, Memory& memory, std::span<const memory::Range> ranges) {
  if (state == nullptr) return;
  if (memory.logs) log_ranges(memory, ranges);
  if (ranges.empty()) return;
  // With a refresh since then, what the device wrote is in base, and only what is ambiguous may hold it.
  if (activity(memory) == memory::Device::settled ||
      std::any_of(ranges.begin(), ranges.end(), [](const memory::Range& range) { return range.ambiguous; }))
    tell_settled(*state, *memory.device);
  WorkEnds::tell(*state, *memory.device, memory.undated);
  WriteRecorder recorder(*state, memory);
  for (const memory::Range& range : ranges) recorder.add(range);
}

bool advance(QueueProgress& queue, std::uint64_t finished) {
  queue.told = std::max(queue.told, finished);
  if (queue.finished >= finished) return false;
  queue.finished = finished;
  return true;
}

}  // namespace

const char* why_not_apart(const Memory& memory) {
  if (memory.tracked == nullptr) return text_of(Unverified::not_found);
  if (memory.tracked->tells_devices_apart()) return nullptr;
  return text_of(memory.alias == nullptr ? Unverified::drivers_memory : Unverified::no_means);
}

void HostMemory::before_fork() {
  lock_.lock();
  if (tracker_ != nullptr) tracker_->before_fork();
}

void HostMemory::after_fork(bool is_child) {
  if (tracker_ != nullptr) tracker_->after_fork(is_child);
  lock_.unlock();
}

int HostMemory::advise(std::byte* start, std::size_t bytes, int advice) {
  constexpr int ask_the_kernel = -1, dontneed_locked = 24;
  // Other advice is as good for our pages as for a driver's. This is asked without the lock, which is held where the
  // kernel is asked about pages of ours.
  const bool gives_back = advice == MADV_DONTNEED || advice == dontneed_locked;
  if (!gives_back && advice != MADV_FREE && advice != MADV_REMOVE) return ask_the_kernel;
  const std::size_t whole = (bytes + memory::page_bytes - 1) / memory::page_bytes * memory::page_bytes;
  const Lock guard = enter();
  if (tracker_ == nullptr || !tracker_->is_private(start, whole)) return ask_the_kernel;
  if (gives_back) return tracker_->give_back(start, whole) ? 0 : ask_the_kernel;
  // MADV_FREE: the kernel may take the pages later, or never. MADV_REMOVE: there is no file beneath private pages.
  return advice == MADV_FREE ? 0 : EINVAL;
}

memory::Tracker* HostMemory::start_tracker(const char* choice) {
  if (tracker_ == nullptr) {
    const bool must_tell = settings().checkpoints >= Checkpoints::readback;
    tracker_ = memory::Tracker::create(choice, must_tell);
    if (tracker_ == nullptr) return nullptr;
    // What was asked for, or cannot be had without: whoever looks at the result has to know.
    const bool asked = settings().memory != "auto" || must_tell;
    if (!tracker_->message().empty()) log(asked ? LogLevel::warn : LogLevel::info, tracker_->message());
    log(LogLevel::info, std::string("host writes are found by: ") + memory::name(tracker_->mechanism()));
  }
  return tracker_.get();
}

Memory* HostMemory::find(DeviceState& device, VkDeviceMemory handle) {
  const auto found = device.memories.memories.find(handle);
  return found == device.memories.memories.end() ? nullptr : found->second.get();
}

// Whether pages of `asked` were kept.
bool HostMemory::record_all(ThreadState* state, memory::Contested contested, const DeviceState* asked) {
  if (tracker_ == nullptr || (state == nullptr && !any_shadow)) return false;
  bool kept = false;
  const auto record_one = [&](memory::Tracked* tracked, Memory& memory) {
    if (contested == memory::Contested::keep && memory.device == asked && waits_for_work(memory)) {
      kept = true;
      return;
    }
    write_ranges(state, memory, tracked->changes(activity(memory), contested));
    memory.owes = !memory.mapped && tracked->kept_contested();
    kept |= memory.device == asked && tracked->kept_contested();
  };
  if (state != nullptr) work_ends().begin_scan();
  const std::span<memory::Tracked* const> found = tracker_->scan();
  if (state != nullptr && !found.empty()) work_ends().look();
  // What may be older than the end of work is recorded before the record that says so.
  for (const bool undated : {true, false})
    for (memory::Tracked* tracked : found) {
      Memory& memory = *static_cast<Memory*>(tracked->user);
      if (state == nullptr && !tracked->is_shadow()) continue;
      // Writes to other memory mean nothing before they are flushed.
      if (memory.coherent && (memory.mapped || memory.owes) && memory.undated == undated) record_one(tracked, memory);
    }
  for (memory::Tracked* tracked : found) static_cast<Memory*>(tracked->user)->undated = false;
  if (state != nullptr) work_ends().end_scan();
  return kept;
}

bool HostMemory::record_between(bool may_record) {
  if (tracker_ == nullptr || !work_ends().begin_scan()) return false;
  const std::span<memory::Tracked* const> found = tracker_->scan(memory::Tracker::Between::yes);
  ThreadState* const state = found.empty() || !may_record ? nullptr : thread_state();
  if (!found.empty() && may_record && state == nullptr) return false;
  if (!found.empty()) work_ends().look();
  bool written = false;
  for (memory::Tracked* tracked : found) {
    Memory& memory = *static_cast<Memory*>(tracked->user);
    if (!memory.coherent || !(memory.mapped || memory.owes)) continue;
    const bool told_apart =
        activity(memory) != memory::Device::active || tracked->is_shadow() || tracked->watches_device();
    if (state == nullptr || memory.pages != nullptr || !told_apart) {
      memory.undated = memory.undated || tracked->anything_differs();
      written = written || memory.undated;
    } else if (!memory.undated) {
      const std::span<const memory::Range> ranges = tracked->changes(activity(memory), memory::Contested::keep);
      write_ranges(state, memory, ranges);
      written = written || !ranges.empty();
    }
  }
  work_ends().end_scan();
  return written;
}

void HostMemory::record_told_apart(ThreadState& state) {
  if (tracker_ == nullptr) return;
  for (memory::Tracked* tracked : tracker_->scan()) {
    Memory& memory = *static_cast<Memory*>(tracked->user);
    if (!memory.coherent || !(memory.mapped || memory.owes) || !tracked->tells_devices_apart()) continue;
    write_ranges(&state, memory, tracked->changes(activity(memory)));
    memory.owes = false;
  }
}

void HostMemory::log_writes(Memory& memory, bool may) {
  memory.logs = may;
  std::vector<Memory::Written>().swap(memory.logged);
  // What is undone in a shadow never comes to the device.
  if (memory.tracked != nullptr) memory.tracked->note_undone(may && !memory.tracked->is_shadow());
}

std::span<const memory::Range> HostMemory::record(ThreadState* state, Memory& memory, VkDeviceSize offset,
                                                  VkDeviceSize size, memory::Contested contested) {
  if (memory.tracked == nullptr || (state == nullptr && !memory.tracked->is_shadow())) return {};
  // A flush of the program's own pages makes nothing visible that the next submit does not.
  if (contested == memory::Contested::keep && memory.pages != nullptr) return {};
  const VkDeviceSize from = offset > memory.map_offset ? offset - memory.map_offset : 0;
  const std::span<const memory::Range> found = memory.tracked->collect(from, size, activity(memory), contested);
  if (state != nullptr && !found.empty()) work_ends().look();
  write_ranges(state, memory, found);
  if (from == 0 && size == memory::whole) memory.undated = false;
  return found;
}

std::uint64_t HostMemory::submitted(DeviceState& device, VkQueue queue, VkFence fence) {
  DeviceMemory& d = device.memories;
  ++d.epoch;
  const std::uint64_t number = ++d.queues[queue].submitted;
  if (fence != VK_NULL_HANDLE) d.fences[fence] = {queue, number};
  return number;
}

// The epoch stays: a device that was lost halfway may have written something.
void HostMemory::not_submitted(DeviceState& device, VkQueue queue, VkFence fence) {
  DeviceMemory& d = device.memories;
  QueueProgress& progress = d.queues[queue];
  // The number is still the latest: a queue is one thread's at a time.
  const std::uint64_t number = progress.submitted;
  if (progress.finished < number) --progress.submitted;
  const auto use = d.fences.find(fence);
  if (use != d.fences.end() && use->second.queue == queue && use->second.submitted == number) d.fences.erase(use);
  d.host_waits.not_submitted(queue, number);
}

bool HostMemory::finished(DeviceState& device, std::span<const VkFence> fences) {
  DeviceMemory& d = device.memories;
  bool news = false;
  for (VkFence fence : fences) {
    const auto use = d.fences.find(fence);
    if (use == d.fences.end()) continue;
    news |= advance(d.queues[use->second.queue], use->second.submitted);
    d.fences.erase(use);
  }
  return news;
}

bool HostMemory::finished(DeviceState& device, VkQueue queue) {
  DeviceMemory& d = device.memories;
  QueueProgress& progress = d.queues[queue];
  // Of fences that nobody waits for, nobody else would be rid.
  std::erase_if(d.fences, [&](const auto& fence) { return fence.second.queue == queue; });
  return advance(progress, progress.submitted);
}

bool HostMemory::finished(DeviceState& device) {
  bool news = false;
  for (auto& [queue, progress] : device.memories.queues) news |= advance(progress, progress.submitted);
  device.memories.fences.clear();
  return news;
}

bool HostMemory::reached(DeviceState& device, VkSemaphore timeline, std::uint64_t value) {
  DeviceMemory& d = device.memories;
  std::vector<HostWaits::Ended> ended;
  const bool news = d.host_waits.reached(timeline, value, ended);
  for (const HostWaits::Ended& one : ended) advance(d.queues[one.queue], one.number);
  return news;
}

void HostMemory::settled(DeviceState& device) {
  DeviceMemory& d = device.memories;
  for (auto& [queue, progress] : d.queues) progress.finished = progress.submitted;
  d.fences.clear();
  if (d.settled == d.epoch) return;
  d.settled = d.epoch;
  d.told_settled = false;
}

bool HostMemory::idle(const DeviceState& device) {
  return std::all_of(device.memories.queues.begin(), device.memories.queues.end(),
                     [](const auto& queue) { return queue.second.finished == queue.second.submitted; });
}

void HostMemory::refresh(DeviceState& device) {
  const bool settled = idle(device);
  const std::uint64_t look = ++device.memories.looks;
  if (settled) device.memories.refreshed = device.memories.epoch;
  for (auto& [handle, memory] : device.memories.memories) {
    // What the program has unmapped is refreshed when it maps it again.
    if (memory->tracked == nullptr || !(memory->mapped || memory->owes) || !memory->device_writable ||
        memory->refreshed == device.memories.epoch)
      continue;
    memory->tracked->refresh(0, memory::whole, settled ? memory::Refresh::finished : memory::Refresh::known);
    memory->looked = look;
    if (settled) memory->refreshed = device.memories.epoch;
  }
}

void HostMemory::record_owed(ThreadState& state, DeviceState& device) {
  if (!idle(device)) return;
  for (auto& [handle, memory] : device.memories.memories) {
    if (!memory->owes || memory->mapped) continue;
    record(&state, *memory);
    memory->owes = false;
  }
}

// A shadow shows the program what a device wrote only so.
bool HostMemory::to_refresh(const DeviceState& device) {
  return any_shadow || (device.memories.refreshed != device.memories.epoch && idle(device));
}

HostMemory& host_memory() {
  static HostMemory* const memory = new HostMemory;
  return *memory;
}

}  // namespace rondo::layer
