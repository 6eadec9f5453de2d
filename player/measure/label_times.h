// SPDX-License-Identifier: Apache-2.0
// How long a device works at what a label of command buffers holds: timestamps where
// it begins and ends, recorded with the program's commands, on every command buffer
// that has it. Made before the run begins; what it makes of a device goes with it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "player/measure/times.h"
#include "player/run/run.h"

namespace rondo::player {

class LabelTimes {
 public:
  // For labels of this name in recordings up to the end of the span. Left out: command buffers that go on
  // with a render pass, and those of families that have no timestamps or cannot reset queries.
  LabelTimes(Run& run, const std::string& name);
  LabelTimes(const LabelTimes&) = delete;
  LabelTimes& operator=(const LabelTimes&) = delete;

  bool has(std::uint32_t op) const { return actions_.contains(op); }
  // Behind that op, if it has it.
  Result<void> played(std::uint32_t op);
  // In front of each time that the span is played; nothing works.
  Result<void> reset();
  // Seconds in which what was executed since reset() was worked at, as GpuTimes says of submits. Of a command
  // buffer that was executed several times, the last one; nothing of a device that the span destroys.
  Result<std::optional<double>> seconds();

 private:
  // Views of a render pass take a query each.
  static constexpr std::uint32_t kQueries = 32;
  struct Action {
    ObjectId buffer = ObjectId::null;
    std::uint32_t first = 0, count = 0;  // queries to reset; count 0: one to write, at …
    VkPipelineStageFlagBits stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  };
  struct Pool {
    VkQueryPool handle = VK_NULL_HANDLE;
    std::uint32_t queries = 0;
    std::uint64_t mask = UINT64_MAX;  // of the bits that are valid in all of its families
  };
  Result<VkQueryPool> pool(std::uint32_t device);
  // Null: there is none, or it went with its device, which the span had made.
  VkQueryPool live_pool(std::uint32_t device);
  Error failure(const char* command, VkResult result) const;

  Run& run_;
  std::unordered_map<std::uint32_t, Action> actions_;  // by op
  std::vector<Pool> pools_;                            // parallel to Plan::devices
  std::vector<Interval> busy_;
};

}  // namespace rondo::player
