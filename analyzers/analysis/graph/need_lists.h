// SPDX-License-Identifier: Apache-2.0
// The relation NEEDS of a whole capture, and the longest paths through it: 4 bytes a need. Lengths are the caller's:
// nanoseconds, or 1 for each item. Everything is linear in the number of needs. No device. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzers/analysis/graph/work_graph.h"

namespace rondo::graph {

// A step of a longest path.
struct PathStep {
  std::uint32_t item = 0;
  // By what it comes after the item of the step before, in this order: joins of the relation NEEDS, or operations of
  // the relation HAS. Of the first step: empty.
  std::vector<std::uint32_t> through;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

// What a path is made of.
struct PathWanted {
  std::span<const std::uint64_t> lengths;  // by item; 0: it takes no time, but others come after it all the same
  // By item, the part of the capture that it is in: a path ends where its part ends. Empty: all are in one part.
  std::span<const std::uint32_t> parts;
};

// The length of a path in a part: of two, the one in the later part counts.
struct PathLength {
  std::uint32_t part = 0;
  std::uint64_t length = 0;
  friend auto operator<=>(const PathLength&, const PathLength&) = default;
  // As far as it is in that part.
  std::uint64_t in(std::uint32_t other) const { return part == other ? length : 0; }
};

class NeedLists {
 public:
  // As WorkGraph::Sink is told them.
  void item(std::uint32_t number, std::span<const ItemNeed> needs);
  void join(std::uint32_t join, std::span<const std::uint32_t> members);

  std::uint32_t items() const { return static_cast<std::uint32_t>(node_of_.size()); }

  // By item: the length of the longest path that ends with it, its own length in it. `with_possible`: possible needs
  // count, too.
  std::vector<std::uint64_t> ends(const PathWanted& wanted, bool with_possible) const;
  // One of the longest paths, from its first item on. Empty: no item has a length. No part is looked at.
  std::vector<PathStep> longest(std::span<const std::uint64_t> lengths, bool with_possible) const;

  // Whether an item needs an earlier one, through others or not; possible needs count. Nothing: the answer is not among
  // the first `kMostLooked` needs.
  std::optional<bool> leads(std::uint32_t item, std::uint32_t earlier) const;
  static constexpr std::size_t kMostLooked = 1024;

  // Visits what each item and each join needs of those before it, in the order in which they were told: `visit(one,
  // others)` with numbers of items and joins.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      others_.clear();
      for (const std::uint32_t other : all(node)) others_.push_back(nodes_[other].number);
      visit(nodes_[node].number, std::span<const std::uint32_t>(others_));
    }
  }

 private:
  // An item or a join. The list has them in the order in which the work graph told them.
  struct Node {
    std::uint32_t number = 0;
    std::uint64_t first = 0, possible = 0;  // where its certain and possible needs begin; these end where others begin
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::span<const std::uint32_t> all(std::uint32_t node) const { return from(node, true); }
  std::span<const std::uint32_t> from(std::uint32_t node, bool with_possible) const;
  std::uint32_t node_of(std::uint32_t number) const {
    return is_join(number) ? node_of_join_[number & ~kJoin] : node_of_[number];
  }
  std::vector<PathLength> find(const PathWanted& wanted, bool with_possible, std::vector<std::uint32_t>* before) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> needs_;  // nodes
  std::vector<std::uint32_t> node_of_, node_of_join_;
  mutable std::vector<std::uint32_t> others_;  // reused
};

}  // namespace rondo::graph
