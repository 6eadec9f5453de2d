// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile.h"

#include <algorithm>

#include "analyzers/analysis/profile_samples.h"
#include "analyzers/text/text.h"
#include "player/interrupt.h"

namespace rondo::analyzers {

namespace {

using player::IterationTimes;

template <class Member>
double median_of(const std::vector<IterationTimes>& iterations, Member member) {
  std::vector<double> values;
  for (const IterationTimes& one : iterations) values.push_back(one.*member);
  return values.empty() ? 0 : player::spread_of(std::move(values)).median;
}

std::optional<double> device_time(const std::vector<IterationTimes>& iterations) {
  std::vector<double> values;
  for (const IterationTimes& one : iterations)
    if (one.gpu) values.push_back(*one.gpu);
  return values.empty() ? std::nullopt : std::optional(player::spread_of(std::move(values)).median);
}

// The item of each execution of a query around a command; kNone: of none.
std::vector<std::uint32_t> item_of_executions(const TimePoints& counts) {
  std::vector<std::uint32_t> item_of(counts.wanted().order.size(), player::kNone);
  for (std::uint32_t i = 0; i < counts.items().size(); ++i)
    if (counts.items()[i].begin != player::kNone) item_of[counts.items()[i].begin] = i;
  return item_of;
}

// The statistics of a span, in a replay of their own: the queries would cost time. `counts` has the queries.
Result<void> count_statistics(const player::Options& plain, const TimePoints& counts, ProfileSamples& samples,
                              Profile& out) {
  const std::vector<std::uint32_t> item_of = item_of_executions(counts);
  player::Options counting = plain;
  counting.loop = 1;
  counting.times = &counts.wanted();
  counting.take_statistics = [&](std::uint32_t execution, const player::Statistics& of) {
    if (item_of[execution] != player::kNone) samples.take_statistics(item_of[execution], of);
  };
  const auto outcome = play_all(counting);
  if (!outcome) return tl::unexpected(outcome.error());
  out.in_own_queries = outcome->in_own_queries;
  return {};
}

// Likewise performance counters: a replay for each group that is counted in one pass.
Result<void> count_counters(const player::Options& plain, const player::CounterChoice& chosen, TimePoints& counts,
                            ProfileSamples& samples, Profile& out) {
  out.counters = chosen.counters;
  out.counter_replays = chosen.groups.size();
  samples.expect_counters(chosen.counters.size());
  const std::vector<std::uint32_t> item_of = item_of_executions(counts);
  for (const std::vector<std::uint32_t>& group : chosen.groups) {
    std::vector<player::Counter> counters;
    for (const std::uint32_t c : group) counters.push_back(chosen.counters[c]);
    counts.set_counters(std::move(counters));
    player::Options counting = plain;
    counting.loop = 1;
    counting.times = &counts.wanted();
    counting.take_counters = [&](std::uint32_t execution, std::span<const double> values) {
      if (item_of[execution] != player::kNone) samples.take_counters(item_of[execution], group, values);
    };
    const auto outcome = play_all(counting);
    if (!outcome) return tl::unexpected(outcome.error());
  }
  return {};
}

// The items that rows of GroupBy::none are of: the capture is read once more, since all items would take much
// memory.
Result<void> find_items(const ProfileWanted& wanted, Profile& out) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // item and row
  for (std::uint32_t r = 0; r < out.rows.size(); ++r) rows.emplace_back(out.rows[r].item, r);
  std::sort(rows.begin(), rows.end());
  auto work = WorkWalk::open(wanted.replay.file);
  if (!work) return tl::unexpected(work.error());
  std::uint32_t item = 0;
  const auto done = [&] { return out.items.size() == rows.size(); };
  const auto found = work->run(wanted.replay.span, WorkWalk::Visit::wanted, [&](std::span<const WorkItem> items) {
    for (const WorkItem& one : items) {
      if (!done() && rows[out.items.size()].first == item) {
        out.rows[rows[out.items.size()].second].item = static_cast<std::uint32_t>(out.items.size());
        out.items.push_back(one);
      }
      ++item;
    }
    return !done();
  });
  if (!found) return tl::unexpected(found.error());
  if (!done()) return fail(Status::failed, printable(wanted.replay.file) + ": changed while it was played");
  return {};
}

// Rows of first items become rows of their groups.
void add_groups(const std::vector<ItemGroup>& groups, Profile& out) {
  for (ProfileRow& row : out.rows) {
    const auto group = std::lower_bound(groups.begin(), groups.end(), row.item,
                                        [](const ItemGroup& one, std::uint32_t item) { return one.first < item; });
    if (group == groups.end() || group->first != row.item) continue;
    row.last = group->last;
    row.items = group->items;
    row.bytes = 0;
    for (std::uint32_t i = group->first; i <= group->last; ++i) {
      const WorkItem& item = out.items[i];
      if (!item.is_pass && item.pass != WorkItem::kNoPass) continue;  // its pass has its bytes
      if (__builtin_add_overflow(row.bytes, item.bytes, &row.bytes)) row.bytes = UINT64_MAX;
      row.bytes_unknown = row.bytes_unknown || item.bytes_unknown;
    }
  }
}

// No device has timestamps: what the host can tell of the submits `first` to `last`.
Result<void> time_submits(const ProfileWanted& wanted, std::uint64_t first, std::uint64_t last, Profile& out) {
  player::Options options = wanted.replay;
  options.span = {SpanRequest::Kind::submits, first, last + 1, {}, {}};
  const auto outcome = play_all(options);
  if (!outcome) return tl::unexpected(outcome.error());
  const std::vector<IterationTimes>& iterations = outcome->iterations;
  const player::IntervalTimes& intervals = outcome->intervals;
  out.of_host = true;
  out.host_without = out.host_with = median_of(iterations, &IterationTimes::work);
  const std::size_t rows = std::max<std::size_t>(intervals.names.size(), 1);
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> values;
    for (std::size_t i = 0; i < iterations.size(); ++i)
      values.push_back(1e9 * (intervals.names.empty() ? iterations[i].work : intervals.of(i)[r]));
    if (values.empty()) continue;
    const player::Spread spread = player::spread_of(std::move(values));
    ProfileRow row;
    row.group = intervals.names.empty() ? text("submit {}", options.span.first) : intervals.names[r];
    row.min = spread.min;
    row.median = spread.median;
    row.p95 = spread.p95;
    sum += row.median;
    out.rows.push_back(std::move(row));
  }
  for (ProfileRow& row : out.rows) row.share = sum > 0 ? row.median / sum : 0;
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.median > b.median; });
  out.row_count = out.rows.size();
  if (out.rows.size() > wanted.top) out.rows.resize(wanted.top);
  return {};
}

}  // namespace

