// SPDX-License-Identifier: Apache-2.0
// What the program's synchronization orders, for `rondo graph --has`: the graph of graph/has.h, in words. No device.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph/has.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"

namespace rondo::analyzers {

class HasOrder {
 public:
  // Opens the capture, walks it and makes the graph.
  static Result<HasOrder> of(const std::string& path);

  // Or step by step: opens the capture. What is there after run() is said there.
  static Result<HasOrder> open(const std::string& path);
  GraphWalk& walk() { return *walk_; }
  // Walks the capture, once. `also`: visits the walk, too. Keeps no graph: operations alone, and what steps() has.
  Result<GraphTotals> run(GraphVisitor& also);
  const graph::SyncQuestions& questions() const { return *questions_; }
  // What orders the items, and which item each node is part of. They are given away: once.
  graph::HasSteps take_steps() { return std::move(steps_); }
  std::span<const std::uint32_t> items_of_nodes() const { return item_of_; }

  const graph::HasGraph& graph() const { return graph_; }
  // "operation 5, vkCmdPipelineBarrier 383@1: COPY (TRANSFER_WRITE) -> COMPUTE_SHADER (SHADER_READ)".
  std::string text_of_operation(std::uint32_t number) const;

  // Rows, of operations and of items.
  void append_text(std::string& out, const ItemNames& names, std::uint32_t number) const;
  void append_text_item(std::string& out, const GraphWalk& walk, const graph::Item& item) const;
  void append_json(std::string& out, const ItemNames& names, std::uint32_t number) const;
  void append_json_item(std::string& out, const GraphWalk& walk, const graph::Item& item) const;

  // Whether an operation has a row; a drawing leads no edge to others.
  bool is_told(std::uint32_t number) const { return told_[number]; }
  void tell(std::uint32_t number) { told_[number] = true; }
  // It has an item that is shown in its first scope.
  bool is_of_shown(const ItemNames& names, std::uint32_t number) const;

 private:
  HasOrder() = default;
  // Walks the capture, and finds `steps_` and `item_of_`.
  Result<GraphTotals> find_steps(GraphVisitor& also);

  std::unique_ptr<graph::SyncQuestions> questions_;
  std::unique_ptr<GraphWalk> walk_;  // of the labels
  graph::HasSteps steps_;
  std::vector<std::uint32_t> item_of_;  // by node
  graph::HasGraph graph_;
  std::vector<bool> told_;
};

}  // namespace rondo::analyzers
