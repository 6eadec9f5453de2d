// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "analyzers/text.h"

namespace rondo::analyzers {

namespace {

using player::CommandTimes;
using player::IterationTimes;

// Which items a row of a group counts, so that nothing is counted twice: a pass, or the draws in it.
bool counts_draws(GroupBy by, bool draws) {
  return by == GroupBy::pipeline || by == GroupBy::shader || (by == GroupBy::label && draws);
}

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

// The times of rows, iteration by iteration.
class Samples {
 public:
  Samples(const WorkWalk& work, const ProfileWanted& wanted, const std::vector<WorkItem>& items, const std::vector<ItemTimes>& times)
      : work_(work), by_(wanted.by), times_(times), row_of_(items.size(), player::kNone) {
    const bool of_draws = counts_draws(by_, wanted.draws);
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      const WorkItem& item = items[i];
      const bool is_inside = !item.is_pass && item.pass != WorkItem::kNoPass;
      has_cost_.push_back(!is_inside);
      if (times[i].begin == player::kNone || times[i].end == player::kNone) continue;
      if (by_ != GroupBy::none && (of_draws ? item.is_pass : is_inside)) continue;
      row_of_[i] = by_ == GroupBy::none    ? add_row({}, i)
                   : by_ == GroupBy::label ? label_row(item.label_path, i)
                                           : group_row(key_of(work, item, by_), i);
      for (std::uint32_t r = row_of_[i]; r != player::kNone; r = parent_[r]) {
        ProfileRow& row = rows_[r];
        if (__builtin_add_overflow(row.bytes, item.bytes, &row.bytes)) row.bytes = UINT64_MAX;
        row.bytes_unknown = row.bytes_unknown || item.bytes_unknown;
      }
    }
  }

  // Of an iteration. What the timestamps of an isolated item cost is no time of the item: the median of all is taken off.
  void take(std::span<const double> times, std::span<const double> probes) {
    std::vector<double> costs;
    std::copy_if(probes.begin(), probes.end(), std::back_inserter(costs), [](double cost) { return cost != CommandTimes::kNoTime; });
    const double cost = costs.empty() ? 0 : player::spread_of(std::move(costs)).median;
    costs_.push_back(cost);
    const std::size_t first = values_.size();
    values_.resize(first + rows_.size(), 0);
    for (ProfileRow& row : rows_) row.items = 0;
    timed_ = 0;
    for (std::size_t i = 0; i < row_of_.size(); ++i) {
      if (times_[i].begin == player::kNone || times_[i].end == player::kNone) continue;
      const double begin = times[times_[i].begin], end = times[times_[i].end];
      if (begin == CommandTimes::kNoTime || end == CommandTimes::kNoTime) continue;
      timed_ += 1;
      for (std::uint32_t r = row_of_[i]; r != player::kNone; r = parent_[r]) {
        values_[first + r] += static_cast<float>(std::max(end - begin - (has_cost_[i] ? cost : 0), 0.0));
        if (rows_[r].items++ == 0) rows_[r].begin = begin;
      }
    }
  }

  // Pipeline statistics of an item: `counts`; null: it has none, and would have some.
  void take_statistics(std::uint32_t item, std::uint32_t pass, const player::Statistics* counts) {
    statistics_.resize(rows_.size());
    const auto add = [&](RowStatistics& to) {
      (counts != nullptr ? to.counted : to.uncounted) += 1;
      if (counts == nullptr) return;
      for (std::size_t bit = 0; bit < player::kStatistics; ++bit) to.sum[bit] += (*counts)[bit];
    };
    add(all_statistics_);
    for (const std::uint32_t of : {item, pass})
      for (std::uint32_t r = of != player::kNone ? row_of_[of] : player::kNone; r != player::kNone; r = parent_[r]) {
        rows_[r].statistics = r;
        add(statistics_[r]);
      }
  }
  std::vector<RowStatistics> statistics() && { return std::move(statistics_); }
  const RowStatistics& all_statistics() const { return all_statistics_; }

  std::uint64_t timed() const { return timed_; }
  double cost() const { return costs_.empty() ? 0 : player::spread_of(costs_).median; }

