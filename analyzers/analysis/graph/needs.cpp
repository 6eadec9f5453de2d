// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/needs.h"

#include <algorithm>
#include <tuple>

namespace rondo::graph {

namespace {

// Longer lists of what a node needs are joined: then nodes that need the same do not name all of it again.
constexpr std::size_t kMostApart = 64;

auto order_of(const Need& need) {
  return std::tuple(need.from.node, need.from.way, need.to.way, need.hazard, need.possible, need.mark, need.space,
                    need.begin);
}

}  // namespace

std::uint32_t Needs::number_of(const Way& way) {
  const auto [found, fresh] = way_at_.try_emplace(way, static_cast<std::uint32_t>(ways_.size()));
  if (fresh) ways_.push_back(way);
  return found->second;
}

std::uint32_t Needs::begin() {
  RONDO_CHECK(!is_open_);
  is_open_ = true;
  too_many_ = too_many_ || nodes_ >= limits_.nodes;
  return nodes_;
}

void Needs::touch(std::uint32_t space, std::uint64_t begin, std::uint64_t end, std::uint32_t way, bool reads,
                  bool writes, bool possible) {
  RONDO_CHECK(is_open_ && way < ways_.size() && begin <= end);
  if (begin < end && !too_many_) touches_.push_back({space, way, begin, end, reads, writes, possible});
}

void Needs::meet(std::uint32_t cell, Side side, std::uint32_t space, std::uint32_t way, bool reads, bool writes,
                 bool ordered) {
  RONDO_CHECK(is_open_ && way < ways_.size());
  if (!too_many_) meetings_.push_back({cell, space, way, side, reads, writes, ordered});
}

void Needs::end() {
  RONDO_CHECK(is_open_);
  for (const Touch& touch : touches_) find_needs(touch);
  for (const Meeting& meeting : meetings_) find_needs(meeting);
  // Reads are kept before writes, because a write removes the earlier readers of its bytes.
  for (const Touch& touch : touches_)
    if (touch.reads && !touch.writes) keep(touch);
  for (const Touch& touch : touches_)
    if (touch.writes) keep(touch);
  for (const Meeting& meeting : meetings_) keep(meeting);
  settle(needs_);
  too_many_ = too_many_ || segments_ > limits_.segments;
  if (!too_many_ || !needs_.empty()) sink_.needs(nodes_, needs_);
  touches_.clear();
  meetings_.clear();
  needs_.clear();
  nodes_ += 1;
  is_open_ = false;
}

Needs::Space& Needs::space(std::uint32_t number) {
  if (number >= spaces_.size()) spaces_.resize(number + 1);
  return spaces_[number];
}

// All that `list` has, and that the node needs.
void Needs::need(AccessLists::List list, const Need& like) {
  lists_.each(
      list, kMostApart,
      [&](Ref from) {
        RONDO_CHECK(from.node != nodes_);  // nothing of the node is kept yet
        if (needs_.size() >= limits_.needs) {
          too_many_ = true;
          return;
        }
        Need one = like;
        one.from = from;
        needs_.push_back(one);
      },
      [&](AccessLists::List rest) { return join(rest); });
}

// What follows from a touch of what is in this state.
void Needs::need(const State& state, bool reads, bool writes, Need like) {
  like.hazard = Hazard::raw;
  like.mark = state.mark;
  if (reads) need(state.writers, like);
  if (!writes) return;
  like.hazard = Hazard::waw;
  like.was_read = state.readers != AccessLists::kEmpty;
  need(state.writers, like);
  like.was_read = false;
  like.hazard = Hazard::war;
  like.mark = 0;
  need(state.readers, like);
}

// The needs of a join have no range: it is that of what needs the join.
Ref Needs::join(AccessLists::List list) {
  RONDO_CHECK(joins_ < kJoin - 1);
  const Ref made{kJoin | joins_++, 0};
  joined_.clear();
  lists_.each(
      list, SIZE_MAX,
      [&](Ref from) {
        joined_.push_back({from, made, 0, 0, 0, Hazard::war, false, 0});
      },
      [&](AccessLists::List) { return Ref{}; });
  settle(joined_);
  sink_.needs(made.node, joined_);
  return made;
}

void Needs::find_needs(const Touch& touch) {
  space(touch.space).each(touch.begin, touch.end, [&](std::uint64_t begin, std::uint64_t end, const State& state) {
    const Need one{{}, ref(touch.way), touch.space, begin, end, Hazard::raw, touch.possible, 0};
    need(state, touch.reads, touch.writes, one);
  });
}

void Needs::find_needs(const Meeting& meeting) {
  const auto found = cells_.find(meeting.cell);
  if (found == cells_.end()) return;
  const State& met = found->second.sides[meeting.side == Side::one ? 1 : 0];
  const Need one{{}, ref(meeting.way), meeting.space, 0, 0, Hazard::raw, true, 0};
  need(met, meeting.reads, meeting.writes, one);
}

void Needs::keep(const Touch& touch) {
  Space& into = space(touch.space);
  const std::size_t before = into.size();
  const Ref self = ref(touch.way);
  // Neighbours that had the same list have the same one afterwards, so that they can be one segment.
  AccessLists::List last_from = AccessLists::kEmpty, last_to = AccessLists::kEmpty;
  const auto push = [&](AccessLists::List& list) {
    if (last_to != AccessLists::kEmpty && list == last_from) {
      lists_.hold(last_to);
      lists_.release(list);
      list = last_to;
      return;
    }
    const AccessLists::List from = list;
    list = lists_.push(list, self);
    // While `list` is held, so is `from`: its number stays its own.
    last_from = from;
    last_to = list;
  };
  into.change(
      touch.begin, touch.end,
      [&](State& state) {
        if (!touch.writes) {
          if (lists_.front(state.readers) != self) push(state.readers);
          return;
        }
        // Ways of one node are kept together; what another one wrote is gone.
        if (lists_.front(state.writers).node != nodes_) {
          lists_.release(state.writers);
          state.writers = AccessLists::kEmpty;
          lists_.release(state.readers);
          state.readers = AccessLists::kEmpty;
          state.mark = 0;
        }
        if (lists_.front(state.writers) != self) push(state.writers);
      },
      [&](const State& state) { release(state); },
      [&](const State& state) {
        lists_.hold(state.writers);
        lists_.hold(state.readers);
      });
  segments_ += into.size() - before;
}

void Needs::keep(const Meeting& meeting) {
  Cell& cell = cells_[meeting.cell];
  if (meeting.ordered && meeting.writes)
    for (State& side : cell.sides) {
      release(side);
      side = {};
    }
  State& mine = cell.sides[meeting.side == Side::one ? 0 : 1];
  AccessLists::List& list = meeting.writes ? mine.writers : mine.readers;
  if (lists_.front(list) != ref(meeting.way)) list = lists_.push(list, ref(meeting.way));
}

void Needs::forget(std::uint32_t number) {
  RONDO_CHECK(!is_open_);
  if (number >= spaces_.size()) return;
  Space& gone = spaces_[number];
  gone.each([&](std::uint64_t, std::uint64_t, const State& state) { release(state); });
  segments_ -= gone.size();
  gone = {};
}

void Needs::forget_cell(std::uint32_t number) {
  const auto found = cells_.find(number);
  if (found == cells_.end()) return;
  for (const State& side : found->second.sides) release(side);
  cells_.erase(found);
}

void Needs::mark(std::uint32_t number, std::uint64_t begin, std::uint64_t end,
                 const std::function<std::uint32_t(std::uint32_t)>& next) {
  RONDO_CHECK(!is_open_);
  Space& into = space(number);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
  into.each(begin, end, [&](std::uint64_t from, std::uint64_t to, const State& state) {
    if (state.writers == AccessLists::kEmpty) return;
    if (!written.empty() && written.back().second == from)
      written.back().second = to;
    else
      written.emplace_back(from, to);
  });
  const std::size_t before = into.size();
  for (const auto& [from, to] : written)
    into.change(
        from, to, [&](State& state) { state.mark = next(state.mark); }, [&](const State& state) { release(state); },
        [&](const State& state) {
          lists_.hold(state.writers);
          lists_.hold(state.readers);
        });
  segments_ += into.size() - before;
}

void Needs::release(const State& state) {
  lists_.release(state.writers);
  lists_.release(state.readers);
}

void Needs::seed(std::uint32_t cell, Side side, std::uint32_t from, std::uint64_t begin, std::uint64_t end) {
  State& into = cells_[cell].sides[side == Side::one ? 0 : 1];
  const auto push = [&](AccessLists::List& list, Ref one) {
    if (lists_.front(list) != one) list = lists_.push(list, one);
  };
  std::vector<Ref> writers, readers;
  space(from).each(begin, end, [&](std::uint64_t, std::uint64_t, const State& state) {
    lists_.each(state.writers, [&](Ref one) { writers.push_back(one); });
    lists_.each(state.readers, [&](Ref one) { readers.push_back(one); });
  });
  for (Ref one : writers) push(into.writers, one);
  for (Ref one : readers) push(into.readers, one);
}

// Sorts them, and makes one of those that say the same of neighbours.
void Needs::settle(std::vector<Need>& needs) {
  std::sort(needs.begin(), needs.end(), [](const Need& a, const Need& b) { return order_of(a) < order_of(b); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < needs.size(); ++i) {
    Need& into = needs[last];
    const Need& next = needs[i];
    Need widened = next;
    widened.begin = into.begin;
    widened.end = into.end;
    if (widened == into && next.begin <= into.end)
      into.end = std::max(into.end, next.end);
    else
      needs[++last] = next;
  }
  if (!needs.empty()) needs.resize(last + 1);
}

}  // namespace rondo::graph
