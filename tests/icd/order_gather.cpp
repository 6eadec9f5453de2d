// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_gather.h"

#include <cstring>

using namespace rondo;  // args_vk…

namespace fake::order {
namespace {

bool is_empty(const Touches& touches) {
  for (const Touch& touch : touches)
    if (!touch.bytes.empty()) return false;
  return true;
}

bool is_resuming(const Step& step) {
  return (step.arguments->as<args_vkCmdBeginRendering>().pRenderingInfo->flags & VK_RENDERING_RESUMING_BIT) != 0;
}

}  // namespace

std::function<std::vector<Touch>()> transition_touches(Ranges bytes) {
  return [bytes = std::move(bytes)] {
    // Their stages and accesses do not count: the dependency that they belong to says what they are ordered with.
    return Touches{{0, 0, false, bytes}, {0, 0, true, bytes}};
  };
}

void discard(const Ranges& bytes) {
  constexpr int kUndefined = 0xcd;
  for (const Bytes& b : bytes) std::memset(b.begin, kUndefined, b.size());
}

Node& Gatherer::make(Stages stages) {
  Node& node = graph_.make(line_);
  node.batch = batch_;
  node.stages = stages;
  return node;
}

// Its scopes in the queue: all that comes before and after, or within a render pass its subpass.
Node& Gatherer::make_sync(const Execution& execution, Stages first, Stages second) {
  Node& node = make(0);
  node.is_sync = true;
  node.first = first;
  node.second = second;
  const bool within = execution.gatherer != nullptr && subpass_id_ != 0;
  node.first_positions = {within ? subpass_begin_ : 0, node.position};
  node.second_positions = {node.position, UINT64_MAX};
  if (within) open_.push_back(&node);
  return node;
}

Gatherer::State Gatherer::copy(const Execution& execution) const {
  auto own = std::make_shared<Execution>(execution);
  own->gatherer = nullptr;
  for (auto& [query, counter] : own->queries) counter = {};
  return own;
}

void Gatherer::take_predicate(const State& state, Node& node) {
  if (condition_ == nullptr) return;
  Graph::order(*condition_node_, node);
  node.touches = [state, condition = condition_, inner = std::move(node.touches)] {
    state->state().predicate = condition->state().predicate;
    return condition->state().predicate ? inner() : Touches{};
  };
}

void Gatherer::gather(CommandBuffer& buffer) {
  Execution execution(*line_.queue);
  execution.gatherer = this;
  execution.run(buffer);
}

void Gatherer::step(Execution& execution, const Step& step) {
  if (step.arguments == nullptr) return step.run(execution);  // pushes descriptors
  if (add_sync(execution, step) || add_query(execution, step)) return;
  switch (step.id) {
    case CommandId::vkCmdClearAttachments:
      return add_clear(execution, step);
    case CommandId::vkCmdBeginConditionalRenderingEXT:
      return add_condition(execution, step);
    case CommandId::vkCmdEndConditionalRenderingEXT:
      condition_ = nullptr;
      return;
    case CommandId::vkCmdBeginTransformFeedbackEXT:
    case CommandId::vkCmdEndTransformFeedbackEXT:
      return add_feedback(execution, step);
    case CommandId::vkCmdBeginRendering:
      resumes_ = is_resuming(step);
      return step.run(execution);
    case CommandId::vkCmdBeginRenderPass:
    case CommandId::vkCmdBeginRenderPass2:
      pass_begin_ = line_.positions;
      entered_ = UINT32_MAX;
      return step.run(execution);
    case CommandId::vkCmdEndRenderPass:
    case CommandId::vkCmdEndRenderPass2: {
      const RenderPassInstance instance = execution.instance;
      step.run(execution);
      return leave_pass(instance);
    }
    default:
      break;
  }
  if (const Stages stages = transfer_stages(step.id); stages != 0) return add_transfer(execution, step, stages);
  if (const Stages stages = work_stages(step.id, execution); stages != 0) return add_work(execution, step, stages);
  step.run(execution);
}

void Gatherer::add_transfer(Execution& execution, const Step& step, Stages stages) {
  const State state = copy(execution);
  Node& node = make(stages);
  node.touches = [&step] { return touches_of_transfer(*step.arguments); };
  node.run = [state, &step] { step.run(*state); };
  graph_.add(node);
}

void Gatherer::add_work(Execution& execution, const Step& step, Stages stages) {
  const State state = copy(execution);
  Node& node = make(stages);
  node.touches = [state, &step, id = subpass_id_] {
    Touches touches = touches_of_work(*step.arguments, *state);
    for (Touch& touch : touches)
      if (touch.role == Role::input) touch.subpass = id;
    return touches;
  };
  node.run = [state, &step] { step.run(*state); };
  take_predicate(state, node);
  if (is_draw(step.id)) {
    // Load operations come before all that reads the attachments.
    const RenderPassInstance& at = execution.instance;
    if (at.pass != nullptr && at.subpass < at.pass->subpasses.size() && !at.pass->subpasses[at.subpass].inputs.empty())
      for (Node* load : loads_) Graph::order(*load, node);
    if (execution.state().feedback && feedback_ != nullptr) {
      Graph::order(*feedback_node_, node);
      node.run = [state, &step, last = feedback_] {
        state->state().feedback_bytes = last->state().feedback_bytes;
        step.run(*state);
      };
      feedback_ = state;
      feedback_node_ = &node;
    }
  }
  for (auto& [query, all] : counted_) all.push_back({state, &node});
  graph_.add(node);
  if (is_draw(step.id) && execution.target() != nullptr) add_draw_to_attachments(state, node);
}

void Gatherer::add_draw_to_attachments(const State& state, Node& draw) {
  const auto touches_of = [state, id = subpass_id_] {
    Touches all = touches_of_attachments(*state->target(), Attached::draw, false, id);
    for (Touch& touch : touches_of_attachments(*state->target(), Attached::draw, true, id))
      all.push_back(std::move(touch));
    return all;
  };
  if (is_empty(touches_of())) return;
  Node& node = make(kColorStage | kDepthStages);
  node.touches = [state, touches_of] { return state->target()->drawn ? touches_of() : Touches{}; };
  node.run = [state] { state->flush_target(); };
  Graph::order(draw, node);
  follow_attachments(node);
  graph_.add(node);
}

void Gatherer::follow_attachments(Node& node) {
  for (Node* last : last_attached_) Graph::order(*last, node);
  last_attached_ = {&node};
}

void Gatherer::add_clear(Execution& execution, const Step& step) {
  if (execution.target() == nullptr) return;
  const State state = copy(execution);
  Node& node = make(kColorStage | kDepthStages);
  node.touches = [state, id = subpass_id_] {
    Touches all = touches_of_attachments(*state->target(), Attached::clear, false, id);
    for (Touch& touch : touches_of_attachments(*state->target(), Attached::clear, true, id))
      all.push_back(std::move(touch));
    return all;
  };
  node.run = [state, &step] { step.run(*state); };
  take_predicate(state, node);
  follow_attachments(node);
  graph_.add(node);
}

void Gatherer::add_condition(Execution& execution, const Step& step) {
  condition_ = copy(execution);
  condition_node_ = &make(VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT);
  condition_node_->touches = [&step] { return touches_of_predicate(*step.arguments); };
  condition_node_->run = [state = condition_, &step] { step.run(*state); };
  graph_.add(*condition_node_);
}

void Gatherer::add_feedback(Execution& execution, const Step& step) {
  const bool begins = step.id == CommandId::vkCmdBeginTransformFeedbackEXT;
  const State state = copy(execution), last = begins ? nullptr : feedback_;
  Node& node = make(VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT);
  node.touches = [&step] { return touches_of_feedback(*step.arguments); };
  node.run = [state, last, &step] {
    if (last != nullptr) state->state().feedback_bytes = last->state().feedback_bytes;
    step.run(*state);
  };
  if (last != nullptr) Graph::order(*feedback_node_, node);
  graph_.add(node);
  execution.state().feedback = begins;
  feedback_ = begins ? state : nullptr;
  feedback_node_ = &node;
}

void Gatherer::begin_target(Execution& execution) {
  if (execution.instance.pass != nullptr) {
    if (entered_ != execution.instance.subpass) enter_subpass(execution);
  } else {
    if (!resumes_) ++line_.rendering;
    subpass_id_ = line_.rendering;
    subpass_begin_ = line_.positions;
    if (!resumes_) last_attached_.clear();
    loads_.clear();
  }
  const std::uint64_t id = subpass_id_;
  for (const bool depth : {false, true}) {
    if (is_empty(touches_of_attachments(*execution.target(), Attached::load, depth, id))) continue;
    const State state = copy(execution);
    Node& node = make(depth ? VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT : kColorStage);
    node.touches = [state, depth, id] { return touches_of_attachments(*state->target(), Attached::load, depth, id); };
    node.run = [state, depth] { state->load_attachments(depth); };
    graph_.add(node);
    loads_.push_back(&node);
    last_attached_.push_back(&node);
  }
}

void Gatherer::end_target(Execution& execution) {
  const std::uint64_t id = subpass_id_;
  const std::vector<Node*> last = last_attached_;
  for (const bool depth : {false, true}) {
    if (is_empty(touches_of_attachments(*execution.target(), Attached::finish, depth, id))) continue;
    const State state = copy(execution);
    Node& node = make(depth ? Stages{VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT} | kColorStage : kColorStage);
    node.touches = [state, depth, id] { return touches_of_attachments(*state->target(), Attached::finish, depth, id); };
    node.run = [state, depth] { state->finish_attachments(depth); };
    for (Node* before : last) Graph::order(*before, node);
    graph_.add(node);
  }
  for (Node* sync : open_) sync->second_positions.end = line_.positions;
  open_.clear();
  if (entered_ < subpasses_.size()) subpasses_[entered_].end = line_.positions;
  subpass_id_ = 0;
  loads_.clear();
}

}  // namespace fake::order
