// SPDX-License-Identifier: Apache-2.0
// rondo why: what makes one item of work come after another one.
#include "analyzers/analysis/why.h"

#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostSteps = 10;  // that text shows of each end of a long way

const char* word_of(Why::Order order) {
  switch (order) {
    case Why::Order::all:
      return "all";
    case Why::Order::some:
      return "some";
    case Why::Order::none:
      return "none";
  }
  return "";
}

std::string name_of(const graph::Item& item) { return text_of(ItemName{item.work.record, item.work.submit}); }

std::string places_text(const Why::Need& need) {
  std::string out;
  for (const std::string& one : need.places) append(out, "{}{}", out.empty() ? "" : "; ", printable(one));
  return out;
}

void append_why_text(std::string& out, const GraphWalk& walk, const Why& why) {
  append_notes(out, why.totals, "");
  append(out, "first:  {}\nsecond: {}\n", item_text(walk, why.first), item_text(walk, why.second));
  if (why.data.empty()) {
    out += "data: nothing. The second does not need the first, not through others either.\n";
  } else {
    append(out, "data: the second needs the first{}\n", why.data.size() == 1 ? "" : " through others");
    for (std::size_t i = 0; i < why.data.size(); ++i) {
      if (why.data.size() > 2 * kMostSteps && i == kMostSteps) {
        i = why.data.size() - kMostSteps;
        append(out, "    ... {} more ...\n", plural(why.data.size() - 2 * kMostSteps, "step"));
      }
      const Why::Need& need = why.data[i];
      append(out, "    {} {} {}: {} {}\n", name_of(need.to), need.possible ? "may need" : "needs", name_of(need.from),
             kinds_text(need.kinds), places_text(need));
    }
  }
  switch (why.order) {
    case Why::Order::all:
      out += "synchronization: the program orders the first before the second\n";
      break;
    case Why::Order::some:
      out += "synchronization: the program orders a part of the first before a part of the second\n";
      break;
    case Why::Order::none:
      out += "synchronization: nothing. They may run at the same time, or the second before the first.\n";
      break;
  }
  for (const Why::Op& op : why.ops) append(out, "    {}\n", op.text);
  if (why.order == Why::Order::some) append(out, "    but not {}\n", why.unordered);
  if (!why.visible) return;
  switch (*why.visible) {
    case Why::Order::all:
      out += "visibility: the program makes visible to the second what the first wrote\n";
      return;
    case Why::Order::some:
      out += "visibility: the program makes visible only a part of what the first wrote\n";
      break;
    case Why::Order::none:
      out += "visibility: the program does not make visible to the second what the first wrote\n";
      break;
  }
  append(out, "    {}\n", why.invisible);
  for (const Why::Lack& lack : why.lacks) append(out, "    {}\n", lack.text);
}

void append_why_json(std::string& out, const GraphWalk& walk, const Why& why) {
  for (const graph::Item* const item : {&why.first, &why.second}) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "item");
    write_graph_item(json, walk, *item);
    json.end_object();
    out += '\n';
  }
  for (const Why::Need& need : why.data) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "reason");
    json.field("reason", "data");
    json.field("item", need.to.number);
    json.field("needs", need.from.number);
    write_kinds(json, need.kinds);
    json.field("grade", need.possible ? "possible" : "certain");
    json.key("places");
    json.begin_array();
    for (const std::string& one : need.places) json.string(one);
    json.end_array();
    json.end_object();
    out += '\n';
  }
  for (const Why::Op& op : why.ops) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "reason");
    json.field("reason", "synchronization");
    json.field("record", op.record);
    json.field("text", op.text);
    json.end_object();
    out += '\n';
  }
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "summary");
  json.field("data", !why.data.empty());
  json.field("synchronization", word_of(why.order));
  if (why.order != Why::Order::all) json.field("unordered", why.unordered);
  if (why.visible) json.field("visibility", word_of(*why.visible));
  if (!why.invisible.empty()) {
    json.field("invisible", why.invisible);
    json.key("lacks");
    json.begin_array();
    for (const Why::Lack& lack : why.lacks) {
      json.begin_object();
      json.field("record", lack.record);
      json.field("text", lack.text);
      json.end_object();
    }
    json.end_array();
  }
  write_notes(json, why.totals);
  json.end_object();
  out += '\n';
}

}  // namespace

Result<int> run_why(Arguments args) {
  AnalysisCommand command("why");
  std::string a, b;
  Cli cli("rondo why",
          "Says why one item of work comes after another one: the shortest way along what each needs of those before\n"
          "it, and what the program orders: barriers, events, semaphores, waits of the host. Needs no device.");
  command.add_to(cli, {"text", "jsonl"}, "of the answer (default text)");
  cli.positional("A", "an item of work, RECORD@SUBMIT as rondo graph prints it; RECORD is its first execution", a);
  cli.positional("B", "another one", b);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const auto first = ItemWanted::parse("A", a);
  if (!first) return tl::unexpected(first.error());
  const auto second = ItemWanted::parse("B", b);
  if (!second) return tl::unexpected(second.error());
  auto walk = command.open();
  if (!walk) return tl::unexpected(walk.error());
  const auto why = find_why(*walk, command.file(), *first, *second);
  if (!why) return tl::unexpected(why.error());

  Output out;
  std::string line;
  RONDO_TRY(command.write_first_row(out, *walk));
  (command.is_json() ? append_why_json : append_why_text)(line, *walk, *why);
  RONDO_TRY(command.finish(out, line, why->totals));
  return 0;
}

}  // namespace rondo::analyzers
