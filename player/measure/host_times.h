// SPDX-License-Identifier: Apache-2.0
// When the host makes the calls of a span. A paced replay makes each call that has a time in the capture no earlier
// than in the capture: at the same offset from the span's first call that has one. The layer gives times to submits,
// presents, acquires and waits; calls without a time are made at once. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/reader.h"
#include "format/result.h"
#include "format/spans.h"
#include "player/run/run.h"

namespace rondo::player {

// When the program made a call: nanoseconds of the CLOCK_MONOTONIC of its machine.
struct CapturedTime {
  std::uint64_t record = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
};
// Of all calls of these records that have times, in the order of the records. Reads the capture from its begin on.
Result<std::vector<CapturedTime>> read_captured_times(Reader& reader, const RecordRange& records);

// When a call of the span was played: its begin and its end by CLOCK_MONOTONIC.
struct PlayedCall {
  std::uint64_t record = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t op = 0;  // index into Plan::ops
};

class HostTimes {
 public:
  // `captured`: of the span. `keeps`: calls() has what was played, but for commands that are recorded into command
  // buffers.
  HostTimes(Run& run, std::span<const CapturedTime> captured, bool is_paced, bool keeps);

  // Before each time that the span is played. Status::usage: it is to be paced, and its calls are more than a day apart
  // in the capture.
  Result<void> begin();
  // As Run::play_to(). Is not paced any more when a signal ends the loop (interrupt.h).
  Result<void> play_to(std::uint32_t last);

  // Of the last time that the span was played.
  std::span<const PlayedCall> calls() const { return calls_; }
  // From the first call that has a time to the end of the last one, in seconds. 0: the span has no such call.
  double seconds() const { return static_cast<double>(ended_ns_ - began_ns_) * 1e-9; }
  // The same of the capture.
  double captured_seconds() const { return static_cast<double>(captured_end_ns_ - captured_begin_ns_) * 1e-9; }

 private:
  // An op at which something is to be done.
  struct Stop {
    std::uint32_t op = 0;
    bool is_kept = false, has_time = false;
    std::uint64_t start_ns = 0;  // as of CapturedTime
  };

  Run& run_;
  const bool is_paced_;
  std::vector<Stop> stops_;  // in the order of ops
  std::size_t next_ = 0;
  std::uint64_t captured_begin_ns_ = 0, captured_end_ns_ = 0;      // of the span
  std::uint64_t began_ns_ = 0, ended_ns_ = 0, paused_before_ = 0;  // began_ns_ is 0: no call with a time yet
  std::vector<PlayedCall> calls_;
};

// A paced replay says so if it takes longer than the capture by more than this part.
inline constexpr double kMuchLonger = 0.05;
// A line that says how long the span took in the capture, and paced: the median of the iterations. `captured`: in
// seconds; 0: no call of the span has a time.
std::string paced_text(double captured, std::span<const double> played);

}  // namespace rondo::player
