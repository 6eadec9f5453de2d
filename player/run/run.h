// SPDX-License-Identifier: Apache-2.0
// One playing of a plan, from nothing to nothing: owns the live objects, the
// slots that hold their handles, and the scratch that blocks are patched in.
// One thread (but see Deadline). In steady state it allocates nothing.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "generated/dispatch.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/readback.h"
#include "player/devices/devices.h"
#include "player/measure/times.h"
#include "player/plan/places.h"
#include "player/plan/plan.h"
#include "player/plan/shared_pages.h"
#include "player/run/deadline.h"
#include "player/run/last_submit.h"
#include "player/run/placement.h"
#include "player/run/steps.h"
#include "player/run/substitutes.h"
#include "player/verify/difference.h"
#include "player/verify/observer.h"

namespace rondo {
struct RondoRange;
}

namespace rondo::player {

std::uint64_t now_ns();  // CLOCK_MONOTONIC

class Presenter;
struct Windows;

struct RunOptions {
  bool verify = false;
  bool screenshots = false;
  bool validate = false;
  bool validate_sync = false;              // with synchronization validation
  Windows* windows = nullptr;              // where to show what is presented
  std::uint32_t jobs = 1;                  // threads that make pipelines in front of the span
  class PipelineCaches* caches = nullptr;  // null: the program's are used
  class BlobsAhead* blobs = nullptr;       // null: the plan has all that is written
  bool statistics = false;                 // devices that have pipelineStatisticsQuery are made with it
  bool counters = false;  // devices that have performance counters are made for them, and hold the profiling lock
};

// The live device of each captured one: an index into LiveDevices::list().
struct Targets {
  const std::vector<LiveDevice>* list = nullptr;
  std::vector<std::size_t> of;  // parallel to Plan::devices
  const LiveDevice& operator[](std::uint32_t device) const { return (*list)[of[device]]; }
};

struct InstanceState {
  VkInstance handle = VK_NULL_HANDLE;
  Dispatch dispatch;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::unordered_map<std::uint32_t, VkPhysicalDevice> targets;  // by index into Plan::devices
};

struct MemoryState {
  VkDeviceMemory handle = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  std::byte* mapped = nullptr;  // where host writes or checkpoints need it
  bool coherent = true;
  PlacedMemory placed;  // where it lies at a captured address
  PagesInUse pages;     // … or with other imports
};

// A descriptor pool that ran out where the captured one did not.
struct OverflowPools {
  std::vector<VkDescriptorPool> pools;
  std::unordered_map<VkDescriptorSet, VkDescriptorPool> home;  // of sets that live in one of them
};

struct VirtualSwapchain {
  std::uint32_t place = kNone;  // index into Plan::swapchains
  VkImageCreateInfo info{};
  VkPresentModeKHR present_mode = VK_PRESENT_MODE_FIFO_KHR;
  std::vector<VkImage> images;
  std::vector<VkDeviceMemory> memories;
  VkDeviceSize memory_bytes = 0;  // of each, and
  std::uint32_t memory_type = 0;
  // Presents with an id (VK_KHR_present_id) that are not known to be done, the lowest first.
  struct Present {
    std::uint64_t id = 0;
    VkFence done = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
  };
  std::vector<Present> presents;
  std::uint64_t presented_id = 0;  // all up to it are done
};

struct LiveQueue {
  ObjectId id = ObjectId::null;
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
};

struct DeviceState {
  VkDevice handle = VK_NULL_HANDLE;
  std::uint32_t index = kNone;  // into Plan::devices
  Dispatch dispatch;            // what the device lacks under one name stands under its other
  gpu::Access access;
  VkQueue service_queue = VK_NULL_HANDLE;  // for our own submits; also the program's
  std::uint32_t service_family = 0;
  std::vector<LiveQueue> queues;        // that the program asked for
  std::vector<VkFence> pending_fences;  // ours, destroyed with the device
  std::vector<VkFence> probe_memory;    // empty: used again from IdleProbe to IdleProbe
  // The checkpoint that found all queues idle and was played last. The op after it finds them idle, too.
  const Op* idle_after = nullptr;
  std::vector<VkSemaphore> payloads;                                            // of sync fds, likewise
  std::vector<VkCommandPool> own_command_pools;                                 // likewise
  std::vector<VkQueryPool> own_query_pools;                                     // likewise
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;                              // of PipelineCaches
  std::unordered_map<std::uint32_t, std::unique_ptr<gpu::Readback>> readbacks;  // by queue family
  std::unordered_map<std::uint32_t, std::unique_ptr<gpu::OneShot>> one_shots;   // likewise
  VkDeviceSize atom = 1;                                                        // nonCoherentAtomSize
  bool holds_profiling_lock = false;

