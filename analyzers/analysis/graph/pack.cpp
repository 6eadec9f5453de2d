// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/pack.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "format/check.h"

namespace rondo::graph {

namespace {

std::uint64_t up_to(std::uint64_t bytes, std::uint64_t multiple) { return (bytes + multiple - 1) & ~(multiple - 1); }

// Ranges of bytes that are taken. Ranges that meet are one.
class TakenBytes {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    const auto first = std::lower_bound(all_.begin(), all_.end(), begin,
                                        [](const Range& one, std::uint64_t at) { return one.end < at; });
    auto last = first;
    for (; last != all_.end() && last->begin <= end; ++last) {
      begin = std::min(begin, last->begin);
      end = std::max(end, last->end);
    }
    if (first == last) {
      all_.insert(first, {begin, end});
    } else {
      *first = {begin, end};
      all_.erase(first + 1, last);
    }
  }
  bool empty() const { return all_.empty(); }
  std::uint64_t end() const { return all_.empty() ? 0 : all_.back().end; }
  // The end of the first range, from the range `at` on, that has bytes of [begin, end); 0: none has. `at` moves on.
  std::uint64_t blocked_until(std::size_t& at, std::uint64_t begin, std::uint64_t end) const {
    // Most often it is near.
    for (int near = 0; near < 4 && at < all_.size() && all_[at].end <= begin; ++near) ++at;
    if (at < all_.size() && all_[at].end <= begin)
      at = static_cast<std::size_t>(std::upper_bound(all_.begin() + static_cast<std::ptrdiff_t>(at), all_.end(), begin,
                                                     [](std::uint64_t to, const Range& one) { return to < one.end; }) -
                                    all_.begin());
    return at < all_.size() && all_[at].begin < end ? all_[at].end : 0;
  }

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  std::vector<Range> all_;  // sorted
};

// What is placed, by the time at which it is live: a binary tree over spans of time. An item is in the nodes that
// together have its live ranges exactly, at most two a level.
class PlacedItems {
 public:
  explicit PlacedItems(std::uint32_t times) : leaves_(std::bit_ceil(std::max(times, 1u))), nodes_(2 * leaves_) {}

