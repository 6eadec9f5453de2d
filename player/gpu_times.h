// SPDX-License-Identifier: Apache-2.0
// How long a device works at a span: timestamps in front of each of its submits
// and behind it, by command buffers of the player's own in the first and the last
// batch. What they cost the host is two command buffers more a submit. What it
// makes of a device goes with the device.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "player/run.h"
#include "player/times.h"

namespace rondo::player {

// True if the player may add command buffers of its own to a batch whose pNext chain this is. Not to a batch for several devices
// or of protected memory, nor where a pass of performance counters is chosen.
bool takes_more_commands(const void* chain);

class GpuTimes {
 public:
  explicit GpuTimes(Run& run) : run_(run) {}
  GpuTimes(const GpuTimes&) = delete;
  GpuTimes& operator=(const GpuTimes&) = delete;

  // For these submits, on queues that exist now. Left out are those of queues without
  // timestamps, of protected memory, to several devices, and those that read performance counters.
  Result<void> prepare(OpRange span);
  // In front of each time that the span is played; nothing works.
  Result<void> reset();
  // Called with the parameters of a submit that is about to be made.
  void surround(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count);
  void surround(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count);
  // Seconds in which at least one of the submits was worked at, when all are done; of several devices
  // the sum. None: no submit was timed.
  Result<std::optional<double>> seconds();

 private:
  struct Pool {  // of queries, a device
    std::uint32_t device = kNone;
    VkQueryPool handle = VK_NULL_HANDLE;
    std::uint32_t queries = 0, used = 0;
    double period = 1;          // nanoseconds
    std::vector<std::uint64_t> values;
    std::vector<Interval> busy;  // kept from time to time for its memory
    std::uint64_t mask = 0;     // of the bits that are valid on all of its queues
  };
  struct Submit {
    VkCommandBuffer before = VK_NULL_HANDLE, behind = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> first, last;               // lists in place of the program's
    std::vector<VkCommandBufferSubmitInfo> first2, last2;
  };
  Result<void> add(std::uint32_t op, Pool& pool, std::uint32_t family);
  Result<VkCommandBuffer> record(Pool& pool, VkCommandPool commands, VkPipelineStageFlagBits stage);
  Result<VkCommandPool> command_pool(std::uint32_t device, std::uint32_t family);
  Error failure(const char* command, VkResult result) const;

  Run& run_;
  std::unordered_map<std::uint32_t, Submit> submits_;  // by op
  std::vector<Pool> pools_;
  std::unordered_map<std::uint64_t, VkCommandPool> command_pools_;  // by device and family
};

}  // namespace rondo::player
