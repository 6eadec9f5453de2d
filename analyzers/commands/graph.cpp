// SPDX-License-Identifier: Apache-2.0
// rondo graph: what each item of work needs.
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "analyzers/analysis/graph_edges.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/has_order.h"
#include "analyzers/analysis/need_orders.h"
#include "analyzers/analysis/work_span.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

class Printer final : public GraphVisitor {
 public:
  // At most one of `has` and `both`.
  Printer(const AnalysisCommand& command, GraphRows& rows, GraphWalk& walk, const WorkSpan& span,
          const std::optional<std::vector<bool>>& around, HasOrder* has, NeedOrders* both)
      : command_(command), rows_(rows), walk_(walk), span_(span), around_(around), has_(has), both_(both) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    const bool shown = (!around_ || (*around_)[item.number]) && span_.contains(item.work, walk_);
    names_.add(item, shown);
    line_.clear();
    if (has_ != nullptr) tell_operations(item.number);
    const std::vector<NeedOrder> orders =
        both_ != nullptr ? both_->take(needs, names_, walk_.spaces()) : std::vector<NeedOrder>();
    if (shown) {
      shown_ += 1;
      if (has_ != nullptr) {
        for (const graph::HasLink& link : has_->graph().after[item.number]) tell_operation(link.operation);
        rows_.has_item(line_, walk_, item, *has_);
      } else {
        for (const graph::ItemNeed& need : needs)
          if (graph::is_join(need.from)) tell_join(need.from);
        rows_.item(line_, walk_, names_, item, needs, pieces, orders);
      }
      for (const WorkItem& draw : item.children) rows_.draw(line_, walk_, item, draw);
    }
    out_.write(line_);
    return !out_.closed();
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { names_.add_join(join, items); }

  Result<void> head() {
    RONDO_TRY(command_.write_first_row(out_, walk_));
    rows_.head(line_);
    out_.write(line_);
    return {};
  }
  Result<void> finish(GraphTotals totals) {
    line_.clear();
    if (has_ != nullptr) {
      tell_operations(UINT32_MAX);
      totals.operations = has_->graph().operations.size();
    }
    if (both_ != nullptr) {
      totals.races = both_->races();
      totals.too_many = totals.too_many || both_->too_many();
    }
    walk_.find_damage(totals);
    rows_.summary(line_, totals, shown_);
    return command_.finish(out_, line_, totals);
  }

 private:
  // Prints the operations before an item. With a selection of items: only those that order a selected item.
  void tell_operations(std::uint32_t item) {
    const auto& operations = has_->graph().operations;
    for (; next_operation_ < operations.size() && operations[next_operation_].before <= item; ++next_operation_)
      if ((!around_ && span_.is_whole()) || has_->is_of_shown(names_, next_operation_)) tell_operation(next_operation_);
  }
  void tell_operation(std::uint32_t number) {
    if (has_->is_told(number)) return;
    has_->tell(number);
    rows_.operation(line_, names_, *has_, number);
  }
  // Once, after those that it has.
  void tell_join(std::uint32_t first) {
    std::vector<std::uint32_t> open{first};
    while (!open.empty()) {
      const std::uint32_t join = open.back();
      const std::size_t before = open.size();
      if (told_.count(join) == 0)
        for (const std::uint32_t one : names_.members_of(join))
          if (graph::is_join(one) && told_.count(one) == 0) open.push_back(one);
      if (open.size() != before) continue;
      open.pop_back();
      if (told_.insert(join).second) rows_.join(line_, names_, join);
    }
  }

  const AnalysisCommand& command_;
  GraphRows& rows_;
  GraphWalk& walk_;
  const WorkSpan& span_;
  const std::optional<std::vector<bool>>& around_;
  HasOrder* const has_;
  NeedOrders* const both_;
  std::uint32_t next_operation_ = 0;
  ItemNames names_;
  std::unordered_set<std::uint32_t> told_;  // joins
  std::uint64_t shown_ = 0;
  Output out_;
  std::string line_;
};

// Finds the wanted item, and its first execution in a span.
class AroundVisitor final : public GraphVisitor {
 public:
  AroundVisitor(const GraphWalk& walk, const WorkSpan& span, const ItemWanted& wanted)
      : edges(std::span(&wanted, 1)), walk_(walk), span_(span), wanted_(wanted) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    if (wanted_.is(item) && span_.contains(item.work, walk_)) {
      if (!first_in_span) first_in_span = item.number;
      executions_in_span += 1;
    }
    return edges.item(item, needs, pieces);
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { edges.join(join, items); }

  GraphEdges edges;
  std::optional<std::uint32_t> first_in_span;
  std::uint64_t executions_in_span = 0;

 private:
  const GraphWalk& walk_;
  const WorkSpan& span_;
  const ItemWanted& wanted_;
};

