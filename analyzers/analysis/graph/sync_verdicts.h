// SPDX-License-Identifier: Apache-2.0
// What a program orders against what its work needs: needs that nothing orders, and synchronization that nothing needs.
// No device. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/analysis/graph/sync_questions.h"

namespace rondo::graph {

enum class SyncVerdict : std::uint8_t {
  needed,       // without it there would be a race
  superfluous,  // nothing needs it
  ineffective,  // nothing needs it as it is, but there is a race that it comes near to ordering
  unknown,      // the host may read what it orders, or set its event later; or it changes something
};

// What of a barrier is used by what needs it.
struct SyncUse {
  VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
  VkAccessFlags2 src_access = 0, dst_access = 0;
  bool any = false;
};

struct SyncResult {
  SyncVerdict verdict = SyncVerdict::unknown;
  bool is_followed = false;          // something is executed after it on the queue that waits; of a host, on any queue
  std::vector<SyncUse> uses;         // parallel to SyncOp::barriers
  std::vector<std::uint32_t> needs;  // questions that only it answers: the first ones
  std::uint64_t need_count = 0;      // of all of them
  std::uint32_t race = UINT32_MAX;   // that it comes near to ordering: the question
};

struct SyncVerdicts {
  // By question: nothing orders it. `executes`: it is ordered, but what was written is not made visible.
  std::vector<bool> is_race, executes;
  std::vector<SyncResult> syncs;  // parallel to SyncLog::syncs()
  bool too_many = false;
};

SyncVerdicts find_verdicts(const SyncQuestions& questions);

}  // namespace rondo::graph
