// SPDX-License-Identifier: Apache-2.0
// Small programs that synchronize their work, written as captures, for the oracle (sync_facts.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/unit/graph_scene.h"
#include "tests/unit/sync_facts.h"

namespace rondo::test {

// A capture and what the oracle has to know of it. Objects are named by an index that counts those of their type.
// Methods that write a call return its record.
class SyncProgram : public SyncFacts {
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

  int memories() const { return static_cast<int>(memories_.size()); }
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
  std::vector<VkSemaphore> semaphores_;
  std::vector<VkFence> fences_;
  std::vector<VkEvent> events_;
  std::vector<VkCommandBuffer> commands_;
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
