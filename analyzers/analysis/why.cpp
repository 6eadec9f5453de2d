// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/why.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzers/analysis/op_words.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

using graph::SyncLog;

// HOST (HOST_READ).
constexpr graph::AccessKind kHostAccess{14, 13};
constexpr std::size_t kMostPlacesOfNeed = 4;
// Of a render pass with very many draws some are enough.
constexpr std::size_t kMostNodes = 64;

// The edges of the graph, and both items.
class FirstWalk final : public GraphVisitor {
 public:
  explicit FirstWalk(std::span<const ItemWanted> wanted) : edges_(wanted), wanted_(wanted) {}
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (wanted_[i].is(item)) items_.try_emplace(item.number, item);
    return edges_.item(item, needs, pieces);
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { edges_.join(join, items); }
  const GraphEdges& edges() const { return edges_; }
  const graph::Item& at(std::uint32_t number) const { return items_.at(number); }

 private:
  GraphEdges edges_;
  std::span<const ItemWanted> wanted_;
  std::map<std::uint32_t, graph::Item> items_;
};

// What the items of a way need of each other.
class SecondWalk final : public GraphVisitor {
 public:
  SecondWalk(const GraphWalk& walk, std::span<const std::uint32_t> way) : walk_(walk), way_(way.begin(), way.end()) {}
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    names_.add(item, true);
    const auto at = std::find(way_.begin(), way_.end(), item.number);
    if (at == way_.end()) return true;
    items_[item.number] = item;
    if (at == way_.begin()) return true;
    const std::uint32_t before = at[-1];
    Why::Need step;
    step.from = items_.at(before);
    step.to = item;
    step.possible = true;
    for (const graph::ItemNeed& need : needs) {
      if (need.from != before && !has(need.from, before)) continue;
      step.kinds = static_cast<std::uint8_t>(step.kinds | need.kinds);
      step.possible = step.possible && need.possible;
      if (step.places.size() < kMostPlacesOfNeed) step.places.push_back(place_text(walk_, place_of(walk_, need)));
    }
    steps.push_back(std::move(step));
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { names_.add_join(join, items); }

  std::vector<Why::Need> steps;

 private:
  bool has(std::uint32_t join, std::uint32_t item) const {
    if (!graph::is_join(join)) return false;
    std::uint64_t all = 0;
    const std::vector<std::uint32_t> members = names_.items_of(join, SIZE_MAX, all);
    return std::binary_search(members.begin(), members.end(), item);
  }

  const GraphWalk& walk_;
  const std::vector<std::uint32_t> way_;  // ascending
  std::map<std::uint32_t, graph::Item> items_;
  ItemNames names_;
};

bool is_of(const graph::Item& item, const access::Executed& executed) {
  const WorkItem& work = item.work;
  if (executed.at != work.at || executed.submit != work.submit) return false;
  return work.is_pass ? executed.record >= work.record && executed.record <= work.end : executed.record == work.record;
}
bool is_of(const graph::Item& item, const graph::SyncQuestions::Executed& executed) {
  const WorkItem& work = item.work;
  if (executed.at != work.at || executed.submit != work.submit) return false;
  return work.is_pass ? executed.record >= work.record && executed.record <= work.end : executed.record == work.record;
}

std::string access_text(const graph::SyncQuestions& questions, const graph::AccessAt& access, std::uint32_t node) {
  const auto& executed = questions.executed(node);
  const std::string what = access.is_transition() ? "the layout transition"
                                                  : scope_text(VkPipelineStageFlags2{1} << access.kind.stage,
                                                               VkAccessFlags2{1} << access.kind.access);
  return text("{} of {} {}", what, codec::info(executed.command).name, text_of({executed.record, executed.submit}));
}

bool has(VkFlags64 flags, unsigned number) { return (flags >> number & 1) != 0; }