  std::vector<ProfileRow> finish(double timer) {
    const std::size_t iterations = rows_.empty() ? 0 : values_.size() / rows_.size();
    double sum = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::vector<double> values(iterations);
      for (std::size_t i = 0; i < iterations; ++i) values[i] = static_cast<double>(values_[i * rows_.size() + r]);
      if (values.empty()) continue;
      const player::Spread spread = player::spread_of(std::move(values));
      ProfileRow& row = rows_[r];
      row.min = spread.min;
      row.median = spread.median;
      row.p95 = spread.p95;
      row.below_timer = spread.median < kFewTicks * timer * static_cast<double>(row.items);
      // The time of a render pass holds that of its draws: a draw is not added to the sum again.
      const bool is_part = by_ == GroupBy::none && !has_cost_[row.item];
      if (parent_[r] == player::kNone && !is_part) sum += row.median;
    }
    std::erase_if(rows_, [](const ProfileRow& row) { return row.items == 0; });
    for (ProfileRow& row : rows_) row.share = sum > 0 ? row.median / sum : 0;
    std::stable_sort(rows_.begin(), rows_.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.median > b.median; });
    return std::move(rows_);
  }

 private:
  std::uint32_t add_row(std::string group, std::uint32_t item, std::uint32_t parent = player::kNone) {
    ProfileRow& row = rows_.emplace_back();
    row.group = std::move(group);
    row.item = item;
    row.items = 0;
    parent_.push_back(parent);
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  std::uint32_t group_row(const std::string& key, std::uint32_t item, std::uint32_t parent = player::kNone) {
    const auto found = groups_.find(key);
    if (found != groups_.end()) return found->second;
    return groups_[key] = add_row(key, item, parent);
  }

  // A label has the times of the labels in it, too.
  std::uint32_t label_row(std::uint32_t path, std::uint32_t item) {
    if (path == 0) return group_row(std::string(kNoLabel), item);
    std::string key;
    std::uint32_t row = player::kNone;
    for (const std::string_view label : work_.labels(path)) {
      if (row != player::kNone) key += '/';
      key += printable(label);
      row = group_row(key, item, row);
    }
    return row;
  }

  const WorkWalk& work_;
  const GroupBy by_;
  const std::vector<ItemTimes>& times_;
  std::vector<std::uint32_t> row_of_;  // parallel to the items: index into rows_; kNone: in no row
  std::vector<ProfileRow> rows_;
  std::vector<std::uint32_t> parent_;  // parallel: the row that counts these items, too; kNone: none
  std::unordered_map<std::string, std::uint32_t> groups_;  // by name: index into rows_
  std::vector<float> values_;          // of each iteration, a value a row
  std::vector<bool> has_cost_;         // parallel to the items: it is not in a render pass, so barriers can stand around it
  std::vector<double> costs_;          // of each iteration
  std::uint64_t timed_ = 0;            // items of the last iteration that have a time
  std::vector<RowStatistics> statistics_;  // parallel to the rows, once an item has some
  RowStatistics all_statistics_;
};

// The statistics of a span, in a replay of their own: the queries would cost time. `counts` has the queries.
Result<void> count_statistics(const player::Options& plain, const TimePoints& counts, const std::vector<WorkItem>& items, Samples& samples,
                              Profile& out) {
  // The pass that each draw is in, as an item.
  std::vector<std::uint32_t> pass_of(items.size(), player::kNone), item_of(counts.wanted().order.size(), player::kNone);
  std::uint32_t pass = player::kNone;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].is_pass) pass = i;
    const bool is_inside = !items[i].is_pass && items[i].pass != WorkItem::kNoPass;
    if (is_inside && pass != player::kNone && items[pass].submit == items[i].submit && items[pass].pass == items[i].pass) pass_of[i] = pass;
    if (counts.items()[i].begin != player::kNone) item_of[counts.items()[i].begin] = i;
  }
  std::vector<bool> counted(items.size(), false);
  player::Options counting = plain;
  counting.loop = 1;
  counting.times = &counts.wanted();
  counting.take_statistics = [&](std::uint32_t execution, const player::Statistics& of) {
    const std::uint32_t item = item_of[execution];
    if (item == player::kNone) return;
    counted[item] = true;
    samples.take_statistics(item, pass_of[item], &of);
  };
  const player::Outcome played = player::play(counting);
  if (played.status != Status::ok) return tl::unexpected(played.as_error());
  for (std::uint32_t i = 0; i < items.size(); ++i)
    if (!counted[i] && items[i].draw != access::Executed::kNoDraw) samples.take_statistics(i, pass_of[i], nullptr);
  out.in_own_queries = played.in_own_queries;
  out.all_statistics = samples.all_statistics();
  return {};
}

