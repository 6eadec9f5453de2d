// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/time_points.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace rondo::analyzers {

using player::kNone;
using player::Measured;

std::uint32_t TimePoints::point(std::uint64_t record, bool after, bool barrier, std::uint32_t queries) {
  const auto [found, fresh] =
      point_at_.try_emplace(record * 2 + (after ? 1 : 0), static_cast<std::uint32_t>(wanted_.points.size()));
  if (fresh) {
    // Where groups are timed, one begins when all work before it has ended.
    wanted_.points.push_back({record, after, barrier, barrier && !after, mode_ == ProfileMode::waves, queries});
    is_repeated_.push_back(false);
    is_wanted_.push_back(false);
  }
  return found->second;
}

bool TimePoints::is_chosen(const WorkItem& item) const {
  if (wanted_.what == Measured::statistics) return item.draw != access::Executed::kNoDraw;
  if (wanted_.what == Measured::counters) return !item.is_pass;
  const bool is_inside = !item.is_pass && item.pass != WorkItem::kNoPass;
  return draws_ || !is_inside;
}

void TimePoints::add(const WorkItem& item, std::uint32_t index, bool is_end) {
  // Between the begin and the end of a pass a timestamp takes a query for each view, and there is no full barrier.
  const bool is_inside = !item.is_pass && item.pass != WorkItem::kNoPass;
  const std::uint32_t queries = is_inside ? std::max(item.views, 1u) : 1;
  const bool barrier = mode_ == ProfileMode::isolated && !is_inside;
  Write write;
  write.item = index;
  write.batch = item.batch;
  write.primary = is_end ? item.end_primary : item.primary;
  write.point = point(is_end ? item.end : item.record, is_end, barrier, queries);
  write.is_end = is_end;
  writes_.push_back(write);
}

// Each item has both points, for command buffers are executed where their items are in other groups, too. finish()
// leaves out the points that no group uses.
void TimePoints::add_to_group(const WorkItem& item, std::uint32_t index) {
  const std::optional<std::uint32_t> group = index != kNone ? groups_->of(item) : std::nullopt;
  const bool goes_on = group && group == group_;
  if (index != kNone && !goes_on) {
    found_groups_.push_back({index, index, 0});
    chosen_ += 1;
  }
  group_ = group;
  if (index == kNone) {
    add(item, kNone, false);
    add(item, kNone, true);
    return;
  }
  ItemGroup& now = found_groups_.back();
  now.last = index;
  now.items += 1;
  if (goes_on) writes_[group_end_].item = kNone;
  add(item, goes_on ? kNone : index, false);
  group_end_ = writes_.size();
  add(item, now.first, true);
}

void TimePoints::take(std::span<const WorkItem> items) {
  writes_.clear();
  group_.reset();
  for (const WorkItem& item : items) {
    const auto index = item.wanted ? static_cast<std::uint32_t>(items_.size()) : kNone;
    if (item.wanted) items_.emplace_back();
    if (!is_chosen(item)) continue;
    if (mode_ == ProfileMode::waves) {
      if (item.end != 0) add_to_group(item, index);
      continue;
    }
    chosen_ += item.wanted ? 1 : 0;
    if (item.end == 0) continue;  // a pass without an end
    add(item, index, false);
    if (wanted_.what == Measured::times) add(item, index, true);
  }
  const auto leaves_pass_open = [&](std::uint32_t batch, std::uint32_t primary) {
    return std::any_of(items.begin(), items.end(), [&](const WorkItem& item) {
      return item.is_pass && item.batch == batch && item.primary <= primary && primary < item.end_primary;
    });
  };
  const bool any_suspended = std::any_of(items.begin(), items.end(), [](const WorkItem& item) {
    return item.is_pass && item.primary != item.end_primary;
  });
  // Of each command buffer together. What is written first in it need not be known.
  std::stable_sort(writes_.begin(), writes_.end(), [](const Write& a, const Write& b) {
    return std::tie(a.batch, a.primary) < std::tie(b.batch, b.primary);
  });
  std::unordered_set<std::uint32_t> seen;  // points of one command buffer
  for (std::size_t first = 0; first < writes_.size();) {
    player::TimedCommands commands;
    commands.at = items[0].at;
    commands.batch = writes_[first].batch;
    commands.primary = writes_[first].primary;
    commands.first = static_cast<std::uint32_t>(wanted_.order.size());
    commands.leaves_pass_open = any_suspended && leaves_pass_open(commands.batch, commands.primary);
    seen.clear();
    for (;
         first < writes_.size() && writes_[first].batch == commands.batch && writes_[first].primary == commands.primary;
         ++first) {
      const Write& write = writes_[first];
      if (!seen.insert(write.point).second) is_repeated_[write.point] = true;
      if (write.item != kNone) {
        const auto at = static_cast<std::uint32_t>(wanted_.order.size());
        if (write.is_end || wanted_.what != Measured::times) items_[write.item].end = at;
        if (!write.is_end) items_[write.item].begin = at;
        is_wanted_[write.point] = true;
      }
      wanted_.order.push_back(write.point);
      commands.count += 1;
    }
    wanted_.commands.push_back(commands);
  }
}

// Leaves out the points that one command buffer would write more than once, and those that no item uses.
void TimePoints::finish() {
  if (std::find(is_repeated_.begin(), is_repeated_.end(), true) == is_repeated_.end() &&
      std::find(is_wanted_.begin(), is_wanted_.end(), false) == is_wanted_.end())
    return;
  std::vector<std::uint32_t> order, moved(wanted_.order.size(), kNone);
  for (player::TimedCommands& commands : wanted_.commands) {
    const auto first = static_cast<std::uint32_t>(order.size());
    for (std::uint32_t i = commands.first; i < commands.first + commands.count; ++i) {
      if (is_repeated_[wanted_.order[i]] || !is_wanted_[wanted_.order[i]]) continue;
      moved[i] = static_cast<std::uint32_t>(order.size());
      order.push_back(wanted_.order[i]);
    }
    commands.first = first;
    commands.count = static_cast<std::uint32_t>(order.size()) - first;
  }
  wanted_.order = std::move(order);
  std::erase_if(wanted_.commands, [](const player::TimedCommands& commands) { return commands.count == 0; });
  for (ItemTimes& item : items_) {
    const bool had = item.begin != kNone && item.end != kNone;
    for (std::uint32_t* at : {&item.begin, &item.end})
      if (*at != kNone) *at = moved[*at];
    if (had && (item.begin == kNone || item.end == kNone)) repeated_ += 1;
  }
}

}  // namespace rondo::analyzers
