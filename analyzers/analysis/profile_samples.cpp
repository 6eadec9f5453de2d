// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

using player::CommandTimes;
using player::kNone;

bool ProfileSamples::counts_draws(GroupBy by, bool draws) {
  return by == GroupBy::pipeline || by == GroupBy::shader || (draws && (by == GroupBy::label || by == GroupBy::kind));
}

ProfileSamples::ProfileSamples(const WorkWalk& work, const ProfileWanted& wanted)
    : work_(work),
      by_(wanted.by),
      draws_(wanted.draws),
      statistics_wanted_(wanted.statistics),
      counters_wanted_(!wanted.counters.empty()) {}

void ProfileSamples::add(const WorkItem& item) {
  const auto index = static_cast<std::uint32_t>(flags_.size());
  const bool is_inside = !item.is_pass && item.pass != WorkItem::kNoPass;
  const bool is_draw = !item.is_pass && item.draw != access::Executed::kNoDraw;
  flags_.push_back(static_cast<std::uint8_t>((is_inside ? 0 : kHasCost) | (is_draw ? kIsDraw : 0) |
                                             (item.bytes_unknown ? kUnknownBytes : 0) | (item.is_pass ? kIsPass : 0)));
  bytes_.push_back(item.bytes);
  if (statistics_wanted_ || counters_wanted_) {
    if (item.is_pass) {
      pass_submit_ = item.submit;
      pass_ = item.pass;
      pass_item_ = index;
    }
    pass_of_.push_back(is_inside && item.submit == pass_submit_ && item.pass == pass_ ? pass_item_ : kNone);
  }
  // Nothing is counted twice: a group has a pass, or the draws in it, and then one group has the rest of all passes.
  const bool is_elsewhere = !counts_draws(by_, draws_) && is_inside;
  const bool is_rest = counts_draws(by_, draws_) && item.is_pass;
  if (is_rest) rest_row_ = group("render passes, outside of their draws", item);
  row_of_.push_back(
      by_ == GroupBy::none || is_elsewhere ? kNone
      : is_rest                            ? rest_row_
      : by_ == GroupBy::label
          ? label_group(item)
          : group(by_ == GroupBy::pipeline ? std::to_string(index_of(item.pipeline)) : key_of(work_, item, by_), item));
}

std::uint32_t ProfileSamples::group(const std::string& key, const WorkItem& item, std::uint32_t parent) {
  const auto [found, fresh] = group_by_key_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
  if (fresh) groups_.push_back({key, item.pipeline, static_cast<std::uint32_t>(flags_.size() - 1), parent});
  return found->second;
}

// A label has the times of the labels in it, too.
std::uint32_t ProfileSamples::label_group(const WorkItem& item) {
  if (item.label_path == 0) return group(std::string(kNoLabel), item);
  std::string key;
  std::uint32_t row = kNone;
  for (const std::string_view label : work_.labels(item.label_path)) {
    if (row != kNone) key += '/';
    key += printable(label);
    row = group(key, item, row);
  }
  return row;
}

void ProfileSamples::timed(const std::vector<ItemTimes>& times) {
  times_ = &times;
  for (std::uint32_t i = 0; i < row_of_.size(); ++i) {
    if (!is_timed(i)) {
      row_of_[i] = kNone;
    } else if (by_ == GroupBy::none) {
      row_of_[i] = static_cast<std::uint32_t>(item_of_row_.size());
      item_of_row_.push_back(i);
    }
  }
}

template <class Visit>
void ProfileSamples::each_row(std::uint32_t item, Visit&& visit) const {
  if (by_ == GroupBy::none) {
    if (row_of_[item] != kNone) visit(row_of_[item]);
    return;
  }
  for (std::uint32_t r = row_of_[item]; r != kNone; r = groups_[r].parent) visit(r);
}