  gpu::OneShot& one_shot(std::uint32_t family) {
    auto& made = one_shots[family];
    if (made == nullptr) made = std::make_unique<gpu::OneShot>(access, family);
    return *made;
  }
};

// A recorded image: it is compared when its present comes, on that queue.
struct ImageCheck {
  const Op* op = nullptr;
  const VirtualSwapchain* swapchain = nullptr;
  std::uint32_t image = 0;
  Digest digest;
};
// Behind the present's waits, on its queue: as the recorder read it.
Result<void> compare_images(class Run& run, DeviceState& device, const LiveQueue& queue,
                            const VirtualSwapchain& swapchain, std::uint32_t presented);

struct RunCounts {
  std::uint64_t calls = 0, submits = 0, frames = 0;
  double seconds = 0;  // first submit to last wait, of what was timed last

  RunCounts operator-(const RunCounts& before) const {
    return {calls - before.calls, submits - before.submits, frames - before.frames, seconds};
  }
};

using Executor = Result<void> (*)(class Run& run, const Op& op, std::byte* args);

class Run {
 public:
  Run(const Plan& plan, const Loader& loader, const Targets& targets, const RunOptions& options, Deadline& deadline,
      Observer& observer, PlacementCache& placements);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();  // finish(), where it was not called

  Result<void> play();  // all of the plan
  // The ops of the plan from where the last one ended, or from where go_back() went.
  Result<void> play_to(std::uint32_t last);
  // This span comes again and again: with `most` bytes at most for blocks.
  void make_ready(OpRange span, std::size_t most) { steps_ = std::make_unique<Steps>(*this, span, most); }
  // Null: the devices' own times are not asked for. Kept by the caller.
  void measure(class GpuTimes* times) { gpu_times_ = times; }
  void measure(class LabelTimes* times) { label_times_ = times; }
  void measure(class CommandTimes* times) { command_times_ = times; }
  // Whether something of the player's own is recorded around that op.
  bool is_timed(std::uint32_t op) const;
  // Ends the timing of what was played since begin_timing(): waits for work that nothing waited for.
  void begin_timing();
  Result<void> finish_timing();
  // For loops: where the run is in the plan, and what it has counted.
  struct Position {
    std::uint32_t at = 0;
    std::size_t next_settle = 0;
    SyncModel sync;
    RunCounts counts;
    std::uint64_t last_submit_sequence = 0, last_submit_frame = 0;
  };
  Position position() const;
  void go_back(const Position& position);
  // One op again, without what stands in front of it.
  Result<void> play_again(std::uint32_t op);
  // Waits until nothing works on any device.
  Result<void> idle();
  // What was played until here is not what the capture is about: it is counted anew.
  Result<void> begin_cut();
  // Of the clock, for what is not the program's: comparisons.
  std::uint64_t paused_ns() const { return paused_ns_; }
  double paused_cpu_seconds() const { return paused_cpu_; }
  void pause_timing() {
    paused_at_ = now_ns();
    paused_cpu_at_ = thread_cpu_seconds();
  }
  void resume_timing() {
    paused_cpu_ += thread_cpu_seconds() - paused_cpu_at_;
    paused_ns_ += now_ns() - paused_at_;
  }
  // Ends what is left on the queues and destroys what is still alive. An
  // error: the driver still works on it, and the process must end by _exit.
  Result<void> finish();
  const RunCounts& counts() const { return counts_; }

