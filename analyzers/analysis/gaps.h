// SPDX-License-Identifier: Apache-2.0
// The intervals in which a queue does nothing, each with one cause: what the next item waited for. From what the
// capture says (gap_work.h) and the times of one replay. No device. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/analysis/gap_work.h"

namespace rondo::analyzers {

enum class GapCause : std::uint8_t {
  host,         // the batch of the next item was not submitted yet
  semaphore,    // the batch waited for a semaphore
  barrier,      // a barrier, a wait for an event or the boundary of a render pass stands between the items
  start,        // nothing held the batch any more: the driver and the device start it
  player,       // the replay was late, and the program was not
  below_timer,  // shorter than the clocks can tell
  unexplained,
};
inline constexpr std::array kGapCauses{GapCause::host,   GapCause::semaphore,   GapCause::barrier,    GapCause::start,
                                       GapCause::player, GapCause::below_timer, GapCause::unexplained};
std::string_view word_of(GapCause cause);

// Of one replay. All times are nanoseconds from the begin of the span on, of the host's clock.
struct GapTimes {
  static constexpr double kNoTime = -1e300;
  struct Item {
    double begin = kNoTime, end = kNoTime;
  };
  struct Call {
    std::uint64_t record = 0;
    double begin = 0, end = 0;
  };
  // How the clock of the device that executes an item relates to the host's clock.
  struct Clock {
    bool is_known = false;  // else begins and ends are from the first timestamp of the device on
    double uncertainty = 0;
  };
  std::vector<Item> items;    // parallel to GapWork::items
  std::vector<Clock> clocks;  // likewise
  std::vector<Call> calls;    // as they were played
  double tick = 1;            // of the devices' clocks, the longest
  bool is_paced = false;
};

struct Gap {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  double begin = 0, length = 0;  // as of GapTimes
  ObjectId queue = ObjectId::null;
  std::uint32_t after = kNone,
                before = kNone;  // the items around it: indexes into GapWork::items; none: the span begins
  GapCause cause{};
  bool is_unpaced = false;  // only a replay that is not paced has it
  // host, and player: the call that the host was in for most of the time; 0: between calls. For `player` the last call
  // before the submit.
  std::uint64_t call = 0;
  double in_call = 0;        // host: how long it was in that call, or between calls
  std::uint64_t submit = 0;  // host: the call that submits the batch
  // semaphore
  ObjectId semaphore = ObjectId::null;
  std::uint32_t signal_batch = GapWait::kNoBatch, signal_item = kNone;
  std::uint64_t signal_call = 0;  // of the host: as of GapWait::record
  // barrier
  std::uint64_t barrier = 0;
  CommandId barrier_command{};
};

struct GapQueue {
  ObjectId queue = ObjectId::null;
  double busy = 0, idle = 0;  // from the begin of the span, or of its first item, to the end of its last one
  std::uint64_t items = 0, gaps = 0;
};

struct Gaps {
  std::vector<Gap> all;  // in the order of queues, and of time. One interval may have several, one after the other
  std::vector<GapQueue> queues;
};

// Linear in items, batches and calls, but for sorting the items of a queue by their times.
Gaps find_gaps(const GapWork& work, const GapTimes& times);

// The gaps of the host that only `unpaced` has: before these items `paced` has none, or one of less than half the
// length. Their cause is the player.
std::vector<Gap> only_unpaced(const Gaps& unpaced, const Gaps& paced);

}  // namespace rondo::analyzers
