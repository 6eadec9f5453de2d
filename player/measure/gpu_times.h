// SPDX-License-Identifier: Apache-2.0
// How long a device works at a span: timestamps before and after each of its submits, by command buffers of the
// player's own in the first and the last batch. What they cost the host is two command buffers more a submit. Of a
// span of very many submits these are used again: from time to time the devices are idle, and what was measured is
// read; the host's times leave that out. What it makes of a device goes with the device. Specification:
// "Timestamp Queries".
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "player/measure/times.h"
#include "player/run/run.h"

namespace rondo::player {

// True if the player may add command buffers of its own to a batch whose pNext chain this is. Not to a batch for
// several devices or of protected memory, nor where a pass of performance counters is chosen.
bool takes_more_commands(const void* chain);

class GpuTimes {
 public:
  explicit GpuTimes(Run& run) : run_(run) {}
  GpuTimes(const GpuTimes&) = delete;
  GpuTimes& operator=(const GpuTimes&) = delete;

  // For these submits, on queues that exist now. Left out are those of queues without
  // timestamps, of protected memory, to several devices, and those that read performance counters.
  Result<void> prepare(OpRange span);
  // Before each time that the span is played; nothing works.
  Result<void> reset();
  // Called with the parameters of a submit that is about to be made.
  Result<void> surround(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count);
  Result<void> surround(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count);
  // Seconds in which at least one of the submits was worked at, when all are done; of several devices
  // the sum. None: no submit was timed.
  Result<std::optional<double>> seconds();

 private:
  static constexpr std::uint32_t kPairs = 1024;  // of a lane, where its devices may be idle within the span
  struct Pair {
    VkCommandBuffer before = VK_NULL_HANDLE, after = VK_NULL_HANDLE;
  };
  // Of one queue family. The n-th pair writes the queries 2n and 2n + 1.
  struct Lane {
    std::uint32_t device = kNone, family = 0;
    std::uint32_t submits = 0;  // of the span
    VkQueryPool queries = VK_NULL_HANDLE;
    std::vector<Pair> pairs;
    std::uint32_t used = 0;  // pairs that were submitted since they were read
  };
  struct Device {
    double period = 1;                  // nanoseconds a tick
    std::uint64_t mask = UINT64_MAX;    // of the bits that are valid on all of its queues
    std::optional<std::uint64_t> zero;  // an early timestamp of this iteration
    std::vector<Interval> busy;         // kept from time to time for its memory
  };
  bool may_be_idle(OpRange span) const;
  Result<void> make_pairs(Lane& lane, std::uint32_t count);
  Result<Pair> next_pair(Lane& lane);
  Result<void> read(Lane& lane);
  Result<void> reset_queries();  // nothing works
  Result<VkCommandBuffer> record(const Lane& lane, VkCommandPool commands, VkPipelineStageFlagBits stage,
                                 std::uint32_t query);
  Result<VkCommandPool> command_pool(std::uint32_t device, std::uint32_t family);
  Error failure(const char* command, VkResult result) const;

  Run& run_;
  std::unordered_map<std::uint32_t, std::uint32_t> lane_of_;  // by op: index into lanes_
  std::vector<Lane> lanes_;
  std::vector<Device> devices_;                                     // parallel to Plan::devices
  std::unordered_map<std::uint64_t, VkCommandPool> command_pools_;  // by device and family
  std::vector<std::uint64_t> values_;
  std::vector<VkCommandBuffer> first_, last_;  // lists in place of the program's, for one submit
  std::vector<VkCommandBufferSubmitInfo> first2_, last2_;
};

}  // namespace rondo::player
