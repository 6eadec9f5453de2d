// SPDX-License-Identifier: Apache-2.0
// Plays the span of a plan again and again on one run, and times it. One thread;
// lives no longer than its run and what it was made of.
#pragma once

#include <optional>

#include "player/loop/looper.h"
#include "player/measure/command_times.h"
#include "player/measure/device_clocks.h"
#include "player/measure/gpu_times.h"
#include "player/measure/host_times.h"
#include "player/measure/label_times.h"
#include "player/measure/times.h"
#include "player/options.h"

namespace rondo::player {

// Says of the first difference that it came in this iteration, if there was none before.
void note_iteration(const Verification& before, Verification& now, std::uint64_t iteration);

class Iterations {
 public:
  // `loop` null: the span is played once. `captured`: its times (host_times.h). `played`: how often it was by others.
  Iterations(Run& run, Plan& plan, const LoopPlan* loop, const Options& options, std::span<const CapturedTime> captured,
             std::uint64_t played = 0);

  // What comes before the span, and for loops the iterations that are not timed.
  Result<void> begin();
  // One more: played, timed, put back. seconds() of its intervals last until the next one.
  Result<IterationTimes> next();
  const std::vector<std::string>& interval_names() const { return names_; }
  const std::vector<double>& interval_seconds() const { return seconds_; }
  // Of Options::times, of the last iteration (command_times.h); until the next one.
  std::span<const double> command_times() const { return command_times_; }
  std::span<const double> command_probes() const { return commands_ ? commands_->probes() : std::span<const double>(); }
  // Of Options::paced or take_host, likewise; null: nobody asks.
  const HostTimes* host_times() const { return host_ ? &*host_ : nullptr; }
  const HostRun* host_run() const { return host_run_ ? &*host_run_ : nullptr; }
  double timestamp_ns() const { return commands_ ? commands_->timestamp_ns() : 0; }
  std::uint64_t left_out_times() const { return commands_ ? commands_->left_out() : 0; }
  std::uint64_t in_own_queries() const { return commands_ ? commands_->in_own_queries() : 0; }
  // Gives what was counted in the last iteration, where TimesWanted::what asks for that.
  Result<void> statistics(const CommandTimes::TakeStatistics& take) {
    return commands_ ? commands_->statistics(take) : Result<void>();
  }
  Result<void> counters(const CommandTimes::TakeCounters& take) {
    return commands_ ? commands_->counters(take) : Result<void>();
  }
  // Behind the last one: what was put back is what there was.
  Result<void> check();
  // Of the span alone, and as they were behind it.
  const RunCounts& counts_in_span() const { return in_span_; }
  const RunCounts& counts_behind() const { return behind_; }
  std::uint64_t bytes_kept() const { return looper_ ? looper_->bytes_kept() : 0; }

 private:
  Result<IterationTimes> timed();
  void find_intervals();
  double seconds_in_any() const;  // of the intervals

  Run& run_;
  Plan& plan_;
  const LoopPlan* const loop_;
  const Options& options_;
  const bool may_idle_;  // the device, where the span begins: queries can be reset there
  std::optional<Looper> looper_;
  std::optional<GpuTimes> gpu_;
  std::optional<CommandTimes> commands_;  // where they are asked for
  std::span<const double> command_times_;
  std::optional<HostTimes> host_;
  std::optional<DeviceClocks> clocks_;  // with commands_ and host_
  std::optional<HostRun> host_run_;
  std::optional<LabelTimes> label_;  // where the span is one of command buffers
  std::uint64_t played_;
  RunCounts before_, behind_, in_span_;
  std::vector<std::uint32_t> stops_;                     // ops where an interval begins or ends, in order
  std::vector<std::uint64_t> stopped_;                   // parallel: when, in nanoseconds
  using Interval = std::pair<std::size_t, std::size_t>;  // begin and end: indexes into stops_
  std::vector<Interval> intervals_;
  std::vector<Interval> in_any_;  // the same time, but each part of it once
  std::vector<std::string> names_;
  std::vector<double> seconds_;
};

}  // namespace rondo::player
