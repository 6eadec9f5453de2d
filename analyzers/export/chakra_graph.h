// SPDX-License-Identifier: Apache-2.0
// The dependencies of the nodes of a Chakra trace: those that follow from others are left out. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::analyzers {

// Nodes are numbered from 0 in the order of add(), and depend on earlier nodes only.
class ReducedDependencies {
 public:
  // Adds a node that depends on `data` and on `control`, in any order, some perhaps several times. Afterwards both are
  // sorted and have each node once; no node is in both. A data dependency is left out where other data dependencies
  // lead to the same node (one reader of Chakra follows these alone). A control dependency is left out where
  // dependencies of either kind do.
  //
  // The ways are looked for backwards from the node, and no further than to the earliest node that it depends on. In
  // all, that takes at most kStepsANode steps a node, and kFreeSteps: past that, dependencies are kept that may follow
  // from others.
  std::uint32_t add(std::vector<std::uint32_t>& data, std::vector<std::uint32_t>& control);

  // Sorts nodes, and leaves out those to which dependencies of the others lead. Each stays once. Steps as of add().
  void reduce(std::vector<std::uint32_t>& nodes);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint64_t kept() const { return targets_.size(); }
  std::uint64_t left_out() const { return left_out_; }

  static constexpr std::uint64_t kStepsANode = 64, kFreeSteps = std::uint64_t{1} << 20;

 private:
  struct Node {
    std::uint64_t first = 0;        // index into targets_: its data dependencies, then its control dependencies, …
    std::uint32_t data = 0;         // … so many, …
    std::uint32_t all = 0;          // … so many of both
    std::uint32_t seen_by = kNone;  // the last search that came to the node
  };
  std::span<const std::uint32_t> targets(const Node& node, bool data_only) const {
    return {targets_.data() + node.first, data_only ? node.data : node.all};
  }
  // Marks the nodes that are reached from `from` by one dependency or more, and are not before `least`.
  void search(std::span<const std::uint32_t> from, std::uint32_t least, bool data_only);
  bool is_reached(std::uint32_t node) const { return nodes_[node].seen_by == search_; }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> targets_;
  std::uint32_t search_ = 0;
  std::uint64_t steps_ = kFreeSteps;
  std::uint64_t left_out_ = 0;
  std::vector<std::uint32_t> open_, from_;  // only kept so that their storage is used again
};

}  // namespace rondo::analyzers
