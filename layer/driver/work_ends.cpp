// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/work_ends.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>

#include "format/address_space.h"
#include "format/file.h"
#include "generated/args.h"
#include "layer/driver/fences.h"
#include "layer/driver/state.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "layer/recorder/own_thread.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

// The first look after a submission, and the shortest time between two.
constexpr std::uint64_t kShortest = 1'000'000;  // ns
// The shortest time between two looks after kQuietLooks looks in a row that found no host write.
constexpr std::uint64_t kQuiet = 4'000'000;  // ns
constexpr unsigned kQuietLooks = 16;
// The thread looks at old work less often: the time between two looks is at least the age of the oldest
// submission that has not ended, divided by this.
constexpr std::uint64_t kLookShare = 16;
// A scan takes at most this share of the time.
constexpr std::uint64_t kScanShare = 128;
// So long after the last work the thread still looks for more by itself; then a submission wakes it.
constexpr std::uint64_t kLinger = 20'000'000;  // ns

std::uint64_t told_or_ended(const QueueProgress& queue) { return std::max(queue.told, queue.ended); }
std::uint64_t perhaps_ended(const QueueProgress& queue) {
  return std::max({queue.perhaps, queue.finished, queue.unwatched});
}

void write_ended(ThreadState& state, VkQueue queue, std::uint64_t from, std::uint64_t to, std::uint64_t submitted,
                 bool unsure) {
  constexpr std::uint64_t most = UINT32_MAX;
  const args_rondoWorkEnded args{queue, static_cast<std::uint32_t>(std::min(to - from, most)),
                                 static_cast<std::uint32_t>(std::min(submitted - to, most)),
                                 unsure ? VK_TRUE : VK_FALSE};
  if (!encode_payload(state, state.host_writes, CommandId::rondoWorkEnded, &args, true)) return;
  write_call(state, CommandId::rondoWorkEnded, 0, g_hot.writer->take_sequence(), {}, state.host_writes.bytes());
}

}  // namespace

void run_work_ends() noexcept {
  ::pthread_setname_np(::pthread_self(), "rondo-ends");
  work_ends().run();
}

// No fence is needed while no memory was ever mapped: the program cannot write such memory, and before it
// can, it calls vkMapMemory, which the layer sees.
VkFence WorkEnds::fence_for(DeviceState& device, VkFence given) {
  if (given != VK_NULL_HANDLE || device.own_fences == nullptr || device.memories.ever_mapped == 0 || !recording())
    return given;
  VkFence own = VK_NULL_HANDLE;
  return device.own_fences->take(own) == VK_SUCCESS ? own : VK_NULL_HANDLE;
}

void WorkEnds::submitted(DeviceState& device, VkQueue queue, std::uint64_t number, VkFence given, VkFence used) {
  if (device.own_fences == nullptr) return;
  QueueProgress& progress = device.memories.queues[queue];
  if (used == VK_NULL_HANDLE || device.memories.ever_mapped == 0 || !recording()) {
    progress.unwatched = std::max(progress.unwatched, number);
    return refused(device, given, used);
  }
  if (std::find(devices_.begin(), devices_.end(), &device) == devices_.end()) devices_.push_back(&device);
  const std::uint64_t now = now_ns();
  watched_.push_back({&device, queue, number, used, used != given, now});
  if (!std::exchange(started_, true)) {
    const int before = errno;  // of the program
    if (const int error = start_own_thread(run_work_ends); error != 0)
      log(LogLevel::info,
          "no thread to see work end: " + errno_text(error) + "; host writes without a wait are ambiguous");
    errno = before;
  }
  if (watched_.size() == 1) next_ns_ = now + shortest();
  if (asleep_) wake_.notify_one();
}

void WorkEnds::refused(DeviceState& device, VkFence given, VkFence used) {
  if (used != given && used != VK_NULL_HANDLE) device.own_fences->give(used);
}

std::uint64_t WorkEnds::shortest() const { return quiet_ < kQuietLooks ? kShortest : kQuiet; }
std::uint64_t WorkEnds::next() const { return std::max(next_ns_, scanned_ns_ + shortest()); }

void WorkEnds::let_go(const Watched& one) {
  if (one.own) one.device->own_fences->give(one.fence);
}

void WorkEnds::let_go(DeviceState& device, std::span<const VkFence> fences) {
  std::erase_if(watched_, [&](const Watched& one) {
    if (one.device != &device || one.own || std::find(fences.begin(), fences.end(), one.fence) == fences.end())
      return false;
    QueueProgress& progress = device.memories.queues[one.queue];
    if (device.next->vkGetFenceStatus(device.device, one.fence) == VK_SUCCESS)
      progress.perhaps = std::max(progress.perhaps, one.number);
    else
      progress.unwatched = std::max(progress.unwatched, one.number);
    return true;
  });
}

