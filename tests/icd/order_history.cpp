// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_history.h"

#include <algorithm>
#include <cstring>

namespace fake::order {

std::uint64_t Chance::below(std::uint64_t count) {
  // splitmix64.
  std::uint64_t word = state_ += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return (word ^ (word >> 31)) % count;
}

std::vector<std::byte> copy_of(const Ranges& ranges) {
  std::vector<std::byte> copy;
  for (const Bytes& b : ranges) copy.insert(copy.end(), b.begin, b.end);
  return copy;
}

Ranges WriteHistory::select(const Ranges& ranges, const Test& test) const {
  Ranges selected;
  if (ranges.empty()) return selected;
  // All bytes of a stretch are covered by the same memory dependencies.
  const auto& cuts = graph_.cuts();
  auto cut = cuts.upper_bound(ranges.front().begin);
  const auto end_of_stretch = [&] {
    return cut == cuts.end() ? ranges.back().end : std::min(cut->first, ranges.back().end);
  };
  bool known = false, chosen = false;
  for (Bytes rest : ranges) {
    while (rest.begin < rest.end) {
      while (cut != cuts.end() && cut->first <= rest.begin) ++cut, known = false;
      const Bytes part{rest.begin, std::min(rest.end, end_of_stretch())};
      if (!known) chosen = test(part);
      known = true;
      if (chosen) selected.push_back(part);
      rest.begin = part.end;
    }
  }
  return normalized(std::move(selected));
}

// The bytes that were there before the write.
void WriteHistory::put_back(const Write& write, const Bytes& bytes) {
  std::size_t offset = 0;
  for (const Bytes& b : write.touch.bytes) {
    const Bytes both{std::max(b.begin, bytes.begin), std::min(b.end, bytes.end)};
    if (both.begin < both.end)
      std::memcpy(both.begin, write.before.data() + offset + (both.begin - b.begin), both.size());
    offset += b.size();
  }
}

void WriteHistory::make_stale(const Node& node, const Touch& touch) {
  Ranges open = touch.bytes;
  for (std::size_t i = writes_.size(); i-- > 0 && !open.empty();) {
    const Write& write = writes_[i];
    if (lie_apart(open, write.touch.bytes)) continue;
    const Ranges common = intersection(open, write.touch.bytes);
    if (common.empty()) continue;
    const Ranges hidden = select(
        common, [&](const Bytes& bytes) { return !graph_.is_visible(*write.node, write.touch, node, touch, bytes); });
    open = difference(open, common);
    if (hidden.empty()) continue;
    if (!chance_.is_reverse() && chance_.one_in(2)) continue;  // it happens to be seen
    for (const Bytes& bytes : hidden) {
      patches_.push_back({bytes, copy_of({bytes})});
      put_back(write, bytes);
    }
    // The write before may not be visible either.
    Ranges all = open;
    all.insert(all.end(), hidden.begin(), hidden.end());
    open = normalized(std::move(all));
  }
}

void WriteHistory::before(const Node& node, std::vector<Touch> touches) {
  patches_.clear();
  made_.clear();
  for (Touch& touch : touches) touch.bytes = normalized(std::move(touch.bytes));
  for (const Touch& touch : touches)
    if (touch.writes && !touch.bytes.empty()) made_.push_back({&node, touch, copy_of(touch.bytes)});
  for (const Touch& touch : touches)
    if (!touch.writes && !touch.bytes.empty()) make_stale(node, touch);
}

// Of two writes without an availability operation between them, the first may come last to memory.
void WriteHistory::lose_writes(const Node& node, const Write& made) {
  if (chance_.is_reverse()) return;
  Ranges open = made.touch.bytes;  // only the last write before is there to come last
  for (std::size_t i = writes_.size(); i-- > 0 && !open.empty();) {
    const Write& write = writes_[i];
    if (lie_apart(open, write.touch.bytes)) continue;
    const Ranges common = intersection(open, write.touch.bytes);
    if (common.empty()) continue;
    open = difference(open, common);
    const Ranges unordered = select(common, [&](const Bytes& bytes) {
      return !graph_.is_available(*write.node, write.touch, node, made.touch, bytes);
    });
    if (unordered.empty() || !chance_.one_in(4)) continue;
    for (const Bytes& bytes : unordered) put_back(made, bytes);
  }
}

void WriteHistory::after(const Node& node) {
  Ranges written;
  for (const Write& made : made_) written.insert(written.end(), made.touch.bytes.begin(), made.touch.bytes.end());
  written = normalized(std::move(written));
  // The last one first: several may lie above one another.
  for (auto patch = patches_.rbegin(); patch != patches_.rend(); ++patch)
    for (const Bytes& b : difference({patch->bytes}, written))
      std::memcpy(b.begin, patch->kept.data() + (b.begin - patch->bytes.begin), b.size());
  for (const Write& made : made_) lose_writes(node, made);
  for (Write& made : made_) writes_.push_back(std::move(made));
  patches_.clear();
  made_.clear();
}

void WriteHistory::forget(const Node& node) {
  std::erase_if(writes_, [&](const Write& write) { return write.node == &node; });
}

void WriteHistory::forget(std::byte* begin, std::size_t size) {
  const Ranges freed{{begin, begin + size}};
  std::erase_if(writes_, [&](const Write& write) { return !intersection(write.touch.bytes, freed).empty(); });
}

}  // namespace fake::order
