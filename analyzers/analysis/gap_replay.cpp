// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/gap_replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzers/analysis/profile.h"
#include "analyzers/text/text.h"
#include "player/measure/device_clocks.h"
#include "player/measure/times.h"
#include "player/play.h"

namespace rondo::analyzers {

namespace {

using player::DeviceClock;
using player::HostRun;

// The iteration that took the least time, so that was the least late.
class BestIteration {
 public:
  explicit BestIteration(const GapWork& work) : work_(work) {}

  void take(std::span<const double> times, const HostRun& run) {
    const double seconds = static_cast<double>(run.end_ns - run.begin_ns) * 1e-9;
    if (has_any_ && seconds >= least_) return;
    has_any_ = true;
    least_ = seconds;
    captured_seconds = run.captured_seconds;
    paced_seconds = run.seconds;
    best.items.assign(work_.items.size(), {});
    best.clocks.assign(work_.items.size(), {});
    uncertainty = 0;
    clock = GapClock::calibrated;
    for (std::size_t i = 0; i < work_.items.size(); ++i) {
      const GapItem& item = work_.items[i];
      if (!item.is_timed() || times[item.begin] < 0 || times[item.end] < 0) continue;
      const std::uint32_t device = run.devices[item.begin];
      const DeviceClock& of = run.clocks[device];
      best.items[i] = {times[item.begin] + of.offset_ns, times[item.end] + of.offset_ns};
      best.clocks[i] = {of.kind != DeviceClock::Kind::unknown, of.uncertainty_ns};
      uncertainty = std::max(uncertainty, of.uncertainty_ns);
      if (of.kind == DeviceClock::Kind::unknown) clock = GapClock::unknown;
      if (of.kind == DeviceClock::Kind::bounded && clock == GapClock::calibrated) clock = GapClock::bounded;
    }
    best.calls.clear();
    const auto since = [&](std::uint64_t ns) {
      return static_cast<double>(static_cast<std::int64_t>(ns - run.begin_ns));
    };
    for (const player::PlayedCall& call : run.calls)
      best.calls.push_back({call.record, since(call.begin_ns), since(call.end_ns)});
  }

  bool has_times() const {
    return std::any_of(best.items.begin(), best.items.end(),
                       [](const GapTimes::Item& item) { return item.begin != GapTimes::kNoTime; });
  }

  GapTimes best;
  GapClock clock = GapClock::unknown;
  double uncertainty = 0, captured_seconds = 0, paced_seconds = 0;

 private:
  const GapWork& work_;
  bool has_any_ = false;
  double least_ = 0;
};

Result<player::Outcome> play_for_gaps(player::Options options, const TimePoints& points, bool is_paced,
                                      BestIteration& best) {
  options.paced = is_paced;
  options.times = &points.wanted();
  std::span<const double> last;
  options.take_times = [&last](std::span<const double> times, std::span<const double>) { last = times; };
  options.take_host = [&](const HostRun& run) { best.take(last, run); };
  auto outcome = play_all(options);
  if (!outcome) return outcome;
  best.best.is_paced = is_paced;
  best.best.tick = outcome->timestamp_ns;
  return outcome;
}

}  // namespace

bool GapReplay::is_slow() const {
  return captured_seconds > 0 && paced_seconds > captured_seconds * (1 + player::kMuchLonger);
}

Result<GapReplay> replay_gaps(WorkWalk& work, const player::Options& replay) {
  GapReplay out;
  TimePoints points(ProfileMode::natural, false);
  points.ask_for_clocks();
  auto read = read_gap_work(work, replay.span, points);
  if (!read) return tl::unexpected(read.error());
  out.work = std::move(*read);
  player::Options options = replay;
  options.from_submit = true;
  options.makes_ready = false;
  // A span that is played once need not be put back.
  options.warmup = options.loop > 1 ? 1 : 0;
  if (std::none_of(out.work.items.begin(), out.work.items.end(),
                   [](const GapItem& item) { return item.work.wanted; })) {
    options.loop = 1;
    options.warmup = 0;
    const auto nothing = play_all(options);  // which says whether the capture is whole
    if (!nothing) return tl::unexpected(nothing.error());
    return fail(Status::usage,
                text("{}: {} gives the device nothing to do", printable(replay.file),
                     replay.span.kind == SpanRequest::Kind::whole ? std::string("it") : replay.span.text()));
  }
  player::Options fast = options;
  fast.loop = 1;
  BestIteration unpaced(out.work);
  const auto fast_played = play_for_gaps(fast, points, false, unpaced);
  if (!fast_played) return tl::unexpected(fast_played.error());
  out.devices = fast_played->devices;
  for (const player::Replaced& one : fast_played->replaced) out.replaced.push_back(one.text());
  if (!unpaced.has_times())
    return fail(Status::device,
                text("{}: no item can be timed on this device, so its gaps cannot be seen", printable(replay.file)));
  const Gaps without_pace = find_gaps(out.work, unpaced.best);
  unpaced.best = {};
  BestIteration paced(out.work);
  const auto played = play_for_gaps(options, points, true, paced);
  if (!played) return tl::unexpected(played.error());
  out.iterations = played->iterations.size();
  out.clock = paced.clock;
  out.uncertainty = paced.uncertainty;
  out.tick = paced.best.tick;
  out.captured_seconds = paced.captured_seconds;
  out.paced_seconds = paced.paced_seconds;
  out.gaps = find_gaps(out.work, paced.best);
  out.only_unpaced = only_unpaced(without_pace, out.gaps);
  return out;
}

}  // namespace rondo::analyzers
