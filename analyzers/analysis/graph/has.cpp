// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/has.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace rondo::graph {

namespace {

constexpr unsigned kStages = 64;

// What came on a queue, or in a subpass, stage by stage.
struct Line {
  std::vector<std::uint32_t> items;  // since `first`
  std::uint32_t first = kNoNumber,
                second = kNoNumber;  // the last operation whose first scope, or second scope, has the stage
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

class GraphBuilder {
 public:
  GraphBuilder(const HasSteps& steps, std::uint32_t items) : steps_(steps), lines_(steps.lines) {
    made_.after.resize(items);
    for (const HasStepOperation& one : steps.operations) made_.operations.push_back({one, {}, {}});
  }

  HasGraph run() {
    for (const HasStep& step : steps_.steps) take(step);
    for (HasOperation& one : made_.operations) sort(one.links);
    for (std::vector<HasLink>& links : made_.after) sort(links);
    return std::move(made_);
  }

 private:
  void take(const HasStep& step) {
    switch (step.kind) {
      case HasStep::Kind::begin:
        return begin(step);
      case HasStep::Kind::end:
        return;  // the first scopes that end before have the item, too
      case HasStep::Kind::gather:
        return gather(step);
      case HasStep::Kind::take:
        return for_each_stage(step.stages, [&](unsigned stage) {
          add_link(made_.operations[step.number].links, step.other, HasLinkKind::first, stage);
        });
      case HasStep::Kind::scope:
        return scope(step);
      case HasStep::Kind::transition:
        return add_link(made_.after[step.number], step.other, HasLinkKind::second, kAllCommands);
      case HasStep::Kind::reset:
        lines_[step.other] = {};
        return;
    }
  }
  void begin(const HasStep& step) {
    for_each_stage(step.stages, [&](unsigned stage) {
      Line& line = lines_[step.other][stage];
      if (line.second != kNoNumber) add_link(made_.after[step.number], line.second, HasLinkKind::second, stage);
      if (line.items.empty() || line.items.back() != step.number) line.items.push_back(step.number);
    });
  }
  void gather(const HasStep& step) {
    HasOperation& to = made_.operations[step.number];
    for_each_stage(step.stages, [&](unsigned stage) {
      Line& line = lines_[step.other][stage];
      to.items.insert(to.items.end(), line.items.begin(), line.items.end());
      line.items.clear();
      if (line.first != kNoNumber) add_link(to.links, line.first, HasLinkKind::first, stage);
      if (line.second != kNoNumber) add_link(to.links, line.second, HasLinkKind::chain, stage);
      line.first = step.number;
    });
    std::sort(to.items.begin(), to.items.end());
    to.items.erase(std::unique(to.items.begin(), to.items.end()), to.items.end());
  }
  void scope(const HasStep& step) {
    for_each_stage(step.stages, [&](unsigned stage) {
      Line& line = lines_[step.other][stage];
      if (line.second != kNoNumber && line.second != step.number)
        add_link(made_.operations[step.number].links, line.second, HasLinkKind::second, stage);
      line.second = step.number;
    });
  }

  static constexpr unsigned kAllCommands = 16;  // the bit of ALL_COMMANDS
  const HasSteps& steps_;
  HasGraph made_;
  std::vector<Lines> lines_;
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

HasGraph graph_of(const HasSteps& steps, std::uint32_t items) { return GraphBuilder(steps, items).run(); }

HasGraph find_has(const SyncLog& log, std::span<const HasNode> nodes, std::uint32_t items) {
  return graph_of(find_has_steps(log, nodes), items);
}

}  // namespace rondo::graph