  void clear() {
    for (Node& node : nodes_) node = {};
  }
  // Finds what may be in the way of the ranges, for the methods below. [from, to) of times.
  void look_at(std::span<const std::pair<std::uint32_t, std::uint32_t>> ranges) {
    own_.clear();
    above_.clear();
    for (const auto& [from, to] : ranges)
      for (std::uint32_t a = from + leaves_, b = to + leaves_; a < b; a /= 2, b /= 2) {
        if (a % 2 != 0) own_.push_back(a++);
        if (b % 2 != 0) own_.push_back(--b);
      }
    for (const std::uint32_t node : own_)
      for (std::uint32_t up = node / 2; up != 0; up /= 2) above_.push_back(up);
    for (auto* list : {&own_, &above_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    in_the_way_.clear();
    for (const std::uint32_t node : own_) add_in_the_way(nodes_[node].any);
    for (const std::uint32_t node : above_) add_in_the_way(nodes_[node].whole);
  }
  std::size_t width() const { return own_.size() + above_.size(); }
  // The lowest place that is free there. Nothing: more than `steps` would be needed, which are counted down.
  std::optional<std::uint64_t> lowest(std::uint64_t size, std::uint64_t alignment, std::uint64_t& steps) {
    std::uint64_t at = 0;
    // The search ends when the place `at` was free in all of them, without a move between.
    for (std::size_t i = 0, free = 0; free < in_the_way_.size(); i = i + 1 < in_the_way_.size() ? i + 1 : 0) {
      if (steps == 0) return std::nullopt;
      steps -= 1;
      auto& [taken, cursor] = in_the_way_[i];
      const std::uint64_t until = taken->blocked_until(cursor, at, at + size);
      free = until != 0 ? 0 : free + 1;
      if (until != 0) at = up_to(until, alignment);
    }
    return at;
  }
  // Above all that is in the way.
  std::uint64_t top() const {
    std::uint64_t end = 0;
    for (const auto& [taken, cursor] : in_the_way_) end = std::max(end, taken->end());
    return end;
  }
  void place(std::uint64_t begin, std::uint64_t end) {
    for (const std::uint32_t node : own_) {
      nodes_[node].any.add(begin, end);
      nodes_[node].whole.add(begin, end);
    }
    for (const std::uint32_t node : above_) nodes_[node].any.add(begin, end);
  }

 private:
  struct Node {
    TakenBytes any;    // by what is live at any time of its span
    TakenBytes whole;  // by what has this node
  };
  void add_in_the_way(const TakenBytes& taken) {
    if (!taken.empty()) in_the_way_.push_back({&taken, 0});
  }

  const std::uint32_t leaves_;
  std::vector<Node> nodes_;  // the children of i are 2 i and 2 i + 1
  // Of the ranges that are looked at: their nodes, and the nodes above these.
  std::vector<std::uint32_t> own_, above_;
  std::vector<std::pair<const TakenBytes*, std::size_t>> in_the_way_;
};

// The items as the search sees them.
class Packer {
 public:
  Packer(std::span<const PackItem> items, std::uint64_t granularity, const PackLimits& limits)
      : limits_(limits), steps_(limits.steps) {
    RONDO_CHECK(std::has_single_bit(granularity));
    std::uint64_t unit = std::uint64_t{1} << 62;
    bool linear = false, optimal = false;
    for (const PackItem& item : items) {
      RONDO_CHECK(std::has_single_bit(item.alignment));
      if (!is_placed(item)) continue;
      unit = std::min(unit, item.alignment);
      (item.is_optimal ? optimal : linear) = true;
    }
    std::uint64_t sum = 0;
    for (const PackItem& item : items) {
      Sized one{0, 0, item.alignment, item.alignment, {}};
      if (is_placed(item)) {
        one.bytes = up_to(item.size, unit);
        // Whole pages: then nothing else shares a page with it.
        const bool has_pages = linear && optimal && item.is_optimal;
        one.size = has_pages ? up_to(one.bytes, granularity) : one.bytes;
        if (has_pages) one.alignment = std::max(one.alignment, granularity);
        RONDO_CHECK(one.size < std::uint64_t{1} << 62 && sum < std::uint64_t{1} << 62);
        sum += one.size;
        for (const LiveRange& range : item.live) {
          RONDO_CHECK(range.from <= range.to && range.to < UINT32_MAX);
          one.live.push_back({range.from, range.to + 1});
          times_.push_back(range.from);
          times_.push_back(range.to + 1);
        }
        merge(one.live);
      }
      items_.push_back(std::move(one));
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    for (Sized& one : items_)
      for (auto& [from, to] : one.live) from = time_of(from), to = time_of(to);
  }

  Packing run() {
    Packing best;
    find_bound(best);
    best.offsets.assign(items_.size(), 0);
    best.bytes = UINT64_MAX;
    std::vector<std::uint32_t> by_size;
    for (std::uint32_t i = 0; i < items_.size(); ++i)
      if (!items_[i].live.empty()) by_size.push_back(i);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return items_[a].size > items_[b].size; });
    const std::uint64_t before = steps_;
    place_in_turn(by_size, best);
    if (best.is_rough) return best;
    // More are tried, where as many take no more than the limit.
    const std::uint64_t one = std::max<std::uint64_t>(before - steps_, 1);
    const auto tries = static_cast<unsigned>(std::min<std::uint64_t>(limits_.tries, limits_.steps / one / 2));
    std::vector<std::uint32_t> by_length = by_size, by_bytes_and_length = by_size;
    sort_by(by_length, [](const Sized& item) { return length_of(item); });
    sort_by(by_bytes_and_length, [](const Sized& item) { return length_of(item) * static_cast<double>(item.size); });
    for (const auto* order : {&by_size, &by_bytes_and_length, &by_length}) try_again(*order, best, tries / 3);
    return best;
  }

  // What is live at one time lies apart. Of the items whose offsets are multiples of a number at least, each one takes
  // a multiple of it in the block, but for what is after the end of the last one. This holds for each such number.
  void find_bound(Packing& out) const {
    std::vector<std::uint64_t> numbers;
    for (const Sized& one : items_)
      if (!one.live.empty()) numbers.push_back(one.told_alignment);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const std::uint64_t number : numbers) find_bound(number, out);
  }

 private:
  struct Sized {
    std::uint64_t bytes, size;                                  // size: with whole pages
    std::uint64_t told_alignment, alignment;                    // alignment: of pages, too
    std::vector<std::pair<std::uint32_t, std::uint32_t>> live;  // half-open, sorted, apart; indexes into times_
  };