// What the timestamps of an isolated item cost is no time of the item: the median of all is taken off.
void ProfileSamples::take(std::span<const double> times, std::span<const double> probes) {
  std::vector<double> costs;
  std::copy_if(probes.begin(), probes.end(), std::back_inserter(costs),
               [](double cost) { return cost != CommandTimes::kNoTime; });
  const double cost = costs.empty() ? 0 : player::spread_of(std::move(costs)).median;
  costs_.push_back(cost);
  std::vector<float>& values = values_.emplace_back(rows(), 0.0f);
  timed_items_.assign(rows(), 0);
  if (by_ == GroupBy::none) begins_.assign(rows(), 0);
  timed_ = 0;
  for (std::uint32_t i = 0; i < flags_.size(); ++i) {
    if (!is_timed(i)) continue;
    const double begin = times[(*times_)[i].begin], end = times[(*times_)[i].end];
    if (begin == CommandTimes::kNoTime || end == CommandTimes::kNoTime) continue;
    timed_ += 1;
    const double time = std::max(end - begin - ((flags_[i] & kHasCost) != 0 ? cost : 0), 0.0);
    each_row(i, [&](std::uint32_t r) {
      values[r] += static_cast<float>(time);
      timed_items_[r] += 1;
      if (by_ == GroupBy::none) begins_[r] = begin;
    });
    const bool is_inside = (flags_[i] & (kHasCost | kIsPass)) == 0;
    if (is_inside && rest_row_ != kNone) values[rest_row_] -= static_cast<float>(time);
  }
  if (rest_row_ != kNone) values[rest_row_] = std::max(values[rest_row_], 0.0f);
}

void ProfileSamples::take_statistics(std::uint32_t item, const player::Statistics& counts) {
  flags_[item] |= kHasStatistics;
  add_statistics(item, &counts);
}

// Null: the item has none, and would have some.
void ProfileSamples::add_statistics(std::uint32_t item, const player::Statistics* counts) {
  row_statistics_.resize(rows());
  const auto add = [&](RowStatistics& to) {
    (counts != nullptr ? to.counted : to.uncounted) += 1;
    if (counts == nullptr) return;
    for (std::size_t bit = 0; bit < player::kStatistics; ++bit) to.sum[bit] += (*counts)[bit];
  };
  add(all_statistics_);
  each_counting_row(item, [&](std::uint32_t r) { add(row_statistics_[r]); });
}

template <class Visit>
void ProfileSamples::each_counting_row(std::uint32_t item, Visit&& visit) const {
  each_row(item, visit);
  if (rest_row_ == kNone && pass_of_[item] != kNone) each_row(pass_of_[item], visit);
}

void ProfileSamples::take_counters(std::uint32_t item, std::span<const std::uint32_t> group,
                                   std::span<const double> values) {
  counter_sums_.resize((rows() + 1) * counters_, 0);
  counter_numbers_.resize((rows() + 1) * counters_, 0);
  row_counted_.resize(rows() + 1, 0);
  const bool is_first = (flags_[item] & kHasCounters) == 0;
  flags_[item] |= kHasCounters;
  const auto add = [&](std::size_t row) {
    row_counted_[row] += is_first ? 1 : 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (std::isnan(values[i])) continue;
      counter_sums_[row * counters_ + group[i]] += values[i];
      counter_numbers_[row * counters_ + group[i]] += 1;
    }
  };
  add(rows());
  each_counting_row(item, add);
}

RowCounters ProfileSamples::counters_of(std::size_t row, const Profile& out) const {
  RowCounters of;
  of.counted = row_counted_[row];
  of.uncounted = row_uncounted_[row];
  for (std::size_t c = 0; c < counters_; ++c) {
    const std::uint32_t number = counter_numbers_[row * counters_ + c];
    const double sum = counter_sums_[row * counters_ + c];
    of.values.push_back(number == 0 ? std::nan("") : out.counters[c].adds_up() ? sum : sum / number);
  }
  return of;
}

// Commands that have none are counted, too.
void ProfileSamples::finish_counters(Profile& out) {
  if (counters_ == 0) return;
  counter_sums_.resize((rows() + 1) * counters_, 0);
  counter_numbers_.resize((rows() + 1) * counters_, 0);
  row_counted_.resize(rows() + 1, 0);
  row_uncounted_.assign(rows() + 1, 0);
  for (std::uint32_t i = 0; i < flags_.size(); ++i) {
    if ((flags_[i] & (kIsPass | kHasCounters)) != 0) continue;
    row_uncounted_[rows()] += 1;
    each_counting_row(i, [&](std::uint32_t r) { row_uncounted_[r] += 1; });
  }
  out.all_counters = counters_of(rows(), out);
}

