// SPDX-License-Identifier: Apache-2.0
// What the program's synchronization orders, for `rondo graph --has`: the graph of graph/has.h, in words. No device.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/has.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"

namespace rondo::analyzers {

class HasOrder {
 public:
  // Walks the capture.
  static Result<HasOrder> of(const std::string& path);

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

  std::unique_ptr<graph::SyncQuestions> questions_;
  std::unique_ptr<GraphWalk> walk_;  // of the labels
  graph::HasGraph graph_;
  std::vector<bool> told_;
};

}  // namespace rondo::analyzers
