// SPDX-License-Identifier: Apache-2.0
// Relates the times of commands, which are of the device's clock, to the host's clock. By calibrated timestamps where
// the device has them (VK_EXT_calibrated_timestamps): read before and after the span, when nothing works. Else by
// bounds: work begins after its submit call began, and it has ended when a wait for it has returned. One thread; lives
// no longer than its run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "player/measure/command_times.h"
#include "player/measure/host_times.h"
#include "player/run/run.h"

namespace rondo::player {

struct DeviceClock {
  enum class Kind : std::uint8_t { unknown, calibrated, bounded } kind{};
  // Of a time of CommandTimes: that plus `offset_ns` is nanoseconds from HostRun::begin_ns on.
  double offset_ns = 0;
  double uncertainty_ns = 0;  // the true offset is at most so far away
};

// An iteration, as the host saw it. Valid until the next one.
struct HostRun {
  std::uint64_t begin_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC: when the span began, and when all its work had ended
  std::span<const PlayedCall> calls;
  std::vector<DeviceClock> clocks;  // parallel to Plan::devices
  // Parallel to TimesWanted::order: index into `clocks`; kNone: it is not timed.
  std::vector<std::uint32_t> devices;
  double captured_seconds = 0, seconds = 0;  // as of HostTimes
};

// The target of a captured device can relate its timestamps to CLOCK_MONOTONIC. Its instance is there.
bool has_clock(Run& run, std::uint32_t device);

class DeviceClocks {
 public:
  explicit DeviceClocks(Run& run) : run_(run), before_(run.plan().devices.size()), after_(before_.size()) {}
  DeviceClocks(const DeviceClocks&) = delete;
  DeviceClocks& operator=(const DeviceClocks&) = delete;

  // Before the span and after it; nothing works.
  Result<void> before() { return read(before_); }
  Result<void> after() { return read(after_); }
  // Then this. `times`: of `commands`, of the same iteration.
  HostRun host_run(const CommandTimes& commands, std::span<const double> times, const HostTimes& host,
                   std::uint64_t begin_ns, std::uint64_t end_ns) const;

 private:
  // The same moment on both clocks.
  struct Moment {
    std::uint64_t ticks = 0, host_ns = 0;
    double deviation_ns = 0;
  };
  Result<void> read(std::vector<std::optional<Moment>>& moments);
  DeviceClock calibrated(std::uint32_t device, const CommandTimes& commands, std::uint64_t begin_ns) const;
  void bound(HostRun& run, const CommandTimes& commands) const;

  Run& run_;
  std::vector<std::optional<Moment>> before_, after_;  // parallel to Plan::devices; none: it has no calibrated clock
};

}  // namespace rondo::player