// What a command on the way does not name of an access: "vkCmdPipelineBarrier 39 lacks COMPUTE_SHADER (SHADER_WRITE) in
// its first scope". Nothing: it names it.
std::optional<Why::Lack> lack_of(const graph::SyncQuestions& questions, std::uint32_t number, std::uint32_t history,
                                 graph::AccessKind kind, bool is_first) {
  const SyncLog::Op& op = questions.log.ops()[number];
  // A barrier of a resource is for that resource alone.
  bool is_of_resource = op.shape == op.own_shape;
  for (; history != graph::Histories::kNone && !is_of_resource; history = questions.histories.before(history))
    is_of_resource = questions.histories.op(history) == number;
  const graph::SyncShape& shape = questions.log.shape(op.own_shape);
  const bool names = is_first ? has(shape.src_stages, kind.stage) && has(shape.src_access, kind.access)
                              : has(shape.dst_stages, kind.stage) && has(shape.dst_access, kind.access);
  if (names && is_of_resource) return std::nullopt;
  std::string lack = is_of_resource
                         ? text("lacks {} in its {} scope",
                                scope_text(VkPipelineStageFlags2{1} << kind.stage, VkAccessFlags2{1} << kind.access),
                                is_first ? "first" : "second")
                         : std::string("is for another resource, and so orders the execution alone");
  return Why::Lack{op.record, text("{} {}", op_text(questions, op), lack)};
}

// Whether the second sees what the first wrote last. `asked`: the questions of needs between both, and what each is
// about.
void find_visible(Why& why, const graph::SyncQuestions& questions, const std::map<std::uint32_t, std::string>& asked) {
  const std::vector<bool> none(questions.log.syncs().size());
  graph::SyncOrder order(questions.log, questions.histories, none);
  std::size_t visible = 0, all = 0;
  std::vector<graph::SyncOrder::Used> way;
  for (const auto& [number, place] : asked) {
    const graph::SyncQuestion& one = questions.all()[number];
    if (!one.memory || one.is_quiet) continue;
    const graph::AccessAt from = questions.from(one), to = questions.to(one);
    const auto said = order.ask(from, one.history, to, true);
    if (!said.executes) continue;
    all += 1;
    if (said.sees) {
      visible += 1;
      continue;
    }
    if (!why.invisible.empty()) continue;
    why.invisible = text("{}: {} is not visible to {}", place, access_text(questions, from, one.from),
                         access_text(questions, to, one.to));
    order.way(from, one.history, to, false, way);
    const auto add = [&](std::optional<Why::Lack> lack) {
      if (lack && (why.lacks.empty() || why.lacks.back().text != lack->text)) why.lacks.push_back(std::move(*lack));
    };
    // The first command of a way makes available, the last one makes visible. A way begins at its end here.
    if (!way.empty() && !from.is_transition()) add(lack_of(questions, way.back().op, one.history, from.kind, true));
    if (!way.empty() && !to.is_transition()) add(lack_of(questions, way.front().op, one.history, to.kind, false));
  }
  if (all != 0) why.visible = visible == 0 ? Why::Order::none : visible == all ? Why::Order::all : Why::Order::some;
}

