// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/has.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "format/check.h"

namespace rondo::graph {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr unsigned kStages = 64;

// What came on a queue, or in a subpass, stage by stage.
struct Line {
  std::vector<std::uint32_t> items;             // since `first`
  std::uint32_t first = kNone, second = kNone;  // the last operation whose first scope, or second scope, has the stage
};
using Lines = std::array<Line, kStages>;

template <class Visit>
void for_each_stage(VkPipelineStageFlags2 stages, const Visit& visit) {
  for (; stages != 0; stages &= stages - 1) visit(static_cast<unsigned>(std::countr_zero(stages)));
}

void add_link(std::vector<HasLink>& links, std::uint32_t to, HasLinkKind kind, unsigned stage) {
  const VkPipelineStageFlags2 bit = VkPipelineStageFlags2{1} << stage;
  for (HasLink& one : links)
    if (one.operation == to && one.kind == kind) {
      one.stages |= bit;
      return;
    }
  links.push_back({to, kind, bit});
}

void sort(std::vector<HasLink>& links) {
  std::sort(links.begin(), links.end(), [](const HasLink& a, const HasLink& b) {
    return std::tuple(a.operation, a.kind) < std::tuple(b.operation, b.kind);
  });
}

class Builder {
 public:
  Builder(const SyncLog& log, std::span<const HasNode> nodes, std::uint32_t items) : log_(log), nodes_(nodes) {
    made_.after.resize(items);
    operation_of_.assign(log.ops().size(), kNone);
  }

