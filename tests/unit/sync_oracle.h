// SPDX-License-Identifier: Apache-2.0
// Small programs that synchronize their work, and all of their races by a look at all pairs of accesses. The rules come
// from the specification alone: "Synchronization and Cache Control", "Image Layout Transitions", "Host Write Ordering
// Guarantees". No other code of Rondo has a part in the answer.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/unit/graph_scene.h"

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

// An access of a transfer command. It is a TRANSFER_READ or a TRANSFER_WRITE.
struct SyncTouch {
  SyncPlace place;
  VkPipelineStageFlags2 stage = 0;
  bool writes = false;
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

// A capture and what the oracle has to know of it. Objects are named by an index that counts those of their type.
// Methods that write a call return its record.
class SyncProgram {
 public:
  SyncProgram();
  SyncProgram(const SyncProgram&) = delete;
  SyncProgram& operator=(const SyncProgram&) = delete;
  GraphScene& scene() { return scene_; }

  int queue();
  int memory(std::uint64_t size);
  int buffer(int memory, std::uint64_t offset, std::uint64_t size);
  int image(std::uint32_t mips);  // in a memory of its own
  int semaphore();
  int timeline();  // its first value is 0
  int fence();
  int event();
  int commands();  // a command buffer that is begun
  void end(int commands);

  std::uint64_t fill(int commands, int buffer, std::uint64_t offset, std::uint64_t size);
  std::uint64_t update(int commands, int buffer, std::uint64_t offset, std::uint64_t size);
  std::uint64_t copy(int commands, int from, int into, const std::vector<VkBufferCopy>& regions);
  std::uint64_t clear(int commands, int image, std::uint32_t mip, std::uint32_t mips);
  // One texel of the mip, four bytes, into the buffer. What is read is the mip.
  std::uint64_t read_image(int commands, int image, std::uint32_t mip, int buffer, std::uint64_t offset);

  std::uint64_t barrier(int commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                        const std::vector<SyncBarrier>& barriers);
  std::uint64_t barrier2(int commands, const std::vector<SyncBarrier>& barriers);
  std::uint64_t set_event(int commands, int event, VkPipelineStageFlags stages);
  std::uint64_t set_event2(int commands, int event, const std::vector<SyncBarrier>& barriers);
  std::uint64_t reset_event(int commands, int event, VkPipelineStageFlags stages, SyncForm form = SyncForm::first);
  // `from` must be the stages that each of the events was set with.
  std::uint64_t wait_events(int commands, const std::vector<int>& events, VkPipelineStageFlags from,
                            VkPipelineStageFlags to, const std::vector<SyncBarrier>& barriers);
  // The barriers must be those that each of the events was set with.
  std::uint64_t wait_events2(int commands, const std::vector<int>& events,
                             const std::vector<std::vector<SyncBarrier>>& barriers);

  std::uint64_t submit(int queue, const std::vector<SyncBatch>& batches, int fence = -1,
                       SyncForm form = SyncForm::first);
  std::uint64_t wait_fences(const std::vector<int>& fences);
  std::uint64_t reset_fences(const std::vector<int>& fences);
  std::uint64_t queue_idle(int queue);
  std::uint64_t device_idle();
  std::uint64_t host_write(int memory, std::uint64_t offset, std::uint64_t size);

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
    enum Kind { submit, wait_fences, queue_idle, device_idle, host_write } kind = submit;
    std::uint64_t record = 0;
    int queue = -1;
    std::vector<SyncBatch> batches = {};
    std::vector<int> fences = {};  // waited for, or the one that the submit signals
    SyncPlace place = {};          // written
  };
  const std::vector<Command>& recorded(int commands) const { return recorded_[static_cast<std::size_t>(commands)]; }
  const std::vector<HostCall>& host_calls() const { return host_calls_; }
  int queues() const { return static_cast<int>(queues_.size()); }
  int memories() const { return static_cast<int>(memories_.size()); }
  bool is_timeline(int semaphore) const { return semaphores_[static_cast<std::size_t>(semaphore)].is_timeline; }
  // The last command of the command buffer.
  const Command& last(int commands) const { return recorded(commands).back(); }
  SyncPlace place_of_buffer(int buffer, std::uint64_t offset, std::uint64_t size) const;
  SyncPlace place_of_image(int image, std::uint64_t mip, std::uint64_t mips) const;

 private:
  struct Buffer {
    VkBuffer handle;
    SyncPlace place;
  };
  struct Image {
    VkImage handle;
    int space;
    std::uint32_t mips;
  };
  struct Semaphore {
    VkSemaphore handle;
    bool is_timeline;
  };
  struct Natives;
  struct Natives2;

  template <class Args>
  std::uint64_t call(CommandId command, const Args& args, std::optional<std::int64_t> result = {});
  std::uint64_t add(int commands, Command command);
  Dependency resolved(const SyncBarrier& barrier) const;
  std::vector<Dependency> resolved_first(VkPipelineStageFlags from, VkPipelineStageFlags to,
                                         const std::vector<SyncBarrier>& barriers) const;
  VkCommandBuffer handle_of(int commands) const { return commands_[static_cast<std::size_t>(commands)]; }
  void submit_first(VkQueue queue, const std::vector<SyncBatch>& batches, VkFence fence);
  void submit_second(VkQueue queue, const std::vector<SyncBatch>& batches, VkFence fence);
  std::uint64_t add(HostCall call);

  GraphScene scene_;
  std::uint64_t records_ = 1;  // of the capture; the scene allocates a command buffer
  int spaces_ = 0;
  std::vector<VkQueue> queues_;
  std::vector<std::pair<VkDeviceMemory, int>> memories_;  // with its space
  std::vector<Buffer> buffers_;
  std::vector<Image> images_;
  std::vector<Semaphore> semaphores_;
  std::vector<VkFence> fences_;
  std::vector<VkEvent> events_;
  std::vector<VkCommandBuffer> commands_;
  std::vector<std::vector<Command>> recorded_;
  std::vector<HostCall> host_calls_;
};

// A random program of at most about 25 executed commands. Most of it makes sense: about a third of all worlds has no
// race.
class SyncWorld {
 public:
  explicit SyncWorld(unsigned seed);
  GraphScene& scene() { return program_.scene(); }
  const SyncProgram& program() const { return program_; }
  std::vector<std::uint64_t> removable() const { return program_.removable(); }
  std::set<OracleRace> races(const std::set<std::uint64_t>& without = {},
                             const SyncProgram::Narrowed& narrowed = {}) const {
    return program_.races(without, narrowed);
  }

 private:
  SyncProgram program_;
};

}  // namespace rondo::test