void WorkEnds::let_go(DeviceState& device) {
  std::erase_if(watched_, [&](const Watched& one) {
    if (one.device == &device) let_go(one);
    return one.device == &device;
  });
  std::erase(devices_, &device);
}

bool WorkEnds::has_ended(const Watched& one) {
  QueueProgress& progress = one.device->memories.queues[one.queue];
  if (std::max(progress.finished, progress.perhaps) >= one.number) return true;
  switch (one.device->next->vkGetFenceStatus(one.device->device, one.fence)) {
    case VK_SUCCESS:
      progress.perhaps = one.number;
      return true;
    case VK_NOT_READY:
      return false;
    default:  // a lost device: nobody knows
      progress.unwatched = std::max(progress.unwatched, one.number);
      return true;
  }
}

void WorkEnds::look() {
  busy_.clear();
  std::erase_if(watched_, [&](const Watched& one) {
    // A fence is signalled after all that was submitted to its queue before.
    if (std::find(busy_.begin(), busy_.end(), one.queue) != busy_.end()) return false;
    if (!has_ended(one)) {
      busy_.push_back(one.queue);
      return false;
    }
    let_go(one);
    return true;
  });
}

bool WorkEnds::begin_scan() {
  if (devices_.empty()) return false;
  scanned_ns_ = now_ns();
  look();
  bool needed = !watched_.empty();
  for (DeviceState* device : devices_)
    for (auto& [queue, progress] : device->memories.queues) {
      progress.seen = std::max(progress.perhaps, progress.finished);
      needed = needed || progress.seen > told_or_ended(progress);
    }
  return needed;
}

void WorkEnds::end_scan() {
  for (DeviceState* device : devices_)
    for (auto& [queue, progress] : device->memories.queues) progress.ended = std::max(progress.ended, progress.seen);
}

void WorkEnds::tell(ThreadState& state, DeviceState& device, bool undated) {
  for (auto& [queue, progress] : device.memories.queues) {
    // A wait of the program's after a record that was unsure: this makes it sure.
    const bool waited = progress.unsure != 0 && progress.told >= progress.unsure;
    if (!undated && (progress.ended > progress.told || waited)) {
      const std::uint64_t to = std::max(progress.ended, progress.told);
      write_ended(state, queue, progress.told, to, progress.submitted, false);
      progress.told = to;
      progress.unsure = 0;
    }
    const std::uint64_t to = std::min(std::max(progress.ended, perhaps_ended(progress)), progress.submitted);
    if (to <= progress.told) continue;
    write_ended(state, queue, progress.told, to, progress.submitted, true);
    progress.unsure = to;
  }
}

void WorkEnds::told_idle(DeviceState& device) {
  for (auto& [queue, progress] : device.memories.queues) progress.told = std::max(progress.told, progress.finished);
}

// Until there is something to look at. False: it is not time yet.
bool WorkEnds::rest(HostMemory::Lock& lock) {
  const auto wait = [&](std::uint64_t ns) { wake_.wait_for(lock, std::chrono::nanoseconds(ns)); };
  const std::uint64_t now = now_ns();
  if (watched_.empty() || !recording()) {
    asleep_ = !recording() || now - busy_ns_ > kLinger;
    if (asleep_)
      wake_.wait(lock);
    else
      wait(shortest());
    asleep_ = false;
    return false;
  }
  busy_ns_ = now;
  // A scan before a call of the program's serves as well.
  if (const std::uint64_t due = next(); now < due) wait(due - now);
  return now_ns() >= next();
}

void WorkEnds::run() {
  auto lock = host_memory().enter();
  for (;;) {
    if (!rest(lock) || watched_.empty() || !recording()) continue;
    const std::uint64_t begun = now_ns();
    bool found = false;
    // Records take memory, and what is left may be all that the program has.
    guarded([&] { found = host_memory().record_between(!address_space_limit()); });
    quiet_ = found ? 0 : quiet_ + 1;
    const std::uint64_t now = now_ns();
    const std::uint64_t since = watched_.empty() ? 0 : now - watched_.front().since_ns;
    next_ns_ = now + std::max({shortest(), since / kLookShare, (now - begun) * kScanShare});
  }
}

WorkEnds& work_ends() {
  static auto* const one = new WorkEnds;  // outlives every destructor
  return *one;
}

}  // namespace rondo::layer
