// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/has_steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::graph {

namespace {

class StepBuilder {
 public:
  StepBuilder(const SyncLog& log, std::span<const HasNode> nodes) : log_(log), nodes_(nodes) {
    operation_of_.assign(log.ops().size(), kNoNumber);
  }

  HasSteps run() {
    find_signals();
    find_submits();
    // Work comes before the synchronization operations of the same time.
    std::vector<std::uint32_t> order(nodes_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time_of(a) < time_of(b); });
    std::size_t next = 0;
    const auto ops = static_cast<std::uint32_t>(log_.ops().size());
    for (std::uint32_t time = 0;;) {
      for (; next < order.size() && time_of(order[next]) <= time; ++next) take(order[next]);
      if (time == ops) break;
      signal(time);
      time = take_ops(time);
    }
    made_.lines = static_cast<std::uint32_t>(line_at_.size());
    return std::move(made_);
  }

 private:
  // A layout transition comes with the ops of its command: after all of them here.
  std::uint32_t time_of(std::uint32_t node) const {
    const SyncLog::Place& place = nodes_[node].place;
    return nodes_[node].is_transition ? place.first_op + place.ops : place.time;
  }
  static bool orders(const SyncShape& shape) { return shape.first != 0 && shape.second != 0; }
  // Within one render pass: it orders no items.
  static bool is_within(const SyncShape& shape) {
    return shape.from_subpass != SyncShape::kAllBefore && shape.to_subpass != SyncShape::kAllAfter;
  }

  // --- Signals: a first scope that ends before its op ---

  struct SignalKey {
    std::uint32_t at, queue;
    VkPipelineStageFlags2 stages;
    friend auto operator<=>(const SignalKey&, const SignalKey&) = default;
  };
  static bool is_of_command(const SyncLog::Op& op, std::uint32_t number) {
    return op.after == number || ((op.sync != SyncLog::kNone || op.pass != 0) && op.after == op.call);
  }
  // A subpass dependency from what comes before the pass has its first scope end at the begin of the pass, too.
  bool waits_for_signal(std::uint32_t number) const {
    const SyncLog::Op& op = log_.ops()[number];
    const SyncShape& shape = log_.shape(op.shape);
    if (!orders(shape) || is_within(shape) || shape.from_subpass != SyncShape::kAllBefore) return false;
    if (is_of_command(op, number)) return false;
    // Nothing that orders stands between: then it is as good as at its op.
    for (std::uint32_t i = op.after; i < number; ++i)
      if (i - op.after >= kFewOps || orders(log_.shape(log_.ops()[i].shape))) return true;
    return last_time_[std::min<std::size_t>(number, last_time_.size() - 1)] > op.after;
  }
  void find_signals() {
    // By op: the latest time of a node before it.
    last_time_.assign(log_.ops().size() + 1, 0);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      last_time_[std::min<std::size_t>(time_of(i), log_.ops().size())] = time_of(i);
    for (std::size_t i = 1; i < last_time_.size(); ++i) last_time_[i] = std::max(last_time_[i], last_time_[i - 1]);
    for (std::uint32_t i = 0; i < log_.ops().size(); ++i) {
      if (!waits_for_signal(i)) continue;
      const SyncLog::Op& op = log_.ops()[i];
      const SyncShape& shape = log_.shape(op.shape);
      signals_.try_emplace({op.after, shape.from_queue, shape.first}, Signal{i, kNoNumber});
    }
  }
  void signal(std::uint32_t time) {
    for (auto one = signals_.lower_bound({time, 0, 0}); one != signals_.end() && one->first.at == time; ++one) {
      one->second.operation = begin(one->second.op);
      made_.operations.back().is_signal = true;
      add({HasStep::Kind::gather, one->second.operation, line(one->first.queue), one->first.stages});
    }
  }

  // --- Which submit executes a barrier: that of the work after the same begin of a batch ---

