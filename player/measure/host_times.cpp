// SPDX-License-Identifier: Apache-2.0
#include "player/measure/host_times.h"

#include <time.h>

#include <algorithm>
#include <cstdio>

#include "player/interrupt.h"
#include "player/measure/times.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kLongestNs = 86'400'000'000'000;  // a day
constexpr std::uint64_t kLookEveryNs = 200'000'000;       // for a signal

void sleep_until(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  for (std::uint64_t now = now_ns(); now < ns && Interrupt::signal() == 0; now = now_ns()) {
    const std::uint64_t until = std::min(ns, now + kLookEveryNs);
    const timespec at{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

}  // namespace

Result<std::vector<CapturedTime>> read_captured_times(Reader& reader, const RecordRange& records) {
  std::vector<CapturedTime> times;
  RONDO_TRY(reader.rewind());
  for (;;) {
    const auto record = reader.next();
    if (!record) return tl::unexpected<Error>(record.error());
    if (!*record || (*record)->sequence > records.last) break;
    const Record& one = **record;
    if (one.sequence >= records.first && one.has_times && one.end_ns >= one.start_ns)
      times.push_back({one.sequence, one.start_ns, one.end_ns});
  }
  return times;
}

HostTimes::HostTimes(Run& run, std::span<const CapturedTime> captured, bool is_paced, bool keeps)
    : run_(run), is_paced_(is_paced) {
  const Plan& plan = run.plan();
  bool any = false;
  for (std::uint32_t i = plan.span.first; i < plan.span.last; ++i) {
    Stop stop;
    stop.op = i;
    const auto time =
        std::lower_bound(captured.begin(), captured.end(), plan.ops[i].sequence,
                         [](const CapturedTime& one, std::uint64_t record) { return one.record < record; });
    if (time != captured.end() && time->record == plan.ops[i].sequence) {
      stop.has_time = true;
      stop.start_ns = time->start_ns;
      // Calls of several threads are not sorted by their times.
      if (!any) captured_begin_ns_ = captured_end_ns_ = time->start_ns;
      captured_end_ns_ = std::max(captured_end_ns_, time->end_ns);
      any = true;
    }
    stop.is_kept = keeps && !codec::info(plan.ops[i].command).records_into_command_buffer;
    if (stop.is_kept || stop.has_time) stops_.push_back(stop);
  }
}

Result<void> HostTimes::begin() {
  if (is_paced_ && captured_end_ns_ - captured_begin_ns_ > kLongestNs)
    return fail(Status::usage, run_.plan().path +
                                   ": its calls are more than a day apart, so it is not played paced: choose a shorter "
                                   "span");
  next_ = 0;
  began_ns_ = ended_ns_ = 0;
  calls_.clear();
  return {};
}

Result<void> HostTimes::play_to(std::uint32_t last) {
  for (; next_ < stops_.size() && stops_[next_].op < last; ++next_) {
    const Stop& stop = stops_[next_];
    RONDO_TRY(run_.play_to(stop.op));
    if (stop.has_time && began_ns_ == 0) {
      began_ns_ = now_ns();
      paused_before_ = run_.paused_ns();
    } else if (stop.has_time && is_paced_ && stop.start_ns > captured_begin_ns_) {
      sleep_until(began_ns_ + (stop.start_ns - captured_begin_ns_) + (run_.paused_ns() - paused_before_));
    }
    if (stop.is_kept) calls_.push_back({run_.plan().ops[stop.op].sequence, now_ns(), 0, stop.op});
    RONDO_TRY(run_.play_to(stop.op + 1));
    const std::uint64_t now = now_ns();
    if (stop.has_time) ended_ns_ = now;
    if (stop.is_kept) calls_.back().end_ns = now;
  }
  return run_.play_to(last);
}

std::string paced_text(double captured, std::span<const double> played) {
  if (captured <= 0) return "paced: no call of the span has a time in the capture, so none was held back\n";
  if (played.empty()) return {};
  const double here = spread_of({played.begin(), played.end()}).median, longer = here / captured - 1;
  char line[200];
  std::snprintf(line, sizeof line, "paced: %.3f ms in the capture, %.3f ms here (%+.1f %%)%s\n", captured * 1e3,
                here * 1e3, longer * 1e2,
                longer > kMuchLonger ? ": more than 5 % longer, so this replay cannot keep the program's pace" : "");
  return line;
}

}  // namespace rondo::player
