// SPDX-License-Identifier: Apache-2.0
// What programs do to synchronize their work, and all of their races by a look at all pairs of accesses (the oracle).
// The rules come from the specification alone: "Synchronization and Cache Control", "Image Layout Transitions", "Host
// Write Ordering Guarantees". No other code of Rondo has a part in the answer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "format/vulkan.h"

namespace rondo::test {
namespace sync {

using Stages = VkPipelineStageFlags2;
using Accesses = VkAccessFlags2;

inline constexpr Stages kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
inline constexpr Stages kCopy = VK_PIPELINE_STAGE_2_COPY_BIT, kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT;
inline constexpr Stages kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
inline constexpr Stages kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT;
inline constexpr Stages kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
inline constexpr Stages kTop = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
inline constexpr Stages kBottom = VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
inline constexpr Stages kHost = VK_PIPELINE_STAGE_2_HOST_BIT;
inline constexpr Stages kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
inline constexpr Accesses kRead = VK_ACCESS_2_TRANSFER_READ_BIT, kWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
inline constexpr Accesses kAnyRead = VK_ACCESS_2_MEMORY_READ_BIT, kAnyWrite = VK_ACCESS_2_MEMORY_WRITE_BIT;

}  // namespace sync

// Two accesses that the program does not order. `from` and `to` are the sequence numbers of the records of the
// commands or of rondoHostWrite. `from` executes first. For a layout transition it is the record of the barrier.
struct OracleRace {
  enum Hazard { raw, war, waw };  // what `to` does after what `from` did: waw is a write after a write
  std::uint64_t from = 0, to = 0;
  Hazard hazard = raw;
  auto operator<=>(const OracleRace&) const = default;
};

// Bytes of a memory, or mips of an image. Every memory and every image is a space of its own.
struct SyncPlace {
  int space = 0;
  std::uint64_t begin = 0, end = 0;
  bool has(int other, std::uint64_t at) const { return space == other && begin <= at && at < end; }
  bool meets(const SyncPlace& other) const { return space == other.space && begin < other.end && other.begin < end; }
};

// An access of a command, in one stage.
struct SyncTouch {
  SyncPlace place;
  VkPipelineStageFlags2 stage = 0;
  bool writes = false;
  VkAccessFlags2 access = 0;  // one; 0: TRANSFER_READ or TRANSFER_WRITE
};

// A barrier, as a test gives it. Commands of the first form give the stages apart: there `from` and `to` are not used.
struct SyncBarrier {
  VkPipelineStageFlags2 from = 0, to = 0;
  VkAccessFlags2 from_access = 0, to_access = 0;
  enum Kind { global, buffer, image } kind = global;
  int object = 0;                                 // index of the buffer or image
  std::uint64_t begin = 0, size = VK_WHOLE_SIZE;  // bytes of the buffer or mips of the image; VK_WHOLE_SIZE: the rest
  VkImageLayout old_layout = VK_IMAGE_LAYOUT_GENERAL, new_layout = VK_IMAGE_LAYOUT_GENERAL;
};

struct SyncSemaphore {
  int semaphore = 0;
  std::uint64_t value = 0;                                              // of a timeline semaphore
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;  // vkQueueSubmit has none for signals
};

struct SyncBatch {
  std::vector<SyncSemaphore> waits = {}, signals = {};
  std::vector<int> commands = {};  // indexes of command buffers
};

enum class SyncForm { first, second };

// What the oracle has to know of a program. Semaphores, queues, events and command buffers are named by an index that
// counts those of their type.
class SyncFacts {
 public:
  // A wait for a semaphore: the i-th of the batch of this number in the call.
  static std::uint64_t wait_key(std::uint64_t record, std::size_t batch, std::size_t i) {
    return record | (1 + std::uint64_t{batch} * 1024 + i) << 32;
  }
  // Records of the barrier commands and event waits that execute and that change no layout, and of the waits of the
  // host; and wait_key() of each wait for a semaphore.
  std::vector<std::uint64_t> removable() const;
  // Other scopes for a barrier of a command.
  struct Scopes {
    VkPipelineStageFlags2 from = 0, to = 0;
    VkAccessFlags2 from_access = 0, to_access = 0;
  };
  // By record: for its barriers, in the order of its dependencies.
  using Narrowed = std::map<std::uint64_t, std::map<std::size_t, Scopes>>;
  // All races. What is in `without` orders nothing.
  std::set<OracleRace> races(const std::set<std::uint64_t>& without = {}, const Narrowed& narrowed = {}) const;
  // The dependencies of a command that executes, in the order in which its barriers stand in the call.
  std::vector<std::size_t> in_call_order(std::uint64_t record) const;

  // What a command buffer holds, for the oracle and for a generator.
  struct Dependency {  // a barrier of a barrier command or of an event wait
    VkPipelineStageFlags2 from = 0, to = 0;
    VkAccessFlags2 from_access = 0, to_access = 0;
    std::optional<SyncPlace> place;  // none: all memory
    bool is_transition = false;
    std::vector<int> events = {};  // an event wait: the first scope is what was before the set of any of them
    SyncBarrier::Kind kind = SyncBarrier::global;
  };
  struct Command {
    enum Kind { transfer, barrier, set_event, reset_event, wait_events } kind = transfer;
    std::uint64_t record = 0;
    std::vector<SyncTouch> touches = {};
    std::vector<Dependency> dependencies = {};
    int event = -1;                // set or reset
    std::vector<int> events = {};  // waited for
  };
  struct HostCall {
    enum Kind { submit, wait_fences, wait_semaphores, queue_idle, device_idle, host_write } kind = submit;
    std::uint64_t record = 0;
    int queue = -1;
    std::vector<SyncBatch> batches = {};
    std::vector<int> fences = {};                // waited for, or the one that the submit signals
    std::vector<SyncSemaphore> semaphores = {};  // timeline semaphores that are waited for
    SyncPlace place = {};                        // written
  };
  const std::vector<Command>& recorded(int commands) const { return recorded_[static_cast<std::size_t>(commands)]; }
  const std::vector<HostCall>& host_calls() const { return host_calls_; }
  int queues() const { return queue_count_; }
  bool is_timeline(int semaphore) const { return timelines_[static_cast<std::size_t>(semaphore)]; }
  // The last command of the command buffer.
  const Command& last(int commands) const { return recorded(commands).back(); }

 protected:
  SyncFacts() = default;
  ~SyncFacts() = default;
  std::vector<std::vector<Command>> recorded_;
  std::vector<HostCall> host_calls_;
  std::vector<bool> timelines_;  // by semaphore
  int queue_count_ = 0;
};

}  // namespace rondo::test