  HasGraph run() {
    find_signals();
    find_submits();
    // A node stands before the ops of its time.
    std::vector<std::uint32_t> order(nodes_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time_of(a) < time_of(b); });
    std::size_t next = 0;
    const auto ops = static_cast<std::uint32_t>(log_.ops().size());
    for (std::uint32_t time = 0;;) {
      for (; next < order.size() && time_of(order[next]) <= time; ++next) take(nodes_[order[next]]);
      if (time == ops) break;
      signal(time);
      time = take_ops(time);
    }
    for (HasOperation& one : made_.operations) sort(one.links);
    for (std::vector<HasLink>& links : made_.after) sort(links);
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
      signals_.try_emplace({op.after, shape.from_queue, shape.first}, Signal{i, kNone});
    }
  }
  void signal(std::uint32_t time) {
    for (auto one = signals_.lower_bound({time, 0, 0}); one != signals_.end() && one->first.at == time; ++one) {
      one->second.operation = begin(one->second.op);
      made_.operations.back().is_signal = true;
      gather(one->second.operation, lines_[one->first.queue], one->first.stages);
    }
  }

  // --- Which submit executes a barrier: that of the work after the same begin of a batch ---

  void find_submits() {
    batch_of_.assign(log_.ops().size() + 1, kNone);
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
        if (batch_of_[i] != kNone) submit_of_.try_emplace(batch_of_[i], node.submit);
        break;
      }
    }
  }

  // --- The sweep ---

  void take(const HasNode& node) {
    next_item_ = node.item + 1;
    std::vector<HasLink>& after = made_.after[node.item];
    if (node.is_transition) {
      for (std::uint32_t i = node.place.first_op; i < node.place.first_op + node.place.ops; ++i)
        if (operation_of_[i] != kNone) add_link(after, operation_of_[i], HasLinkKind::second, kAllCommands);
      return;
    }
    const VkPipelineStageFlags2 stages = node.stages != 0 ? node.stages : VkPipelineStageFlags2{1} << kAllCommands;
    Lines& queue = lines_[node.place.queue];
    Lines* const subpass = local(node.place.queue, node.place.pass, node.place.subpass);
    for_each_stage(stages, [&](unsigned stage) {
      for (Lines* const lines : {&queue, subpass}) {
        if (lines == nullptr) continue;
        Line& line = (*lines)[stage];
        if (line.second != kNone) add_link(after, line.second, HasLinkKind::second, stage);
        if (line.items.empty() || line.items.back() != node.item) line.items.push_back(node.item);
      }
    });
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
      if (const auto at = signals_.find({op.after, shape.from_queue, shape.first});
          at != signals_.end() && waits_for_signal(i))
        for_each_stage(shape.first, [&](unsigned stage) {
          add_link(made_.operations[operation].links, at->second.operation, HasLinkKind::first, stage);
        });
      else if (shape.from_subpass != SyncShape::kAllBefore) {
        if (Lines* const lines = local(shape.from_queue, op.pass, shape.from_subpass); lines != nullptr)
          gather(operation, *lines, shape.first);
      } else {
        gather(operation, lines_[shape.from_queue], shape.first);
      }
    }
    for (const auto& [operation, shape] : made) scope(operation, log_.shape(shape));
    return end;
  }

  std::uint32_t begin(std::uint32_t op) {
    HasOperation made;
    made.op = op;
    made.before = next_item_;
    if (const auto found = submit_of_.find(batch_of_[op]);
        found != submit_of_.end() && log_.ops()[op].sync != SyncLog::kNone)
      made.submit = found->second;
    made_.operations.push_back(std::move(made));
    return static_cast<std::uint32_t>(made_.operations.size() - 1);
  }

  // The first scope of an operation that ends here.
  void gather(std::uint32_t operation, Lines& lines, VkPipelineStageFlags2 stages) {
    HasOperation& to = made_.operations[operation];
    for_each_stage(stages, [&](unsigned stage) {
      Line& line = lines[stage];
      to.items.insert(to.items.end(), line.items.begin(), line.items.end());
      line.items.clear();
      if (line.first != kNone) add_link(to.links, line.first, HasLinkKind::first, stage);
      if (line.second != kNone) add_link(to.links, line.second, HasLinkKind::chain, stage);
      line.first = operation;
    });
    std::sort(to.items.begin(), to.items.end());
    to.items.erase(std::unique(to.items.begin(), to.items.end()), to.items.end());
  }

  // Its second scope begins here.
  void scope(std::uint32_t operation, const SyncShape& shape) {
    const SyncLog::Op& op = log_.ops()[made_.operations[operation].op];
    Lines* const lines = shape.to_subpass == SyncShape::kAllAfter ? &lines_[shape.to_queue]
                                                                  : local(shape.to_queue, op.pass, shape.to_subpass);
    if (lines == nullptr) return;
    for_each_stage(shape.second, [&](unsigned stage) {
      Line& line = (*lines)[stage];
      if (line.second != kNone && line.second != operation)
        add_link(made_.operations[operation].links, line.second, HasLinkKind::second, stage);
      line.second = operation;
    });
  }

  // Of the subpasses of the pass that is open on a queue. Null: in none.
  Lines* local(std::uint32_t queue, std::uint32_t pass, std::uint32_t subpass) {
    if (pass == 0) return nullptr;
    Open& open = open_[queue];
    if (open.pass != pass) open = {pass, {}};
    return &open.subpasses[subpass];
  }

  static constexpr unsigned kAllCommands = 16;  // the bit of ALL_COMMANDS
  static constexpr std::uint32_t kFewOps = 16;

  struct Signal {
    std::uint32_t op, operation;
  };
  struct Open {
    std::uint32_t pass = 0;
    std::map<std::uint32_t, Lines> subpasses;
  };
  const SyncLog& log_;
  const std::span<const HasNode> nodes_;
  HasGraph made_;
  std::map<std::uint32_t, Lines> lines_;  // by queue
  std::map<std::uint32_t, Open> open_;    // by queue
  std::map<SignalKey, Signal> signals_;
  std::vector<std::uint32_t> operation_of_;           // by op
  std::vector<std::uint32_t> batch_of_;               // by op: the op that begins its batch
  std::map<std::uint32_t, std::uint64_t> submit_of_;  // by that op
  std::vector<std::uint32_t> last_time_;
  std::uint32_t next_item_ = 0;
};

}  // namespace

const char* name_of(HasLinkKind kind) {
  switch (kind) {
    case HasLinkKind::first:
      return "first";
    case HasLinkKind::chain:
      return "chain";
    case HasLinkKind::second:
      return "second";
  }
  return "";
}

HasGraph find_has(const SyncLog& log, std::span<const HasNode> nodes, std::uint32_t items) {
  return Builder(log, nodes, items).run();
}

}  // namespace rondo::graph
