// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_timeline.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace rondo::analyzers {

namespace {

// The length of a union of ranges that come and go. Ranges are of the given numbers, ascending.
class CoveredLength {
 public:
  explicit CoveredLength(std::vector<std::uint64_t> numbers)
      : numbers_(std::move(numbers)),
        leaves_(std::bit_ceil(std::max<std::size_t>(numbers_.size(), 1))),
        counts_(2 * leaves_),
        lengths_(2 * leaves_) {}

  void change(std::uint64_t begin, std::uint64_t end, int by) {
    change(1, 0, leaves_, index_of_number(begin), index_of_number(end), by);
  }
  std::uint64_t length() const { return lengths_[1]; }

 private:
  std::size_t index_of_number(std::uint64_t number) const {
    return static_cast<std::size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
  }
  std::uint64_t number(std::size_t index) const { return numbers_[std::min(index, numbers_.size() - 1)]; }
  // The node has [from, to).
  void change(std::size_t node, std::size_t from, std::size_t to, std::size_t begin, std::size_t end, int by) {
    if (begin >= to || end <= from) return;
    if (begin <= from && to <= end) {
      counts_[node] += by;
    } else {
      change(2 * node, from, (from + to) / 2, begin, end, by);
      change(2 * node + 1, (from + to) / 2, to, begin, end, by);
    }
    if (counts_[node] > 0)
      lengths_[node] = number(to) - number(from);
    else
      lengths_[node] = node >= leaves_ ? 0 : lengths_[2 * node] + lengths_[2 * node + 1];
  }

  const std::vector<std::uint64_t> numbers_;
  const std::size_t leaves_;
  std::vector<int> counts_;
  std::vector<std::uint64_t> lengths_;
};

struct SeriesChange {
  std::uint64_t record = 0;
  std::uint32_t series = 0;
  bool is_bound = false;  // else allocated
  std::int64_t bytes = 0;
};

void raise_peak(MemoryPeak& peak, std::uint64_t bytes, std::uint64_t record) {
  if (bytes > peak.bytes) peak = {bytes, record};
}

// Halves the points: two neighbours become one, which has the larger of both values.
void thin_points(std::vector<MemoryTimelinePoint>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    MemoryTimelinePoint one = points[i];
    if (i + 1 < points.size()) {
      const MemoryBytes& other = points[i + 1].most;
      one.most = {std::max(one.most.allocated, other.allocated), std::max(one.most.bound, other.bound),
                  std::max(one.most.live, other.live)};
    }
    points[kept++] = one;
  }
  points.resize(kept);
}

// Bytes of one series while the records pass.
class Running {
 public:
  explicit Running(MemorySeries& out) : out_(out) {}
  void add(const SeriesChange& change) {
    (change.is_bound ? bound_ : allocated_) += change.bytes;
    is_changed_ = true;
  }
  void add_live(std::int64_t bytes, std::uint32_t item) {
    live_ += bytes;
    is_changed_ = is_changed_ || bytes != 0;
    if (live_ > most_live_) most_live_ = live_;
    if (static_cast<std::uint64_t>(live_) > out_.live.bytes) out_.live_item = item;
    raise_peak(out_.live, static_cast<std::uint64_t>(live_), 0);
  }
  void end_record(std::uint64_t record) {
    if (!std::exchange(is_changed_, false)) return;
    const MemoryBytes now{static_cast<std::uint64_t>(allocated_), static_cast<std::uint64_t>(bound_),
                          static_cast<std::uint64_t>(most_live_)};
    raise_peak(out_.allocated, now.allocated, record);
    raise_peak(out_.bound, now.bound, record);
    most_live_ = live_;
    out_.points.push_back({record, now});
    if (out_.points.size() >= 2 * MemorySeries::kMostPoints) thin_points(out_.points);
  }

 private:
  MemorySeries& out_;
  std::int64_t allocated_ = 0, bound_ = 0, live_ = 0;
  std::int64_t most_live_ = 0;  // in this record
  bool is_changed_ = false;
};

}  // namespace