  void find_submits() {
    batch_of_.assign(log_.ops().size() + 1, kNoNumber);
    std::map<std::uint32_t, std::uint32_t> batch;  // by queue
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < log_.ops().size(); ++i) {
      const SyncLog::Op& op = log_.ops()[i];
      const SyncShape& shape = log_.shape(op.shape);
      if (op.sync == SyncLog::kNone && op.pass == 0 && shape.from_queue == SyncLog::kHost && orders(shape))
        batch[shape.to_queue] = i;
      if (const auto found = batch.find(shape.to_queue); found != batch.end()) batch_of_[i] = found->second;
    }
    for (const HasNode& node : nodes_) {
      // The last op before the node that is for its queue: of the same batch.
      std::uint32_t i = std::min<std::uint32_t>(node.place.time, static_cast<std::uint32_t>(log_.ops().size()));
      for (std::uint32_t looked = 0; i != 0 && looked < kFewOps; ++looked) {
        const SyncShape& shape = log_.shape(log_.ops()[--i].shape);
        if (!orders(shape) || shape.to_queue != node.place.queue) continue;
        if (batch_of_[i] != kNoNumber) submit_of_.try_emplace(batch_of_[i], node.submit);
        break;
      }
    }
  }

  // --- The sweep ---

  void take(std::uint32_t number) {
    const HasNode& node = nodes_[number];
    next_item_ = node.item + 1;
    if (node.is_transition) {
      for (std::uint32_t i = node.place.first_op; i < node.place.first_op + node.place.ops; ++i)
        if (operation_of_[i] != kNoNumber) add({HasStep::Kind::transition, node.item, operation_of_[i], 0});
      return;
    }
    const VkPipelineStageFlags2 stages = node.stages != 0 ? node.stages : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    const auto begin = [&](std::uint32_t line) {
      add({HasStep::Kind::begin, node.item, line, stages});
      ends_.push_back({HasStep::Kind::end, node.item, line, stages});
    };
    begin(line(node.place.queue));
    if (const std::uint32_t subpass = local(node.place.queue, node.place.pass, node.place.subpass);
        subpass != kNoNumber)
      begin(subpass);
    // The nodes of an item come one after the other.
    if (number + 1 < nodes_.size() && nodes_[number + 1].item == node.item) return;
    made_.steps.insert(made_.steps.end(), ends_.begin(), ends_.end());
    ends_.clear();
  }

  // The ops of one command, or one op; returns the number of the next one.
  std::uint32_t take_ops(std::uint32_t first) {
    const SyncLog::Op& command = log_.ops()[first];
    std::uint32_t end = first + 1;
    if (command.sync != SyncLog::kNone)
      while (end < log_.ops().size() && log_.ops()[end].call == command.call && log_.ops()[end].sync == command.sync)
        ++end;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made;  // operation, and shape
    for (std::uint32_t i = first; i < end; ++i) {
      const SyncLog::Op& op = log_.ops()[i];
      const SyncShape& shape = log_.shape(op.shape);
      if (!orders(shape) || is_within(shape)) continue;
      const auto same = std::find_if(made.begin(), made.end(), [&](const auto& one) {
        const SyncShape& other = log_.shape(one.second);
        return other.first == shape.first && other.second == shape.second && other.from_queue == shape.from_queue &&
               other.from_subpass == shape.from_subpass && other.to_subpass == shape.to_subpass &&
               log_.ops()[made_.operations[one.first].op].after == op.after;
      });
      if (same != made.end()) {
        made_.operations[same->first].count += 1;
        operation_of_[i] = same->first;
        continue;
      }
      const std::uint32_t operation = begin(i);
      made.emplace_back(operation, op.shape);
      operation_of_[i] = operation;
      made_.operations[operation].first = made.front().first;
      if (const auto at = signals_.find({op.after, shape.from_queue, shape.first});
          at != signals_.end() && waits_for_signal(i))
        add({HasStep::Kind::take, operation, at->second.operation, shape.first});
      else if (const std::uint32_t from = shape.from_subpass == SyncShape::kAllBefore
                                              ? line(shape.from_queue)
                                              : local(shape.from_queue, op.pass, shape.from_subpass);
               from != kNoNumber)
        add({HasStep::Kind::gather, operation, from, shape.first});
    }
    for (const auto& [operation, shape] : made) scope(operation, log_.shape(shape));
    return end;
  }

  std::uint32_t begin(std::uint32_t op) {
    HasStepOperation made;
    made.op = op;
    made.first = static_cast<std::uint32_t>(made_.operations.size());
    made.before = next_item_;
    if (const auto found = submit_of_.find(batch_of_[op]);
        found != submit_of_.end() && log_.ops()[op].sync != SyncLog::kNone)
      made.submit = found->second;
    made_.operations.push_back(std::move(made));
    return static_cast<std::uint32_t>(made_.operations.size() - 1);
  }

  // Its second scope begins here.
  void scope(std::uint32_t operation, const SyncShape& shape) {
    const SyncLog::Op& op = log_.ops()[made_.operations[operation].op];
    const std::uint32_t to = shape.to_subpass == SyncShape::kAllAfter
                                 ? line(shape.to_queue)
                                 : local(shape.to_queue, op.pass, shape.to_subpass);
    if (to != kNoNumber) add({HasStep::Kind::scope, operation, to, shape.second});
  }

  void add(const HasStep& step) { made_.steps.push_back(step); }
  std::uint32_t line(std::uint32_t queue, std::uint32_t subpass = kAll) {
    return line_at_.try_emplace({queue, subpass}, static_cast<std::uint32_t>(line_at_.size())).first->second;
  }
  // Of a subpass of the pass that is open on a queue. kNoNumber: in none.
  std::uint32_t local(std::uint32_t queue, std::uint32_t pass, std::uint32_t subpass) {
    if (pass == 0) return kNoNumber;
    Open& open = open_[queue];
    if (open.pass != pass) open = {pass, open.passes + 1};
    const std::uint32_t number = line(queue, subpass);
    if (used_in_.size() <= number) used_in_.resize(number + 1);
    if (std::exchange(used_in_[number], open.passes) != open.passes) add({HasStep::Kind::reset, 0, number, 0});
    return number;
  }

  static constexpr std::uint32_t kAll = UINT32_MAX;  // no subpass: all of a queue
  static constexpr std::uint32_t kFewOps = 16;

  struct Signal {
    std::uint32_t op, operation;
  };
  struct Open {
    std::uint32_t pass = 0;
    std::uint64_t passes = 0;  // that were open on the queue until then, and this one
  };
  const SyncLog& log_;
  const std::span<const HasNode> nodes_;
  HasSteps made_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> line_at_;  // by queue and subpass
  std::vector<std::uint64_t> used_in_;                                        // by line: Open::passes
  std::vector<HasStep> ends_;                                                 // of the item that is open
  std::map<std::uint32_t, Open> open_;                                        // by queue
  std::map<SignalKey, Signal> signals_;
  std::vector<std::uint32_t> operation_of_;           // by op
  std::vector<std::uint32_t> batch_of_;               // by op: the op that begins its batch
  std::map<std::uint32_t, std::uint64_t> submit_of_;  // by that op
  std::vector<std::uint32_t> last_time_;
  std::uint32_t next_item_ = 0;
};

}  // namespace

HasSteps find_has_steps(const SyncLog& log, std::span<const HasNode> nodes) { return StepBuilder(log, nodes).run(); }

}  // namespace rondo::graph
