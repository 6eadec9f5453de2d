// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/has_paths.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "format/check.h"

namespace rondo::graph {

namespace {

constexpr std::uint32_t kOperation = std::uint32_t{1} << 31;  // a number is that of an operation, not of an item
constexpr std::size_t kMostKept = std::size_t{32} << 20;      // bytes, of the states that costs() keeps at once
constexpr std::size_t kMostTurns = 16;                        // of these: each takes two passes over all steps

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

// The greatest number that was given to a range which has a place: any order of ranges, then the places.
class RangeMaximum {
 public:
  explicit RangeMaximum(std::size_t size) : size_(size), all_(2 * size) {}
  void raise(std::size_t begin, std::size_t end, std::uint64_t value) {
    for (begin += size_, end += size_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 != 0) raise_one(begin++, value);
      if (end % 2 != 0) raise_one(--end, value);
    }
  }
  std::uint64_t at(std::size_t place) const {
    std::uint64_t found = 0;
    for (std::size_t i = place + size_; i != 0; i /= 2) found = std::max(found, all_[i]);
    return found;
  }

 private:
  void raise_one(std::size_t i, std::uint64_t value) { all_[i] = std::max(all_[i], value); }
  const std::size_t size_;
  std::vector<std::uint64_t> all_;
};

}  // namespace

HasPaths::HasPaths(HasSteps steps, std::uint32_t items) : steps_(std::move(steps)), items_(items) { merge_stages(); }

void HasPaths::merge_stages() {
  std::unordered_map<std::uint64_t, std::uint64_t> merged;
  std::vector<std::uint64_t> classes;
  for (const HasStep& step : steps_.steps) {
    if (step.stages == 0 || !merged.try_emplace(step.stages, 0).second) continue;
    std::uint64_t rest = step.stages;  // in no class yet
    for (std::size_t i = 0, all = classes.size(); i < all; ++i) {
      rest &= ~classes[i];
      const std::uint64_t inside = classes[i] & step.stages, outside = classes[i] & ~step.stages;
      if (inside == 0 || outside == 0) continue;
      classes[i] = inside;
      classes.push_back(outside);
    }
    if (rest != 0) classes.push_back(rest);
  }
  for (auto& [stages, into] : merged)
    for (std::size_t i = 0; i < classes.size(); ++i)
      if ((classes[i] & stages) != 0) into |= std::uint64_t{1} << i;
  for (HasStep& step : steps_.steps)
    if (step.stages != 0) step.stages = merged.at(step.stages);
  stages_ = static_cast<std::uint32_t>(classes.size());
}

// --- From the first step on: what comes before ---

struct HasPaths::Forward {
  Forward(const HasPaths& paths, const PathWanted& given)
      : of(paths),
        wanted(given),
        first(paths.steps_.lines * std::size_t{paths.stages_}),
        second(first.size()),
        starts(paths.items_),
        waits(paths.operations().size()) {
    RONDO_CHECK(wanted.lengths.size() == paths.items_ && paths.items_ < kOperation && waits.size() < kOperation);
  }

  void take(const HasStep& step) {
    const std::size_t slot = of.slot_of(step.other);
    switch (step.kind) {
      case HasStep::Kind::begin:
        return for_each_bit(step.stages, [&](std::size_t i) { begin(step.number, second[slot + i]); });
      case HasStep::Kind::transition:
        return begin(step.number, {waits[step.other].path, step.other | kOperation});
      case HasStep::Kind::end: {
        const Slot ended{{part(step.number), end_of(step.number)}, step.number};
        return for_each_bit(step.stages, [&](std::size_t i) { raise(first[slot + i], ended); });
      }
      case HasStep::Kind::gather:
        return for_each_bit(step.stages, [&](std::size_t i) {
          raise(waits[step.number], first[slot + i]);
          raise(waits[step.number], second[slot + i]);
        });
      case HasStep::Kind::take:
        return raise(waits[step.number], waits[step.other]);
      case HasStep::Kind::scope: {
        const Slot waited{waits[step.number].path, step.number | kOperation};
        return for_each_bit(step.stages, [&](std::size_t i) { raise(second[slot + i], waited); });
      }
      case HasStep::Kind::reset:
        std::fill_n(first.begin() + static_cast<std::ptrdiff_t>(slot), of.stages_, Slot{});
        std::fill_n(second.begin() + static_cast<std::ptrdiff_t>(slot), of.stages_, Slot{});
        return;
    }
  }
  std::uint64_t end_of(std::uint32_t item) const { return starts[item].path.length + wanted.lengths[item]; }

