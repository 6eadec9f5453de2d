// SPDX-License-Identifier: Apache-2.0
// Plays a span for its gaps (gaps.h): once as fast as the player can, then paced. Needs a device. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis/gap_work.h"
#include "analyzers/analysis/gaps.h"
#include "player/options.h"

namespace rondo::analyzers {

enum class GapClock : std::uint8_t { unknown, calibrated, bounded };

struct GapReplay {
  GapWork work;
  Gaps gaps;                      // of the paced iteration that took the least time
  std::vector<Gap> only_unpaced;  // the player's own
  std::vector<std::string> devices, replaced;
  GapClock clock{};             // how clocks were related; with several devices that of the least exact one
  double uncertainty = 0;       // of the host's time of an item, in nanoseconds
  double tick = 1;              // of the devices' clocks
  double captured_seconds = 0;  // from the first call that has a time to the end of the last one; 0: there is none
  double paced_seconds = 0;     // likewise of that iteration
  std::size_t iterations = 0;
  // The paced replay took more than 5 % longer than the capture.
  bool is_slow() const;
};

// `replay`: the file, the span, how often. `work` is at its beginning, and has the names afterwards. Status::usage: the
// span gives the device nothing to do, or nothing that can be timed.
Result<GapReplay> replay_gaps(WorkWalk& work, const player::Options& replay);

}  // namespace rondo::analyzers
