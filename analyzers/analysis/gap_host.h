// SPDX-License-Identifier: Apache-2.0
// What the host did while a queue had nothing: which call it was in, by the capture as long as the replay kept the
// program's pace, and by the replay where that was late. No device. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/gap_work.h"

namespace rondo::analyzers {

struct GapTimes;

struct HostPart {
  double begin = 0, end = 0;  // nanoseconds, as of GapTimes
  bool is_late = false;       // the replay was, and in no call that the program made
  std::uint64_t call = 0;     // as of Gap
  double in_call = 0;
};

class GapHost {
 public:
  // Both outlive this.
  GapHost(const GapWork& work, const struct GapTimes& times);

  struct Interval {
    double begin = 0, end = 0;
  };
  // As it was played; none: it was not, or not in the span.
  std::optional<Interval> played(std::uint64_t record) const;
  const GapCall* call(std::uint64_t record) const;

  // Tells the parts of an interval that ends when the call `submit` had submitted its work.
  void split(std::uint64_t submit, double begin, double end, double uncertainty,
             const std::function<void(const HostPart&)>& tell) const;

 private:
  // Intervals of calls of one thread, ascending.
  struct Timed {
    double begin = 0, end = 0;
    std::uint64_t record = 0;
  };
  static HostPart most(std::span<const Timed> calls, double begin, double end);
  // A time of the capture as one of GapTimes.
  double paced(std::uint64_t ns) const { return static_cast<double>(static_cast<std::int64_t>(ns - zero_)) + shift_; }

  const GapWork& work_;
  const struct GapTimes& times_;
  std::unordered_map<std::uint64_t, std::size_t> played_;          // by record: index into GapTimes::calls
  std::unordered_map<std::uint32_t, std::vector<Timed>> program_;  // by thread: as the program made them
  std::vector<Timed> all_played_;                                  // that the program made, too
  std::uint64_t zero_ = 0;  // of the first call that has a time: in the capture, …
  double shift_ = 0;        // … and as it was played
  bool has_shift_ = false;  // paced, and the capture has times
};

}  // namespace rondo::analyzers
