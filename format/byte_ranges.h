// SPDX-License-Identifier: Apache-2.0
// Sets of bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace rondo {

// Half-open ranges that neither meet nor overlap.
class Ranges {
 public:
  using Map = std::map<std::uint64_t, std::uint64_t>;  // begins to ends
  const Map& all() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }

  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace_hint(at, begin, end);
  }
  // `visit(begin, end)` for each part of the range that is not in here.
  template <class Visit>
  void each_outside(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    for (; at != ranges_.end() && at->first < end && begin < end; ++at) {
      if (at->second <= begin) continue;
      if (begin < at->first) visit(begin, at->first);
      begin = at->second;
    }
    if (begin < end) visit(begin, end);
  }
  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second > begin) --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [from, to] = *at;
      at = ranges_.erase(at);
      if (from < begin) ranges_.emplace(from, begin);
      if (to > end) at = std::next(ranges_.emplace(end, to).first);
    }
  }
  bool meets(std::uint64_t begin, std::uint64_t end) const {
    const auto after = ranges_.lower_bound(end);  // the first that begins no sooner
    return begin < end && after != ranges_.begin() && std::prev(after)->second > begin;
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [begin, end] : ranges_) sum += end - begin;
    return sum;
  }

 private:
  Map ranges_;
};

}  // namespace rondo
