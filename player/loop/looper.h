// SPDX-License-Identifier: Apache-2.0
// Puts back what an iteration of the plan's span changed, so that the next one
// begins with the same. One thread; lives no longer than its run.
#pragma once

#include <vector>

#include "player/loop/contents.h"
#include "player/loop/layout_restore.h"
#include "player/loop/loop_plan.h"
#include "player/loop/set_contents.h"

namespace rondo::player {

// For tests: what is not put back, by name (contents, sets, …); empty: everything is.
struct LoopOptions {
  std::size_t memory_budget = 0;  // bytes
  std::string leave_out;
};

class Looper {
 public:
  Looper(Run& run, const LoopPlan& plan, const LoopOptions& options);
  // Where the span begins: keeps what there is.
  Result<void> keep();
  // Behind an iteration. The first one shows what the span changes.
  Result<void> restore();
  // Behind the last restore().
  Result<void> check() { return contents_.check(); }
  std::uint64_t bytes_kept() const { return contents_.bytes_kept(); }

 private:
  bool puts_back(const char* what) const { return options_.leave_out != what; }
  Result<void> keep_states();
  Result<void> zero();
  Result<void> restore_binaries();
  Result<void> restore_timelines();
  Result<void> restore_fences();
  Result<void> restore_events();
  Result<void> restore_device_events();
  // By the command that had set it, where that can be; else by `otherwise`.
  template <class Otherwise>
  Result<void> set_event(ObjectId event, const Otherwise& otherwise);
  Result<void> restore_queries();
  // Records, submits and waits, on the device of this object.
  template <class Record>
  Result<void> by_commands(ObjectId of, const Record& record);
  Result<void> restore_recordings();
  Result<void> restore_labels();
  void settle_presents(VirtualSwapchain& swapchain);
  DeviceState& device_of(ObjectId id);
  Error failure(ObjectId id, const char* command, VkResult result) const;

  Run& run_;
  const LoopPlan& plan_;
  const LoopOptions options_;
  LayoutRestore layouts_;
  Contents contents_;
  SetContents sets_;
  bool narrowed_ = false;
  Run::Position begin_;
  std::vector<bool> fences_, events_;                                  // signalled; parallel to LoopPlan's
  std::vector<std::uint64_t> timelines_;                               // values
  std::vector<std::pair<VirtualSwapchain*, std::uint64_t>> presents_;  // ids
};

}  // namespace rondo::player
