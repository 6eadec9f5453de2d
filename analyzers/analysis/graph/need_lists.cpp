// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/need_lists.h"

#include <algorithm>
#include <unordered_set>

#include "format/check.h"

namespace rondo::graph {

// --- What is told ---

void NeedLists::item(std::uint32_t number, std::span<const ItemNeed> needs) {
  RONDO_CHECK(number == node_of_.size());
  Node made{number, needs_.size(), 0};
  // Needs are sorted by the item that is needed. One that is certain and possible is certain.
  for (const bool possible : {false, true}) {
    if (possible) made.possible = needs_.size();
    for (std::size_t i = 0, end = 0; i < needs.size(); i = end) {
      bool is_certain = false;
      for (end = i; end < needs.size() && needs[end].from == needs[i].from; ++end)
        is_certain = is_certain || !needs[end].possible;
      if (is_certain != possible) needs_.push_back(node_of(needs[i].from));
    }
  }
  node_of_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back(made);
}

void NeedLists::join(std::uint32_t join, std::span<const std::uint32_t> members) {
  RONDO_CHECK(is_join(join));
  const std::uint32_t number = join & ~kJoin;
  Node made{join, needs_.size(), 0};
  for (const std::uint32_t one : members) needs_.push_back(node_of(one));
  made.possible = needs_.size();
  if (node_of_join_.size() <= number) node_of_join_.resize(number + std::size_t{1}, kNone);
  node_of_join_[number] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(made);
}

std::span<const std::uint32_t> NeedLists::from(std::uint32_t node, bool with_possible) const {
  const Node& one = nodes_[node];
  const std::uint64_t all = node + 1 < nodes_.size() ? nodes_[node + 1].first : needs_.size();
  return std::span(needs_).subspan(one.first, (with_possible ? all : one.possible) - one.first);
}

// --- Longest paths ---

// By node: its path, with its own length in it. `before`: the node before it on that path.
std::vector<PathLength> NeedLists::find(const PathWanted& wanted, bool with_possible,
                                        std::vector<std::uint32_t>* before) const {
  RONDO_CHECK(wanted.lengths.size() == node_of_.size());
  std::vector<PathLength> found(nodes_.size());
  if (before != nullptr) before->assign(nodes_.size(), kNone);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    PathLength longest;
    for (const std::uint32_t other : from(node, with_possible)) {
      RONDO_CHECK(other < node);
      if (!(longest < found[other])) continue;
      longest = found[other];
      if (before != nullptr && longest.length != 0) (*before)[node] = other;
    }
    const std::uint32_t number = nodes_[node].number;
    if (!is_join(number)) {
      const std::uint32_t part = wanted.parts.empty() ? 0 : wanted.parts[number];
      longest = {part, longest.in(part) + wanted.lengths[number]};
    }
    found[node] = longest;
  }
  return found;
}

std::vector<std::uint64_t> NeedLists::ends(const PathWanted& wanted, bool with_possible) const {
  const std::vector<PathLength> found = find(wanted, with_possible, nullptr);
  std::vector<std::uint64_t> ends(node_of_.size());
  for (std::uint32_t item = 0; item < ends.size(); ++item) ends[item] = found[node_of_[item]].length;
  return ends;
}

std::vector<PathStep> NeedLists::longest(std::span<const std::uint64_t> lengths, bool with_possible) const {
  std::vector<std::uint32_t> before;
  const std::vector<PathLength> found = find({lengths, {}}, with_possible, &before);
  std::vector<PathStep> path;
  const auto last = std::max_element(found.begin(), found.end());
  if (last == found.end() || last->length == 0) return path;
  std::vector<std::uint32_t> through;
  // An item comes before the joins that have it, so the first one that is longest is an item.
  for (auto node = static_cast<std::uint32_t>(last - found.begin()); node != kNone; node = before[node]) {
    if (is_join(nodes_[node].number)) {
      path.back().through.push_back(nodes_[node].number);
      continue;
    }
    path.push_back({nodes_[node].number, {}});
  }
  for (PathStep& step : path) std::reverse(step.through.begin(), step.through.end());
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<bool> NeedLists::leads(std::uint32_t item, std::uint32_t earlier) const {
  const std::uint32_t wanted = node_of(earlier);
  std::vector<std::uint32_t> open{node_of(item)};
  std::unordered_set<std::uint32_t> seen;
  std::size_t looked = 0;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (node == wanted) return true;
    for (const std::uint32_t other : all(node)) {
      if (++looked > kMostLooked) return std::nullopt;
      // What is needed comes before.
      if (other >= wanted && seen.insert(other).second) open.push_back(other);
    }
  }
  return false;
}

}  // namespace rondo::graph