player::Spread ProfileSamples::spread(std::size_t row) const {
  std::vector<double> values;
  for (const std::vector<float>& iteration : values_) values.push_back(static_cast<double>(iteration[row]));
  return player::spread_of(std::move(values));
}

ProfileRow ProfileSamples::row(std::size_t r, double timer) const {
  ProfileRow made;
  const player::Spread times = spread(r);
  made.min = times.min;
  made.median = times.median;
  made.p95 = times.p95;
  made.items = timed_items_[r];
  made.below_timer = times.median < kFewTicks * timer * static_cast<double>(made.items);
  if (by_ == GroupBy::none) {
    made.item = item_of_row_[r];
    made.begin = begins_[r];
    return made;
  }
  made.group = by_ != GroupBy::pipeline || r == rest_row_ ? groups_[r].key : pipeline_key(work_, groups_[r].pipeline);
  made.item = groups_[r].first_item;
  return made;
}

void ProfileSamples::finish(double timer, std::size_t top, Profile& out) {
  out.timed = timed_;
  out.cost = costs_.empty() ? 0 : player::spread_of(costs_).median;
  for (std::uint32_t i = 0; i < flags_.size() && statistics_wanted_ && !out.lacks_statistics; ++i)
    if ((flags_[i] & (kIsDraw | kHasStatistics)) == kIsDraw) add_statistics(i, nullptr);
  out.all_statistics = all_statistics_;
  finish_counters(out);

  std::vector<float> medians(rows(), 0.0f);
  std::vector<std::uint32_t> order;
  double sum = 0;
  for (std::uint32_t r = 0; r < rows() && !values_.empty(); ++r) {
    if (timed_items_[r] == 0) continue;
    const double median = spread(r).median;
    if (r == rest_row_ && median == 0) continue;
    order.push_back(r);
    medians[r] = static_cast<float>(median);
    // The time of a render pass holds that of its draws: a draw is not added to the sum again.
    const bool is_part = by_ == GroupBy::none ? (flags_[item_of_row_[r]] & kHasCost) == 0 : groups_[r].parent != kNone;
    if (!is_part) sum += median;
  }
  out.row_count = order.size();
  const auto shown = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), shown, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return medians[a] != medians[b] ? medians[a] > medians[b] : a < b;
  });
  order.erase(shown, order.end());
  std::vector<std::uint32_t> place(by_ == GroupBy::none ? 0 : rows(), kNone);  // in out.rows
  for (const std::uint32_t r : order) {
    ProfileRow made = row(r, timer);
    made.share = sum > 0 ? made.median / sum : 0;
    if (!row_statistics_.empty()) {
      made.statistics = static_cast<std::uint32_t>(out.statistics.size());
      out.statistics.push_back(row_statistics_[r]);
    }
    if (counters_ != 0) {
      made.counters = static_cast<std::uint32_t>(out.row_counters.size());
      out.row_counters.push_back(counters_of(r, out));
    }
    if (by_ == GroupBy::none) {
      made.bytes = bytes_[made.item];
      made.bytes_unknown = (flags_[made.item] & kUnknownBytes) != 0;
    } else {
      place[r] = static_cast<std::uint32_t>(out.rows.size());
    }
    out.rows.push_back(std::move(made));
  }
  for (std::uint32_t i = 0; i < flags_.size() && by_ != GroupBy::none; ++i)
    each_row(i, [&](std::uint32_t r) {
      if (place[r] == kNone || r == rest_row_) return;  // what its passes touch is what their draws touch
      ProfileRow& group = out.rows[place[r]];
      if (__builtin_add_overflow(group.bytes, bytes_[i], &group.bytes)) group.bytes = UINT64_MAX;
      group.bytes_unknown = group.bytes_unknown || (flags_[i] & kUnknownBytes) != 0;
    });
}

}  // namespace rondo::analyzers