  // For executors.
  const Plan& plan() const { return plan_; }
  const Loader& loader() const { return loader_; }
  const Targets& targets() const { return targets_; }
  const RunOptions& options() const { return options_; }
  void look(bool verify, bool screenshots) {  // from here on
    options_.verify = verify;
    options_.screenshots = screenshots;
  }
  Observer& observer() { return observer_; }
  PlacementCache& placements() { return placements_; }
  Deadline& deadline() { return deadline_; }
  std::uint64_t& slot(ObjectId id) { return slots_[index_of(id)]; }
  DeviceState& device(const Op& op) { return *devices_[op.device]; }
  std::unique_ptr<DeviceState>& device_at(std::uint32_t index) { return devices_[index]; }
  InstanceState& instance(ObjectId id) { return instances_[plan_.place_of(id)]; }
  MemoryState& memory(ObjectId id) { return memories_[plan_.place_of(id)]; }
  std::weak_ptr<SharedPages>& shared_pages(std::uint32_t index) { return shared_pages_[index]; }
  MemoryState& memory_at(std::uint32_t place) { return memories_[place]; }
  // Null where the pool never ran out here.
  OverflowPools* overflow(ObjectId pool) {
    if (overflow_.empty()) return nullptr;
    const auto found = overflow_.find(pool);
    return found == overflow_.end() ? nullptr : &found->second;
  }
  OverflowPools& add_overflow(ObjectId pool) { return overflow_[pool]; }
  // Reused: for what drivers write and nobody reads, and for moved host writes.
  std::vector<std::byte>& output_buffer() { return output_; }
  std::vector<Piece>& pieces() { return pieces_; }
  // What the driver makes up and the program stored: exec_descriptor_buffers.cpp.
  Substitutes& substitutes() { return substitutes_; }
  std::vector<std::unique_ptr<VirtualSwapchain>>& swapchains() { return swapchains_; }
  // The function for this call, by the device or instance it names.
  PFN_vkVoidFunction function(const Op& op) const;
  std::int64_t call(const Op& op, std::byte* args);
  // call(), and an error where the capture had none.
  Result<void> call_checked(const Op& op, std::byte* args);
  Error failure(const Op& op, std::int64_t result, const char* command = nullptr) const;
  Error refuse(const Op& op, Status status, const std::string& sentence) const;
  std::optional<LastSubmit> last_submitted() const;
  std::string behind_last_submit() const;  // ends a sentence
  Error timed_out(const Op& op);
  // "the 3 s of --timeout were over before WHAT ended": as messages say it.
  std::string time_is_over(const std::string& what) const;
  // A copy of an op's block with the addresses and handles of now.
  void patch(const Op& op, std::byte* block) const;
  // … outside the scratch: for calls made again.
  std::vector<std::byte> prepared_copy(const Op& op) const;
  // The id that was patched at `offset` of this op's block.
  ObjectId patched_id(const Op& op, std::uint32_t offset) const;
  gpu::Readback& readback(DeviceState& device, std::uint32_t family);
  // Zeroes fresh memory, on a queue that waits for nothing, or not at all.
  Result<void> zero(DeviceState& device, const MemoryState& memory, std::uint32_t type);
  bool blocked(const DeviceState& device);                           // a queue waits for a later record
  bool blocked(const DeviceState& device, VkQueue queue, bool any);  // that one, or any
  // Whether the fence, as it was given last, or the value comes without a later record.
  bool comes(ObjectId fence);
  bool comes(ObjectId timeline, std::uint64_t value);
  // submit_watch.cpp: a fence of the player's own follows a submit whose end observations wait for.
  Result<void> watch_submit(const Op& op);
  Result<bool> brought_about(const Op& poll);  // all submits of its observation have ended
  // Before its end: until it has the value that work gives it, if it is one and work does.
  void await_timeline(DeviceState& device, ObjectId semaphore);
  std::vector<ImageCheck>& image_checks() { return image_checks_; }
  void skip_image_checks();  // whose presents did not come
  CapturedContents& captured_contents() { return captured_contents_; }
  GpuTimes* gpu_times() { return gpu_times_; }
  CommandTimes* command_times() { return command_times_; }
  std::uint32_t op_index(const Op& op) const { return static_cast<std::uint32_t>(&op - plan_.ops.data()); }
  Presenter* presenter() { return presenter_.get(); }  // null: nothing is shown

  // Times and places, kept by the executors of submits, waits and presents.
  void submitting() {
    if (started_ns_ != 0) return;
    started_ns_ = now_ns();
    paused_before_ns_ = paused_ns_;
  }
  void submitted(const Op& op, std::uint64_t batches);
  void waited(const Op& op);
  void note_end();  // of the program's time, now
  std::uint64_t frame() const { return counts_.frames; }
  std::uint64_t last_submit() const { return last_submit_sequence_; }  // its record
  void presented() {
    if (++counts_.frames % 64 == 0 && observer_.progress) observer_.show_progress(counts_.frames, plan_.counts.frames);
  }