std::vector<BoundChange> bound_changes(const MemoryFacts& facts,
                                       const std::function<bool(std::uint32_t resource)>& counts) {
  std::vector<BoundBytes> all;
  for (BoundBytes one : facts.bound()) {
    if (!counts(one.resource)) continue;
    one.until = std::min(one.until, facts.allocations()[one.allocation].freed);
    if (one.record < one.until && one.begin < one.end) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.allocation < b.allocation; });
  std::vector<BoundChange> out;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    const std::uint32_t allocation = all[first].allocation;
    std::vector<std::uint64_t> numbers;
    struct Event {
      std::uint64_t record;
      std::size_t range;
      int by;
    };
    std::vector<Event> events;
    for (last = first; last < all.size() && all[last].allocation == allocation; ++last) {
      numbers.insert(numbers.end(), {all[last].begin, all[last].end});
      events.push_back({all[last].record, last, 1});
      if (all[last].until != kNever) events.push_back({all[last].until, last, -1});
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.record < b.record; });
    CoveredLength covered(std::move(numbers));
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const BoundBytes& range = all[events[i].range];
      covered.change(range.begin, range.end, events[i].by);
      if (i + 1 < events.size() && events[i + 1].record == events[i].record) continue;
      const std::uint64_t now = covered.length();
      if (now != before)
        out.push_back(
            {events[i].record, allocation, static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before)});
      before = now;
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.record < b.record; });
  return out;
}

std::vector<MemorySeries> memory_timeline(const MemoryUses& uses) {
  const MemoryFacts& facts = uses.facts();
  std::vector<MemorySeries> all(1);
  all[0].is_all = true;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> series_of;  // by device and heap
  for (const Allocation& one : facts.allocations()) {
    const VkMemoryType* type = facts.type_of(one);
    series_of.try_emplace({one.device, type != nullptr ? type->heapIndex : kNoIndex}, 0);
  }
  for (auto& [key, number] : series_of) {
    number = static_cast<std::uint32_t>(all.size());
    all.emplace_back();
    all.back().device = key.first;
    all.back().heap = key.second;
  }
  std::vector<std::uint32_t> of;                                             // by allocation
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> of_type;  // by device and type
  std::vector<SeriesChange> changes;
  for (const Allocation& one : facts.allocations()) {
    const VkMemoryType* type = facts.type_of(one);
    of.push_back(series_of.at({one.device, type != nullptr ? type->heapIndex : kNoIndex}));
    of_type[{one.device, one.type}] = of.back();
    changes.push_back({one.record, of.back(), false, static_cast<std::int64_t>(one.bytes)});
    if (one.freed != kNever) changes.push_back({one.freed, of.back(), false, -static_cast<std::int64_t>(one.bytes)});
  }
  for (const BoundChange& one : bound_changes(facts, [](std::uint32_t) { return true; }))
    changes.push_back({one.record, of[one.allocation], true, one.bytes});
  std::stable_sort(changes.begin(), changes.end(),
                   [](const SeriesChange& a, const SeriesChange& b) { return a.record < b.record; });
  std::vector<std::pair<const std::vector<std::int64_t>*, std::uint32_t>> live;
  for (const auto& [key, series] : of_type)
    if (const auto* found = uses.live_changes(key.first, key.second)) live.emplace_back(found, series);

  std::vector<Running> running;
  running.reserve(all.size());
  for (MemorySeries& one : all) running.emplace_back(one);
  std::uint32_t item = 0;
  for (std::size_t at = 0; at < changes.size() || item < uses.items();) {
    const std::uint64_t record = std::min(at < changes.size() ? changes[at].record : kNever,
                                          item < uses.items() ? uses.records()[item] : kNever);
    for (; at < changes.size() && changes[at].record <= record; ++at)
      for (const std::uint32_t series : {0u, changes[at].series}) running[series].add(changes[at]);
    for (; item < uses.items() && uses.records()[item] <= record; ++item) {
      std::int64_t sum = 0;
      for (const auto& [change, series] : live) {
        const std::int64_t bytes = item < change->size() ? (*change)[item] : 0;
        if (bytes != 0) running[series].add_live(bytes, item);
        sum += bytes;
      }
      if (sum != 0) running[0].add_live(sum, item);
    }
    for (Running& one : running) one.end_record(record);
  }
  for (MemorySeries& one : all) {
    if (one.points.size() > MemorySeries::kMostPoints) thin_points(one.points);
    if (one.live.bytes != 0) one.live.record = uses.records()[one.live_item];
  }
  return all;
}

}  // namespace rondo::analyzers