// Half of the iterations say half of the truth: a replay that a signal interrupts gives nothing.
Result<player::Outcome> play_all(const player::Options& options) {
  player::Outcome outcome = player::play(options);
  if (outcome.status != Status::ok) return tl::unexpected(outcome.as_error());
  if (player::Interrupt::signal() != 0)
    return fail(Status::failed, printable(options.file) + ": interrupted: there are no times");
  return outcome;
}

double Profile::perturbation() const {
  if (device_without && device_with && *device_without > 0) return *device_with / *device_without - 1;
  return host_without > 0 ? host_with / host_without - 1 : 0;
}

Result<Profile> profile(WorkWalk& work, const ProfileWanted& wanted) {
  Profile out;
  ProfileSamples samples(work, wanted);
  std::optional<WaveGroups> groups;
  if (wanted.mode == ProfileMode::waves) {
    auto found = WaveGroups::of(wanted.replay.file);
    if (!found) return tl::unexpected(found.error());
    groups = std::move(*found);
  }
  TimePoints points(wanted.mode, wanted.draws || ProfileSamples::counts_draws(wanted.by, wanted.draws),
                    groups ? &*groups : nullptr);
  TimePoints counts(player::Measured::statistics), counted(player::Measured::counters);
  const bool keeps_items = wanted.by == GroupBy::none && (wanted.top == SIZE_MAX || groups);
  std::optional<std::uint64_t> first_submit;
  std::uint64_t last_submit = 0;
  auto totals = work.run(wanted.replay.span, WorkWalk::Visit::played, [&](std::span<const WorkItem> items) {
    for (const WorkItem& item : items) {
      if (!item.wanted) continue;
      if (!first_submit) first_submit = item.submit;
      last_submit = item.submit;
      samples.add(item);
      if (keeps_items) out.items.push_back(item);
    }
    points.take(items);
    if (wanted.statistics) counts.take(items);
    if (!wanted.counters.empty()) counted.take(items);
    return true;
  });
  if (!totals) return tl::unexpected(totals.error());
  out.totals = std::move(*totals);
  player::Options plain = wanted.replay;
  plain.from_submit = true;
  plain.makes_ready = false;  // the device is measured, and a capture may have millions of calls
  if (samples.items() == 0) {
    plain.loop = 1;
    plain.warmup = 0;
    const auto nothing = play_all(plain);  // which says whether the capture is whole
    if (!nothing) return tl::unexpected(nothing.error());
    const SpanRequest& span = wanted.replay.span;
    const bool is_several = span.kind == SpanRequest::Kind::frames || span.kind == SpanRequest::Kind::submits;
    return fail(Status::usage,
                text("{}: {} {} the device nothing to do", printable(wanted.replay.file),
                     span.kind == SpanRequest::Kind::whole ? "it" : span.text(), is_several ? "give" : "gives"));
  }
  points.finish();
  counts.finish();
  counted.finish();
  samples.timed(points.items());
  out.chosen = points.chosen();
  out.repeated = points.repeated();

  player::Options first = plain;
  first.counters = wanted.counters;
  const auto first_played = play_all(first);
  if (!first_played) return tl::unexpected(first_played.error());
  const player::Outcome& without = *first_played;
  out.devices = without.devices;
  for (const player::Replaced& one : without.replaced) out.replaced.push_back(one.text());
  out.device_without = device_time(without.iterations);
  out.host_without = median_of(without.iterations, &IterationTimes::work);

  player::Options timed = plain;
  timed.take_picture = nullptr;  // the first replay took them
  timed.times = &points.wanted();
  timed.take_times = [&](std::span<const double> times, std::span<const double> probes) {
    samples.take(times, probes);
  };
  const auto timed_played = play_all(timed);
  if (!timed_played) return tl::unexpected(timed_played.error());
  const player::Outcome& with = *timed_played;
  out.iterations = with.iterations.size();
  out.device_with = device_time(with.iterations);
  out.host_with = median_of(with.iterations, &IterationTimes::work);
  out.timer = with.timestamp_ns;
  out.lacks_statistics = wanted.statistics && !without.counts_statistics;
  out.lacks_counters = without.counters.is_lacking;
  const bool has_times = samples.any_timed();
  if (has_times && wanted.statistics && !out.lacks_statistics) RONDO_TRY(count_statistics(plain, counts, samples, out));
  if (has_times && !without.counters.counters.empty())
    RONDO_TRY(count_counters(plain, without.counters, counted, samples, out));
  samples.finish(out.timer, wanted.top, out);
  if (groups && out.row_count != 0) add_groups(points.groups(), out);
  if (out.row_count == 0)
    RONDO_TRY(time_submits(wanted, *first_submit, last_submit, out));
  else if (wanted.by == GroupBy::none && !keeps_items)
    RONDO_TRY(find_items(wanted, out));
  return out;
}

bool is_noisy(const Profile& profile) {
  constexpr double kMuchAbove = 1.5, kMuchLess = -0.05;
  double medians = 0, minima = 0;
  for (const ProfileRow& row : profile.rows) {
    medians += row.median;
    minima += row.min;
  }
  return medians > kMuchAbove * minima || profile.perturbation() < kMuchLess;
}

}  // namespace rondo::analyzers
