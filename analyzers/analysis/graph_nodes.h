// SPDX-License-Identifier: Apache-2.0
// Which item of work each node of the work graph is part of, and in which stages the node works. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/analysis/graph_walk.h"

namespace rondo::analyzers {

// Visits a walk that is given the same questions.
class GraphNodes final : public GraphVisitor {
 public:
  explicit GraphNodes(graph::SyncQuestions& questions) {
    questions.watch([this](const access::Executed& executed) {
      VkPipelineStageFlags2 all = 0;
      for (const access::Touch& touch : executed.touches) all |= touch.stages;
      if (executed.recorded == nullptr && executed.touches.empty()) all = VK_PIPELINE_STAGE_2_HOST_BIT;
      stages.push_back(all);
      return false;  // nothing more of it is kept
    });
  }
  // The nodes of an item come one after the other, and before the item.
  bool item(const graph::Item& item, std::span<const graph::ItemNeed>, std::span<const graph::Piece>) override {
    items += 1;
    const bool is_transition = item.kind == graph::ItemKind::transition;
    while (item_of.size() < stages.size()) {
      item_of.push_back(item.number);
      submit_of.push_back(item.work.submit);
      transitions.push_back(is_transition);
    }
    return true;
  }

  // By node.
  std::vector<VkPipelineStageFlags2> stages;
  std::vector<std::uint32_t> item_of;
  std::vector<std::uint64_t> submit_of;
  std::vector<bool> transitions;  // its item is a barrier that changes a layout or an owner
  std::uint32_t items = 0;
};

}  // namespace rondo::analyzers
