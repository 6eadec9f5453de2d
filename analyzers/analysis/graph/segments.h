// SPDX-License-Identifier: Apache-2.0
// A state for each range of a line of numbers: of the bytes of a memory, or of the parts of an image. Neighbours with
// equal states are one segment. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "format/check.h"

namespace rondo::graph {

// State is made by State{}, copied and compared. Where nothing was set there is no segment.
template <class State>
class Segments {
 public:
  struct Segment {
    std::uint64_t end = 0;
    State state{};
  };
  using Map = std::map<std::uint64_t, Segment>;  // by their begin
  std::size_t size() const { return map_.size(); }

  // `visit(begin, end, state)` for each segment in [begin, end), cut to it, in order. Nothing changes.
  template <class Visit>
  void each(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    if (begin >= end) return;
    auto at = map_.upper_bound(begin);
    if (at != map_.begin() && std::prev(at)->second.end > begin) --at;
    for (; at != map_.end() && at->first < end; ++at)
      visit(at->first > begin ? at->first : begin, at->second.end < end ? at->second.end : end, at->second.state);
  }

  // `change(state)` for all of [begin, end), in order, also where nothing was: there State{} is changed. `copy(state)`
  // is told of each segment that is two from now on, and `drop(state)` of one of two that become one.
  template <class Change, class Drop, class Copy>
  void change(std::uint64_t begin, std::uint64_t end, const Change& change, const Drop& drop, const Copy& copy) {
    if (begin >= end) return;
    cut_at(begin, copy);
    cut_at(end, copy);
    auto at = map_.lower_bound(begin);
    for (std::uint64_t from = begin; from < end;) {
      if (at == map_.end() || at->first > from) {
        const std::uint64_t to = at == map_.end() || at->first > end ? end : at->first;
        at = map_.emplace_hint(at, from, Segment{to, State{}});
      }
      RONDO_CHECK(at->first == from && at->second.end > from && at->second.end <= end);
      change(at->second.state);
      from = at->second.end;
      at = std::next(join_before(at, drop));
    }
    if (at != map_.end()) join_before(at, drop);
  }

  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& [begin, segment] : map_) visit(begin, segment.end, segment.state);
  }

 private:
  template <class Copy>
  void cut_at(std::uint64_t where, const Copy& copy) {
    auto at = map_.upper_bound(where);
    if (at == map_.begin()) return;
    --at;
    if (at->first == where || at->second.end <= where) return;
    copy(at->second.state);
    map_.emplace_hint(std::next(at), where, Segment{at->second.end, at->second.state});
    at->second.end = where;
  }
  // Makes one of the segment and the one before it, where they meet and are equal.
  template <class Drop>
  typename Map::iterator join_before(typename Map::iterator at, const Drop& drop) {
    if (at == map_.begin()) return at;
    const auto before = std::prev(at);
    if (before->second.end != at->first || !(before->second.state == at->second.state)) return at;
    drop(at->second.state);
    before->second.end = at->second.end;
    map_.erase(at);
    return before;
  }
  Map map_;
};

}  // namespace rondo::graph
