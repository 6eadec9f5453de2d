// SPDX-License-Identifier: Apache-2.0
// The longest paths through the relation HAS: of items that the program's synchronization puts one after the other. An
// item is taken as a whole: it begins when all that it waits for has ended, in any stage, and whoever waits for one of
// its stages waits for all of it. So where stages of two items could overlap, a path is longer than the specification
// demands. Linear in the number of steps and of stages that the capture tells apart. No device. One thread.
// Specification: "Execution and Memory Dependencies".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzers/analysis/graph/has_steps.h"
#include "analyzers/analysis/graph/need_lists.h"

namespace rondo::graph {

class HasPaths {
 public:
  // `items`: how many the work graph has.
  HasPaths(HasSteps steps, std::uint32_t items);

  const std::vector<HasStepOperation>& operations() const { return steps_.operations; }

  // As NeedLists has them.
  std::vector<std::uint64_t> ends(const PathWanted& wanted) const;
  std::vector<PathStep> longest(std::span<const std::uint64_t> lengths) const;

  // How much shorter the longest path would be without one command: of each of these, exactly. A command is named by
  // its first operation (HasStepOperation::first). Ascending, each once. More than `kMostCosts`, and fewer where a
  // capture has very many queues, are not answered: the result is shorter then.
  std::vector<std::uint64_t> costs(std::span<const std::uint64_t> lengths,
                                   std::span<const std::uint32_t> commands) const;
  static constexpr std::size_t kMostCosts = std::size_t{1} << 16;

 private:
  // What a line says of a stage: the longest path of what came on it, or of what it waits for; and the item or the
  // operation with which that path ends.
  struct Slot {
    PathLength path;
    std::uint32_t by = UINT32_MAX;
  };
  // The state of all lines, and of items and operations, after some steps.
  struct Forward;
  struct Backward;
  struct Cut;

  void merge_stages();
  void costs_of(std::span<const std::uint64_t> lengths, std::span<Cut> cuts) const;
  std::size_t slot_of(std::uint32_t line) const { return std::size_t{line} * stages_; }

  HasSteps steps_;  // their stages are numbers of classes: stages that all steps name together are one class
  const std::uint32_t items_;
  std::uint32_t stages_ = 0;  // classes
};

}  // namespace rondo::graph
