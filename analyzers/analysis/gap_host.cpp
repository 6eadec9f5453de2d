// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/gap_host.h"

#include <algorithm>

#include "analyzers/analysis/gaps.h"

namespace rondo::analyzers {

namespace {

constexpr double kLateNs = 100'000;  // so late is no part of its own, nor what is less than …
constexpr double kLatePart = 0.05;   // … this part of the interval

}  // namespace

GapHost::GapHost(const GapWork& work, const GapTimes& times) : work_(work), times_(times) {
  for (std::size_t i = 0; i < times.calls.size(); ++i) {
    const GapTimes::Call& played = times.calls[i];
    played_.emplace(played.record, i);
    const GapCall* const captured = call(played.record);
    if (captured == nullptr || captured->command == CommandId::none) continue;
    all_played_.push_back({played.begin, played.end, played.record});
    if (!has_shift_ && times.is_paced && captured->start_ns != 0) {
      zero_ = captured->start_ns;
      shift_ = played.begin;
      has_shift_ = true;
    }
  }
  if (has_shift_) {
    for (const GapCall& one : work.calls) {
      if (one.command == CommandId::none) continue;
      if (one.start_ns != 0) {
        program_[one.thread].push_back({paced(one.start_ns), paced(one.end_ns), one.record});
      } else if (const auto found = played_.find(one.record); found != played_.end()) {
        // The capture does not say how long it took.
        const GapTimes::Call& played = times.calls[found->second];
        program_[one.thread].push_back({played.begin, played.end, one.record});
      }
    }
    for (auto& [thread, calls] : program_)
      std::stable_sort(calls.begin(), calls.end(), [](const Timed& a, const Timed& b) { return a.begin < b.begin; });
  }
}

std::optional<GapHost::Interval> GapHost::played(std::uint64_t record) const {
  const auto found = played_.find(record);
  if (found == played_.end()) return std::nullopt;
  const GapTimes::Call& one = times_.calls[found->second];
  return Interval{one.begin, one.end};
}

const GapCall* GapHost::call(std::uint64_t record) const {
  const auto found = std::lower_bound(work_.calls.begin(), work_.calls.end(), record,
                                      [](const GapCall& one, std::uint64_t wanted) { return one.record < wanted; });
  return found != work_.calls.end() && found->record == record ? &*found : nullptr;
}

// Which call took most of the interval; none: the time between calls did.
HostPart GapHost::most(std::span<const Timed> calls, double begin, double end) {
  HostPart part{begin, end, false, 0, end - begin};
  auto at = std::upper_bound(calls.begin(), calls.end(), begin,
                             [](double wanted, const Timed& one) { return wanted < one.begin; });
  if (at != calls.begin()) --at;
  double longest = 0, in_calls = 0;
  for (; at != calls.end() && at->begin < end; ++at) {
    const double inside = std::min(at->end, end) - std::max(at->begin, begin);
    if (inside <= 0) continue;
    in_calls += inside;
    if (inside <= longest) continue;
    longest = inside;
    part.call = at->record;
  }
  const double between = end - begin - in_calls;
  if (longest > 0 && longest >= between) {
    part.in_call = longest;
  } else {
    part.call = 0;
    part.in_call = std::max(between, 0.0);
  }
  return part;
}

void GapHost::split(std::uint64_t submit, double begin, double end, double uncertainty,
                    const std::function<void(const HostPart&)>& tell) const {
  const GapCall* const captured = call(submit);
  const auto made = played(submit);
  if (captured == nullptr || !made) return tell({begin, end, false, 0, end - begin});
  const std::span<const Timed> here(all_played_);
  // When the program made the call. A replay that is not paced is late from the begin on.
  double due = begin;
  std::span<const Timed> program;
  if (has_shift_ && captured->start_ns != 0) {
    if (const auto found = program_.find(captured->thread); found != program_.end()) program = found->second;
    due = paced(captured->start_ns);
  }
  due = std::clamp(due, begin, end);
  const double submitted = std::clamp(made->begin, begin, end);
  const double tolerance = std::max({uncertainty, kLateNs, kLatePart * (end - begin)});
  if (submitted - due <= tolerance) return tell(most(due > begin ? program : here, begin, end));
  if (due - begin > tolerance)
    tell(most(program, begin, due));
  else
    due = begin;
  HostPart late = most(here, due, end);
  late.is_late = late.call == 0;
  tell(late);
}

}  // namespace rondo::analyzers