// No device has timestamps: what the host can tell of submits.
Result<void> time_submits(const ProfileWanted& wanted, Profile& out) {
  player::Options options = wanted.replay;
  options.span = {SpanRequest::Kind::submits, out.items.front().submit, out.items.back().submit + 1, {}, {}};
  const player::Outcome played = player::play(options);
  if (played.status != Status::ok) return tl::unexpected(played.as_error());
  out.of_host = true;
  out.host_without = out.host_with = median_of(played.iterations, &IterationTimes::work);
  const std::size_t rows = std::max<std::size_t>(played.intervals.names.size(), 1);
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> values;
    for (std::size_t i = 0; i < played.iterations.size(); ++i)
      values.push_back(1e9 * (played.intervals.names.empty() ? played.iterations[i].work : played.intervals.of(i)[r]));
    if (values.empty()) continue;
    const player::Spread spread = player::spread_of(std::move(values));
    ProfileRow row;
    row.group = played.intervals.names.empty() ? text("submit {}", options.span.first) : played.intervals.names[r];
    row.min = spread.min;
    row.median = spread.median;
    row.p95 = spread.p95;
    sum += row.median;
    out.rows.push_back(std::move(row));
  }
  for (ProfileRow& row : out.rows) row.share = sum > 0 ? row.median / sum : 0;
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.median > b.median; });
  return {};
}

}  // namespace

double Profile::perturbation() const {
  if (device_without && device_with && *device_without > 0) return *device_with / *device_without - 1;
  return host_without > 0 ? host_with / host_without - 1 : 0;
}

Result<Profile> profile(WorkWalk& work, const ProfileWanted& wanted) {
  Profile out;
  TimePoints points(wanted.mode, wanted.draws || counts_draws(wanted.by, wanted.draws));
  TimePoints counts{TimePoints::OfStatistics{}};
  auto totals = work.run(wanted.replay.span, WorkWalk::Visit::played, [&](std::span<const WorkItem> items) {
    std::copy_if(items.begin(), items.end(), std::back_inserter(out.items), [](const WorkItem& item) { return item.wanted; });
    points.take(items);
    if (wanted.statistics) counts.take(items);
    return true;
  });
  if (!totals) return tl::unexpected(totals.error());
  out.totals = std::move(*totals);
  if (out.items.empty())
    return fail(Status::usage, text("{}: {} gives the device nothing to do", printable(wanted.replay.file),
                                    wanted.replay.span.kind == SpanRequest::Kind::whole ? "it" : wanted.replay.span.text()));
  points.finish();
  counts.finish();
  out.chosen = points.chosen();
  out.repeated = points.repeated();

  player::Options plain = wanted.replay;
  plain.from_submit = true;
  const player::Outcome without = player::play(plain);
  if (without.status != Status::ok) return tl::unexpected(without.as_error());
  out.devices = without.devices;
  out.device_without = device_time(without.iterations);
  out.host_without = median_of(without.iterations, &IterationTimes::work);

  Samples samples(work, wanted, out.items, points.items());
  player::Options timed = plain;
  timed.take_picture = nullptr;  // the first replay took them
  timed.times = &points.wanted();
  timed.take_times = [&](std::span<const double> times, std::span<const double> probes) { samples.take(times, probes); };
  const player::Outcome with = player::play(timed);
  if (with.status != Status::ok) return tl::unexpected(with.as_error());
  out.iterations = with.iterations.size();
  out.device_with = device_time(with.iterations);
  out.host_with = median_of(with.iterations, &IterationTimes::work);
  out.timer = with.timestamp_ns;
  out.timed = samples.timed();
  out.cost = samples.cost();
  out.lacks_statistics = wanted.statistics && !without.counts_statistics;
  if (wanted.statistics && !out.lacks_statistics) RONDO_TRY(count_statistics(plain, counts, out.items, samples, out));
  out.rows = samples.finish(out.timer);
  out.statistics = std::move(samples).statistics();
  if (out.rows.empty()) RONDO_TRY(time_submits(wanted, out));
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