  // finish_work.cpp: waits until the device's queues are idle, and signals what
  // no record before this one did. Bounded wherever it could wait for nothing.
  Result<void> finish_work(std::uint32_t device);

  // cleanup.cpp: in an order that the validation layer accepts.
  Result<void> release_device(std::uint32_t index, bool destroy);
  // These, in this order; nothing works on them.
  Result<void> release_objects(const std::vector<ObjectId>& ids);
  Result<void> release_instance(ObjectId id, bool destroy);

 private:
  friend class Jobs;
  std::byte* prepare(const Op& op);
  Result<void> publish(const Op& op, const std::byte* block);
  void settle_shared(const Op& op);
  Result<void> settle(const Op& op, const Settle& settle);  // settle.cpp
  Result<void> await_submit(const Op& op, const Settle& settle);
  Result<void> await_queue(const Op& op, DeviceState& device, const Settle& settle);
  std::pair<ObjectId, VkQueue> queue_of(const DeviceState& device, const Settle& settle) const;
  // payloads.cpp
  Result<void> settle_payload(const Op& op, const Settle& settle);
  Result<void> let_leave(const Op& op, const Settle& settle, VkQueue queue);
  Result<void> give_payloads(const Op& op, VkQueue queue, VkSemaphore semaphore, VkFence fence);
  Result<void> play_op(const Op& op);
  Result<void> play_steps(std::uint32_t last);
  Result<void> end_jobs();

  const Plan& plan_;
  const Loader& loader_;
  const Targets& targets_;
  RunOptions options_;
  Deadline& deadline_;
  Observer& observer_;
  PlacementCache& placements_;

  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  std::vector<Unit> scratch_;
  std::vector<std::uint64_t> slots_;                        // by ObjectId
  std::vector<std::pair<ObjectId, std::uint64_t>> shared_;  // further handles of objects that shared a value
  std::vector<InstanceState> instances_;                    // parallel to Plan::instances
  std::vector<std::unique_ptr<DeviceState>> devices_;       // parallel to Plan::devices
  std::vector<MemoryState> memories_;                       // parallel to Plan::memories
  std::vector<std::weak_ptr<SharedPages>> shared_pages_;    // parallel to Plan::shared_pages
  std::unordered_map<ObjectId, OverflowPools> overflow_;
  std::vector<std::byte> output_;
  std::vector<Piece> pieces_;
  Substitutes substitutes_;
  std::vector<ImageCheck> image_checks_;
  CapturedContents captured_contents_;
  std::vector<std::unique_ptr<VirtualSwapchain>> swapchains_;  // parallel to Plan::swapchains
  std::unique_ptr<Presenter> presenter_;
  GpuTimes* gpu_times_ = nullptr;
  LabelTimes* label_times_ = nullptr;
  CommandTimes* command_times_ = nullptr;
  std::unique_ptr<class Jobs> jobs_;  // null: one thread makes all, or the span has begun
  std::unique_ptr<Steps> steps_;      // of a span that is played again; null: of none

  struct LivePayload {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;  // the host's; null: was signalled when it was exported
  };
  std::vector<LivePayload> payloads_;  // parallel to Plan::payloads
  std::unordered_map<std::uint32_t, VkFence>
      watches_;  // by the index of a submit in Plan::ops; of devices that are alive

  SyncModel sync_;
  std::vector<SyncModel::Release> releases_;  // still to be given to devices
  std::uint32_t at_ = 0;                      // the op that is being played
  std::size_t next_settle_ = 0;               // index into Plan::settles
  const Executor* const executors_;           // by CommandId
  const bool has_events_;                     // the plan makes some, and work may wait for them