// `acquire`: of a first item that is an acquire, what the presentation engine reads before it.
void find_order(Why& why, const graph::SyncQuestions& questions, const graph::AccessAt& acquire) {
  struct Side {
    std::uint32_t node;
    graph::AccessAt access;
    graph::Needs::Touch touch;
  };
  std::vector<Side> sides[2];
  std::size_t nodes[2]{};
  for (const graph::SyncQuestions::Watched& one : questions.watched()) {
    const int side = is_of(why.first, questions.executed(one.node)) ? 0 : 1;
    if (++nodes[side] > kMostNodes) continue;
    // A call that only ends what work has used, or that acquires an image.
    if (one.touches.empty()) {
      const bool is_acquire = side == 0 && why.first.kind == graph::ItemKind::acquire;
      const graph::AccessAt by_host{kHostAccess, questions.place(one.node), 0, 0};
      sides[side].push_back({one.node, is_acquire ? acquire : by_host, {}});
    }
    for (const graph::Needs::Touch& touch : one.touches)
      for (const graph::AccessAt& access : questions.accesses(one.node, questions.way(touch.way)))
        sides[side].push_back({one.node, access, touch});
  }
  // Where both touch the same, and one writes, that is what is asked for. Else all.
  const auto meet = [](const Side& from, const Side& to) {
    return from.touch.space == to.touch.space && from.touch.begin < to.touch.end && to.touch.begin < from.touch.end &&
           (from.touch.writes || to.touch.writes);
  };
  const bool any_meet = std::any_of(sides[0].begin(), sides[0].end(), [&](const Side& from) {
    return std::any_of(sides[1].begin(), sides[1].end(), [&](const Side& to) { return meet(from, to); });
  });
  const std::vector<bool> none(questions.log.syncs().size());
  graph::SyncOrder order(questions.log, questions.histories, none);
  std::size_t ordered = 0, all = 0;
  std::vector<graph::SyncOrder::Used> way;
  for (const Side& from : sides[0])
    for (const Side& to : sides[1]) {
      if (any_meet && !meet(from, to)) continue;
      all += 1;
      if (!order.ask(from.access, graph::Histories::kNone, to.access, false).executes) {
        if (why.unordered.empty())
          why.unordered =
              access_text(questions, from.access, from.node) + " before " + access_text(questions, to.access, to.node);
        continue;
      }
      ordered += 1;
      if (!why.ops.empty()) continue;
      order.way(from.access, graph::Histories::kNone, to.access, false, way);
      for (auto used = way.rbegin(); used != way.rend(); ++used) {
        const SyncLog::Op& op = questions.log.ops()[used->op];
        why.ops.push_back({op.record, op_text(questions, op)});
      }
    }
  why.order = ordered == 0 ? Why::Order::none : ordered == all ? Why::Order::all : Why::Order::some;
}

}  // namespace

Result<Why> find_why(GraphWalk& names, const std::string& file, const ItemWanted& a, const ItemWanted& b) {
  Why why;
  const ItemWanted wanted[] = {a, b};
  std::vector<std::uint32_t> way;
  {
    auto walk = GraphWalk::open(file);
    if (!walk) return tl::unexpected(walk.error());
    FirstWalk first(wanted);
    const auto totals = walk->run(first);
    if (!totals) return tl::unexpected(totals.error());
    const auto one = first.edges().found(0, file), other = first.edges().found(1, file);
    // What is missing may be in what cannot be read.
    if (!one || !other) RONDO_TRY(walk->walk().intact());
    if (!one) return tl::unexpected(one.error());
    if (!other) return tl::unexpected(other.error());
    for (std::size_t i = 0; i < 2; ++i)
      if (!wanted[i].submit && first.edges().executions(i) > 1)
        say(text("record {} is executed {} times: this is about the first one", wanted[i].record,
                 first.edges().executions(i)));
    if (*one == *other) return fail(Status::usage, text("{} and {} are the same item of work", a.text(), b.text()));
    why.swapped = *one > *other;
    why.first = first.at(std::min(*one, *other));
    why.second = first.at(std::max(*one, *other));
    way = first.edges().path(why.second.number, why.first.number);
    std::reverse(way.begin(), way.end());
  }
  SecondWalk second(names, way);
  std::map<std::uint32_t, std::string> asked;
  const graph::SyncQuestions* made = nullptr;
  graph::SyncQuestions questions([&](std::uint32_t question, const graph::Need& need) {
    if (is_of(why.first, made->executed(need.from.node)) && is_of(why.second, made->executed(need.to.node)))
      asked.try_emplace(question, place_text(names, place_of(names, need.space, need.begin, need.end)));
  });
  made = &questions;
  graph::AccessAt acquire;
  questions.watch([&](const access::Executed& one) {
    const bool is_first = is_of(why.first, one);
    if (is_first) acquire = questions.last_acquire();
    return is_first || is_of(why.second, one);
  });
  const auto totals = names.run(second, &questions);
  if (!totals) return tl::unexpected(totals.error());
  why.totals = *totals;
  names.find_damage(why.totals);
  why.data = std::move(second.steps);
  find_order(why, questions, acquire);
  find_visible(why, questions, asked);
  return why;
}

}  // namespace rondo::analyzers
