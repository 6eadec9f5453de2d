// SPDX-License-Identifier: Apache-2.0
// Makes nodes of a command buffer's steps (order_graph.h). Steps that only set state are run at once, so that each item
// has the state that it was recorded with. Private to tests/icd.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/icd/execute.h"
#include "tests/icd/order_touches.h"

namespace fake::order {

class Gatherer {
 public:
  Gatherer(Graph& graph, Line& line, std::uint64_t batch) : graph_(graph), line_(line), batch_(batch) {}

  void gather(CommandBuffer& buffer);

  // Called back by the execution that goes through the steps.
  void step(Execution& execution, const Step& step);
  void begin_target(Execution& execution);
  void end_target(Execution& execution);

 private:
  using State = std::shared_ptr<Execution>;  // an item's own

  Node& make(Stages stages);
  Node& make_sync(const Execution& execution, Stages first, Stages second);
  State copy(const Execution& execution) const;
  void take_predicate(const State& state, Node& node);

  void add_transfer(Execution& execution, const Step& step, Stages stages);
  void add_work(Execution& execution, const Step& step, Stages stages);
  void add_draw_to_attachments(const State& state, Node& draw);
  void add_clear(Execution& execution, const Step& step);
  void add_condition(Execution& execution, const Step& step);
  void add_feedback(Execution& execution, const Step& step);
  void follow_attachments(Node& node);  // rasterization order

  // order_queries.cpp
  bool add_query(Execution& execution, const Step& step);
  void order_queries(Node& node);

  // order_barriers.cpp
  bool add_sync(Execution& execution, const Step& step);
  void add_barrier(Execution& execution, const VkDependencyInfo& info);
  template <class A>
  void add_barrier1(Execution& execution, const A& a);
  void add_set(Execution& execution, VkEvent event, Stages stages);
  void add_reset(Execution& execution, VkEvent event, Stages stages);
  void take_events(Node& node, const VkEvent* events, std::uint32_t count);
  bool add_event(Execution& execution, const Step& step);

  // order_passes.cpp
  void enter_subpass(const Execution& execution);
  void leave_pass(const RenderPassInstance& instance);
  struct AttachmentChange {
    std::vector<std::uint32_t> attachments;
    Ranges changed, discarded;
  };
  // Changes of layout, by the subpass in which the attachments were used last.
  using AttachmentChanges = std::map<std::uint32_t, AttachmentChange>;
  Node& begin_dependency(Stages first, Stages second, bool ends);
  void add_dependencies(const RenderPass& pass, const std::vector<RenderPass::Dependency>& dependencies,
                        const AttachmentChanges& transitions, bool ends);
  Positions positions_of(std::uint32_t subpass) const;

  Graph& graph_;
  Line& line_;
  std::uint64_t batch_;

  // The subpass instance that goes on.
  std::uint64_t subpass_id_ = 0;
  std::uint64_t subpass_begin_ = 0;   // position
  std::vector<Node*> last_attached_;  // the last to touch its attachments
  std::vector<Node*> loads_;
  std::vector<Node*> open_;  // synchronization whose second scope ends with the subpass
  bool resumes_ = false;
  // The render pass instance: its subpasses' positions.
  std::uint64_t pass_begin_ = 0;
  std::vector<Positions> subpasses_;
  std::multimap<std::uint32_t, Node*> left_by_;  // dependencies so far, by their first subpass
  std::uint32_t entered_ = UINT32_MAX;

  State condition_;  // of conditional rendering
  Node* condition_node_ = nullptr;
  State feedback_;  // the last item of transform feedback, which is in order
  Node* feedback_node_ = nullptr;
  std::map<std::pair<std::shared_ptr<QueryPool>, std::uint32_t>, std::vector<std::pair<State, Node*>>> counted_;
};

// Whole subresources of barriers' images change layout: what is undefined is scrambled.
std::function<std::vector<Touch>()> transition_touches(Ranges bytes);
void discard(const Ranges& bytes);

}  // namespace fake::order