  RunCounts counts_;
  std::uint64_t last_submit_sequence_ = 0, last_submit_frame_ = 0;
  std::uint64_t started_ns_ = 0, ended_ns_ = 0;  // 0: no submit yet
  std::uint64_t paused_at_ = 0, paused_ns_ = 0;
  double paused_cpu_at_ = 0, paused_cpu_ = 0;
  std::uint64_t paused_before_ns_ = 0, paused_until_end_ns_ = 0;  // at started_ns_, and at ended_ns_
  bool submit_pending_ = false;  // no wait yet is known to be behind the end of all submits
  bool abandoned_ = false;       // a wait timed out: touch nothing
  bool finished_ = false;
};

// What is the player's alone (a comparison) is no time of the program's.
class TimingPause {
 public:
  explicit TimingPause(Run& run) : run_(run) { run_.pause_timing(); }
  TimingPause(const TimingPause&) = delete;
  TimingPause& operator=(const TimingPause&) = delete;
  ~TimingPause() { run_.resume_timing(); }

 private:
  Run& run_;
};

// A swapchain without a window: plain images that are presented from GENERAL.
Result<std::unique_ptr<VirtualSwapchain>> create_virtual_swapchain(Run& run, const Op& op,
                                                                   const VkSwapchainCreateInfoKHR& info);
void destroy_virtual_swapchain(DeviceState& device, VirtualSwapchain& swapchain);

// Works out where the device's allocations go (placement.h), once per device.
Result<void> place_memory(Run& run, const Op& op, std::uint32_t device);

// Room for the results of `count` queries: one has at most 32 statistics and
// the availability, of 64 bits each. UINT64_MAX if there is no such number.
inline std::uint64_t query_bytes(std::uint32_t count, VkDeviceSize stride) {
  constexpr std::uint64_t one = 33 * sizeof(std::uint64_t);
  if (count <= 1) return one;
  return stride > (UINT64_MAX - one) / (count - 1) ? UINT64_MAX : (count - 1) * stride + one;
}

// By CommandId; null: the generated thunk does it.
const std::vector<Executor>& executors();

// Each file of executors adds its own, under canonical names.
void add_device_executors(std::vector<Executor>& table);
void add_memory_executors(std::vector<Executor>& table);
void add_swapchain_executors(std::vector<Executor>& table);
void add_sync_executors(std::vector<Executor>& table);
void add_payload_executors(std::vector<Executor>& table);
void add_pool_executors(std::vector<Executor>& table);
void add_pipeline_executors(std::vector<Executor>& table);
bool is_debug_command(CommandId id);  // names, tags, labels: exec_debug.cpp
void add_host_copy_executors(std::vector<Executor>& table);
void add_debug_executors(std::vector<Executor>& table);
void add_checkpoint_executors(std::vector<Executor>& table);
void add_address_executors(std::vector<Executor>& table);
void add_descriptor_buffer_executors(std::vector<Executor>& table);
void add_generated_command_executors(std::vector<Executor>& table);
void add_content_executors(std::vector<Executor>& table);

// The bytes of a record: those of the plan, or what is read when it is played (Plan::late_blobs).
class CapturedData {
 public:
  Result<void> load(Run& run, const Op& op, const void* data, std::size_t bytes);
  const std::byte* bytes() const { return data_; }

 private:
  const std::byte* data_ = nullptr;
  Reader::Bytes late_;
};
// To what is mapped, one range behind the other, wherever what they belong to lies here.
Result<void> write_ranges(Run& run, const Op& op, std::uint32_t place, std::span<const RondoRange> ranges,
                          const std::byte* data);
// What the host wrote to mapped memory that is not coherent.
Result<void> flush_mapped(Run& run, const Op& op, const MemoryState& memory, VkDeviceSize begin, VkDeviceSize bytes);
// Writes captured bytes at an offset of the mapping, with what the driver makes up here in their place.
void write_substituted(Run& run, std::uint32_t place, VkDeviceSize to, std::span<const std::byte> data);
// What the mapping holds there, as the capture had it.
void read_captured(Run& run, std::uint32_t place, VkDeviceSize from, std::span<std::byte> bytes);
// What was read back of a buffer from `offset` on, as the capture had it: with the captured bytes for what the
// driver makes up here. Valid until the next call (exec_checkpoints.cpp).
std::span<const std::byte> as_captured(Run& run, ObjectId buffer, VkDeviceSize offset, std::span<const std::byte> read);

template <class Args>
Args& as(std::byte* args) {
  return *reinterpret_cast<Args*>(args);
}
inline std::uint32_t offset_in(const std::byte* args, const void* member) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(member) - args);
}

}  // namespace rondo::player