  const HasPaths& of;
  const PathWanted& wanted;
  std::vector<Slot> first, second;  // by line and class of stages: what came; and what comes next waits for
  std::vector<Slot> starts;         // by item, without its own length
  std::vector<Slot> waits;          // by operation

 private:
  static void raise(Slot& slot, const Slot& other) {
    if (slot.path < other.path) slot = other;
  }
  std::uint32_t part(std::uint32_t item) const { return wanted.parts.empty() ? 0 : wanted.parts[item]; }
  void begin(std::uint32_t item, const Slot& after) {
    const std::uint64_t length = after.path.in(part(item));
    if (length > starts[item].path.length) starts[item] = {{part(item), length}, after.by};
  }
};

std::vector<std::uint64_t> HasPaths::ends(const PathWanted& wanted) const {
  Forward all(*this, wanted);
  for (const HasStep& step : steps_.steps) all.take(step);
  std::vector<std::uint64_t> ends(items_);
  for (std::uint32_t item = 0; item < items_; ++item) ends[item] = all.end_of(item);
  return ends;
}

std::vector<PathStep> HasPaths::longest(std::span<const std::uint64_t> lengths) const {
  const PathWanted wanted{lengths, {}};
  Forward all(*this, wanted);
  for (const HasStep& step : steps_.steps) all.take(step);
  std::uint32_t last = kNoNumber;
  for (std::uint32_t item = 0; item < items_; ++item)
    if (all.end_of(item) > (last == kNoNumber ? 0 : all.end_of(last))) last = item;
  std::vector<PathStep> path;
  for (std::uint32_t at = last; at != kNoNumber;) {
    if ((at & kOperation) != 0) {
      path.back().through.push_back(at & ~kOperation);
      at = all.waits[at & ~kOperation].by;
    } else {
      path.push_back({at, {}});
      at = all.starts[at].by;
    }
  }
  for (PathStep& step : path) std::reverse(step.through.begin(), step.through.end());
  std::reverse(path.begin(), path.end());
  return path;
}

// --- From the last step on: what comes after ---

struct HasPaths::Backward {
  Backward(const HasPaths& paths, std::span<const std::uint64_t> given)
      : of(paths),
        lengths(given),
        first(paths.steps_.lines * std::size_t{paths.stages_}),
        second(first.size()),
        after_items(paths.items_),
        after_operations(paths.operations().size()) {}

  void take(const HasStep& step) {
    const std::size_t slot = of.slot_of(step.other);
    switch (step.kind) {
      case HasStep::Kind::end:
        return for_each_bit(step.stages, [&](std::size_t i) { raise(after_items[step.number], first[slot + i]); });
      case HasStep::Kind::begin:
        return for_each_bit(step.stages, [&](std::size_t i) { raise(second[slot + i], with(step.number)); });
      case HasStep::Kind::transition:
        return raise(after_operations[step.other], with(step.number));
      case HasStep::Kind::scope:
        return for_each_bit(step.stages,
                            [&](std::size_t i) { raise(after_operations[step.number], second[slot + i]); });
      case HasStep::Kind::gather:
        return for_each_bit(step.stages, [&](std::size_t i) {
          raise(first[slot + i], after_operations[step.number]);
          raise(second[slot + i], after_operations[step.number]);
        });
      case HasStep::Kind::take:
        return raise(after_operations[step.other], after_operations[step.number]);
      case HasStep::Kind::reset:
        std::fill_n(first.begin() + static_cast<std::ptrdiff_t>(slot), of.stages_, 0);
        std::fill_n(second.begin() + static_cast<std::ptrdiff_t>(slot), of.stages_, 0);
        return;
    }
  }
  // The longest path that begins with the item.
  std::uint64_t with(std::uint32_t item) const { return lengths[item] + after_items[item]; }

  const HasPaths& of;
  const std::span<const std::uint64_t> lengths;
  std::vector<std::uint64_t> first, second;  // by line and class of stages: the longest path from there on
  std::vector<std::uint64_t> after_items, after_operations;

 private:
  static void raise(std::uint64_t& length, std::uint64_t other) { length = std::max(length, other); }
};