// Marks the items that are at most that many needs away from the wanted one. Status::usage: it is not in the span.
Result<std::vector<bool>> find_around(const std::string& file, const ItemWanted& wanted, const SpanRequest& request,
                                      std::uint64_t hops) {
  auto walk = GraphWalk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const auto span = WorkSpan::find(*walk, request);
  if (!span) return tl::unexpected(span.error());
  AroundVisitor visitor(*walk, *span, wanted);
  const auto totals = walk->run(visitor);
  if (!totals) return tl::unexpected(totals.error());
  const auto found = visitor.edges.found(0, file);
  if (!found) RONDO_TRY(walk->walk().intact());  // it may be in what cannot be read
  if (!found) return tl::unexpected(found.error());
  if (!visitor.first_in_span)
    return fail(Status::usage, text("{}: --around {} is not in {}: leave one of both out, or choose another one", file,
                                    wanted.text(), request.text()));
  if (!wanted.submit && visitor.executions_in_span > 1)
    say(text("record {} is executed {} times{}: this is about the first one", wanted.record, visitor.executions_in_span,
             span->is_whole() ? "" : " in " + request.text()));
  return visitor.edges.around(*visitor.first_in_span, hops);
}

}  // namespace

Result<int> run_graph(Arguments args) {
  AnalysisCommand command("graph");
  std::optional<std::string> around, hops;
  bool needs = false, has = false, both = false, draws = false;
  SpanArguments span_arguments;
  Cli cli("rondo graph",
          "Prints the items of work of a capture (dispatches, copies, whole render passes, layout transitions, host\n"
          "writes, presents, calls that end objects) in the order of execution, and what each one needs: which earlier "
          "items it must come\n"
          "after because of what both touch. Or what the program orders: barriers, events, subpass dependencies,\n"
          "semaphores, waits of the host, submits. Needs no device.");
  command.add_to(cli, {"text", "jsonl", "dot", "graphml", "thunks"},
                 "of the output (default text); thunks: a line an item, with the slices of memory that it touches");
  cli.flag("--needs", "what the work needs, whatever the program orders (default)", needs);
  cli.flag("--has",
           "what the program orders, whatever the work needs: operations, and what comes before and after each", has);
  cli.flag("--both", "what the work needs, and of each need what orders it, or that nothing does", both);
  cli.flag("--draws", "also the draws of each render pass, a line or a row each", draws);
  span_arguments.add_to(cli);
  cli.value("--around", "RECORD[@SUBMIT]", "only this item, and those near to it", around);
  cli.value("--hops", "N", "of --around: at most N needs away (default 1)", hops);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const std::string& file = command.file();
  if (needs + has + both > 1) return fail(Status::usage, "take one of --needs, --has and --both");
  if (command.format() == "thunks" && (has || both))
    return fail(Status::usage, text("--format thunks has what items touch, and no {}: leave one of both out",
                                    has ? "operations (--has)" : "needs (--both)"));
  if (draws && command.format() != "text" && !command.is_json())
    return fail(Status::usage,
                text("--draws is of --format text and jsonl; {} has whole render passes", command.format()));
  const auto request = span_arguments.request();
  if (!request) return tl::unexpected(request.error());
  if (hops && !around) return fail(Status::usage, "--hops N is of --around RECORD");
  const auto most_hops = parse_count("--hops", hops, 1);
  if (!most_hops) return tl::unexpected(most_hops.error());
  RONDO_TRY(command.start());
  std::optional<std::vector<bool>> near;
  if (around) {
    const auto wanted = ItemWanted::parse("--around", *around);
    if (!wanted) return tl::unexpected(wanted.error());
    auto found = find_around(file, *wanted, *request, *most_hops);
    if (!found) return tl::unexpected(found.error());
    near = std::move(*found);
  }
  auto walk = GraphWalk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const auto span = WorkSpan::find(*walk, *request);
  if (!span) return tl::unexpected(span.error());
  std::optional<HasOrder> has_order;
  if (has) {
    auto found = HasOrder::of(file);
    if (!found) return tl::unexpected(found.error());
    has_order.emplace(std::move(*found));
  }
  std::optional<NeedOrders> need_orders;
  if (both) {
    auto found = NeedOrders::of(file);
    if (!found) return tl::unexpected(found.error());
    need_orders.emplace(std::move(*found));
  }
  const std::unique_ptr<GraphRows> rows = graph_rows(command.format());
  Printer printer(command, *rows, *walk, *span, near, has_order ? &*has_order : nullptr,
                  need_orders ? &*need_orders : nullptr);
  RONDO_TRY(printer.head());
  const auto totals = walk->run(printer, need_orders ? &need_orders->questions() : nullptr, draws);
  if (!totals) return tl::unexpected(totals.error());
  RONDO_TRY(printer.finish(*totals));
  return 0;
}

}  // namespace rondo::analyzers