  void find_bound(std::uint64_t number, Packing& out) const {
    std::vector<std::int64_t> change(times_.size());
    std::uint64_t after_end = 0;  // at most
    for (const Sized& one : items_) {
      if (one.live.empty() || one.told_alignment < number) continue;
      const std::uint64_t bytes = up_to(one.bytes, number);
      after_end = std::max(after_end, bytes - one.bytes);
      for (const auto& [from, to] : one.live) {
        change[from] += static_cast<std::int64_t>(bytes);
        change[to] -= static_cast<std::int64_t>(bytes);
      }
    }
    std::int64_t now = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      now += change[i];
      const auto bound = static_cast<std::uint64_t>(std::max<std::int64_t>(now, 0));
      if (bound <= out.lower_bound + after_end) continue;
      out.lower_bound = bound - after_end;
      out.fullest = times_[i];
    }
  }

  static bool is_placed(const PackItem& item) { return item.size != 0 && !item.live.empty(); }
  static void merge(std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::size_t kept = 0;
    for (std::size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first <= ranges[kept].second)
        ranges[kept].second = std::max(ranges[kept].second, ranges[i].second);
      else
        ranges[++kept] = ranges[i];
    ranges.resize(kept + 1);
  }
  std::uint32_t time_of(std::uint32_t time) const {
    return static_cast<std::uint32_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
  }

  void place_in_turn(const std::vector<std::uint32_t>& order, Packing& best) {
    if (!placed_) placed_.emplace(static_cast<std::uint32_t>(times_.size()));
    placed_->clear();
    offsets_.assign(items_.size(), 0);
    std::uint64_t bytes = 0;
    bool is_rough = false;
    for (const std::uint32_t number : order) {
      const Sized& one = items_[number];
      placed_->look_at(one.live);
      // Many ranges are many nodes, which are found and sorted.
      steps_ -= std::min<std::uint64_t>(steps_, 8 * placed_->width());
      const auto found = placed_->lowest(one.size, one.alignment, steps_);
      is_rough = is_rough || !found;
      const std::uint64_t at = found ? *found : up_to(placed_->top(), one.alignment);
      placed_->place(at, at + one.size);
      offsets_[number] = at;
      bytes = std::max(bytes, at + one.bytes);
    }
    if (bytes >= best.bytes) return;
    best.bytes = bytes;
    best.offsets = offsets_;
    best.is_rough = is_rough;
  }

  // The largest value first.
  template <class Value>
  void sort_by(std::vector<std::uint32_t>& order, const Value& value) const {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return value(items_[a]) > value(items_[b]); });
  }
  static double length_of(const Sized& item) {
    double sum = 0;
    for (const auto& [from, to] : item.live) sum += to - from;
    return sum;
  }

  // What sticks out over the lower bound is placed earlier the next time: each time halfway to the front.
  void try_again(std::vector<std::uint32_t> order, Packing& best, unsigned tries) {
    std::vector<double> turn(items_.size());
    for (std::size_t i = 0; i < order.size(); ++i) turn[order[i]] = static_cast<double>(i);
    for (; tries > 0 && best.bytes > best.lower_bound && steps_ != 0; --tries) {
      place_in_turn(order, best);
      for (const std::uint32_t one : order)
        if (offsets_[one] + items_[one].bytes > best.lower_bound) turn[one] /= 2;
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return turn[a] < turn[b]; });
    }
  }

  const PackLimits limits_;
  std::uint64_t steps_;  // that are left
  std::vector<Sized> items_;
  std::vector<std::uint32_t> times_;  // at which anything begins or has ended, ascending
  std::optional<PlacedItems> placed_;
  std::vector<std::uint64_t> offsets_;  // of the try that was made last
};

}  // namespace

Packing pack(std::span<const PackItem> items, std::uint64_t granularity, const PackLimits& limits) {
  Packing packing = Packer(items, granularity, limits).run();
  if (packing.bytes == UINT64_MAX) packing.bytes = 0;
  return packing;
}

std::uint64_t most_live_bytes(std::span<const PackItem> items) {
  Packing bound;
  Packer(items, 1, {}).find_bound(bound);
  return bound.lower_bound;
}

}  // namespace rondo::graph