// A command, cut out: where all its operations have gathered, and no second scope of them has begun. A path without the
// command passes that point on a line, in an item that is open there, or from a signal to what takes it.
struct HasPaths::Cut {
  std::uint32_t command = 0;
  std::size_t at = 0;        // the step of its first scope; the number of steps: it has none
  std::uint32_t place = 0;   // in what was asked for
  std::uint64_t length = 0;  // of the longest path without it
};

std::vector<std::uint64_t> HasPaths::costs(std::span<const std::uint64_t> lengths,
                                           std::span<const std::uint32_t> commands) const {
  const std::size_t bytes = (2 * std::size_t{steps_.lines} * stages_ + 1) * sizeof(std::uint64_t);
  const std::size_t at_once = std::max<std::size_t>(kMostKept / bytes, 1);
  const std::size_t count = std::min({commands.size(), kMostCosts, kMostTurns * at_once});
  std::vector<std::uint32_t> place(operations().size(), kNoNumber);
  for (std::uint32_t i = 0; i < count; ++i) place[commands[i]] = i;
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    const HasStep& step = steps_.steps[i];
    if (step.kind != HasStep::Kind::scope) continue;
    const std::uint32_t command = operations()[step.number].first;
    if (place[command] == kNoNumber || (!cuts.empty() && cuts.back().command == command)) continue;
    cuts.push_back({command, i, place[command], 0});
  }
  const std::vector<std::uint64_t> all = ends({lengths, {}});
  const std::uint64_t longest = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  std::vector<std::uint64_t> costs(count);
  for (std::size_t i = 0; i < cuts.size(); i += at_once) {
    const std::span<Cut> some = std::span(cuts).subspan(i, std::min(at_once, cuts.size() - i));
    costs_of(lengths, some);
    for (const Cut& one : some) costs[one.place] = longest - std::min(longest, one.length);
  }
  return costs;
}

void HasPaths::costs_of(std::span<const std::uint64_t> lengths, std::span<Cut> cuts) const {
  const PathWanted wanted{lengths, {}};
  Forward before(*this, wanted);
  const std::size_t slots = before.first.size();
  std::vector<std::uint64_t> kept;  // of each cut: both states of all slots
  kept.reserve(2 * slots * cuts.size());
  struct Open {
    std::uint32_t item = kNoNumber;
    std::uint64_t start = 0;
  };
  std::vector<Open> opens;  // of each cut
  std::vector<std::size_t> gathered(operations().size());
  std::uint32_t open = kNoNumber;
  std::size_t next = 0;
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    const HasStep& step = steps_.steps[i];
    if (next < cuts.size() && cuts[next].at == i) {
      ++next;
      for (const std::vector<Slot>* const all : {&before.first, &before.second})
        for (const Slot& one : *all) kept.push_back(one.path.length);
      opens.push_back({open, open != kNoNumber ? before.starts[open].path.length : 0});
    }
    if (step.kind == HasStep::Kind::begin) open = step.number;
    if (step.kind == HasStep::Kind::end) open = kNoNumber;
    if (step.kind == HasStep::Kind::gather) gathered[step.number] = i;
    before.take(step);
  }
  Backward after(*this, lengths);
  RangeMaximum passing(cuts.size());
  next = cuts.size();
  for (std::size_t i = steps_.steps.size(); i-- != 0;) {
    const HasStep& step = steps_.steps[i];
    after.take(step);
    if (step.kind == HasStep::Kind::take) {
      const auto place = [&](std::size_t at) {
        return static_cast<std::size_t>(
            std::partition_point(cuts.begin(), cuts.end(), [&](const Cut& one) { return one.at <= at; }) -
            cuts.begin());
      };
      passing.raise(place(gathered[step.other]), place(i),
                    before.waits[step.other].path.length + after.after_operations[step.number]);
    }
    if (next == 0 || cuts[next - 1].at != i) continue;
    Cut& cut = cuts[--next];
    const std::uint64_t* const state = kept.data() + 2 * slots * next;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      cut.length = std::max(cut.length, state[slot] + after.first[slot]);
      cut.length = std::max(cut.length, state[slots + slot] + after.second[slot]);
    }
    if (const Open& one = opens[next]; one.item != kNoNumber)
      cut.length = std::max(cut.length, one.start + after.with(one.item));
  }
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i].length = std::max(cuts[i].length, passing.at(i));
}

}  // namespace rondo::graph
