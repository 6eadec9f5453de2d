// SPDX-License-Identifier: Apache-2.0
// rondo who: all that writes and reads a resource.
#include <memory>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_uses.h"
#include "analyzers/analysis/resource_extent.h"
#include "analyzers/analysis/work_span.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

std::string numbers_text(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (const std::uint32_t one : numbers) append(out, "{}{}", out.empty() ? "" : ", ", one);
  return out;
}

void append_text(std::string& out, const GraphWalk& walk, const ResourceUses& uses, const graph::Item& item,
                 const ResourceUse& use) {
  append(out, "{}\n", item_text(walk, item));
  if (use.reads) {
    append(out, "    reads version{} {}:", use.versions.size() == 1 ? "" : "s", numbers_text(use.versions));
    for (const graph::Piece& piece : use.parts(false)) append(out, " {}", uses.piece_text(piece));
    out += '\n';
  }
  if (use.writes) {
    append(out, "    writes version {}:", use.version);
    for (const graph::Piece& piece : use.parts(true)) append(out, " {}", uses.piece_text(piece));
    out += '\n';
  }
  if (use.possible) out += "    may touch it: it touches what shares its memory\n";
}

void append_json(std::string& out, const GraphWalk& walk, const ResourceUses& uses, const graph::Item& item,
                 const ResourceUse& use) {
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "use");
  write_graph_item(json, walk, item);
  json.field("grade", use.pieces.empty() ? "possible" : "certain");
  if (use.reads) {
    json.key("reads_versions");
    json.begin_array();
    for (const std::uint32_t one : use.versions) json.unsigned_value(one);
    json.end_array();
  }
  if (use.writes) json.field("writes_version", use.version);
  json.key("touches");
  json.begin_array();
  for (const graph::Piece& piece : use.pieces) {
    json.begin_object();
    uses.write_piece(json, piece);
    json.field("reads", piece.reads);
    json.field("writes", piece.writes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out += '\n';
}

// Whether the capture makes an object of that name that nothing touches.
bool has_object(const GraphWalk& walk, const std::string& name) {
  const auto& objects = walk.objects().objects();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto id = static_cast<ObjectId>(i);
    const std::string* const given = walk.given_name(id);
    if (id != ObjectId::null && (walk.objects().name(id) == name || (given != nullptr && *given == name))) return true;
  }
  return false;
}

}  // namespace

Result<int> run_who(Arguments args) {
  AnalysisCommand command("who");
  std::string resource;
  SpanArguments span_arguments;
  Cli cli("rondo who",
          "Prints all items of work that touch a resource, in the order of execution: which part they read and write,\n"
          "and in which version. Each write makes a version, counted from 1; version 0 is what there was before. What\n"
          "touches the same bytes of memory by another resource is there, too. Needs no device.");
  command.add_to(cli, {"text", "jsonl"}, "of the rows (default text)");
  cli.positional("RESOURCE",
                 "VkBuffer#7, VkBuffer#7[0:64] for bytes 0 to 63, VkImage#3[mips 0:1 layers 2:4]; or the name that the "
                 "program gave it",
                 resource);
  span_arguments.add_to(cli);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const auto request = span_arguments.request();
  if (!request) return tl::unexpected(request.error());
  const auto wanted = ResourceWanted::parse(resource);
  if (!wanted) return tl::unexpected(wanted.error());
  RONDO_TRY(command.start());
  RONDO_TRY(check_part(command.file(), *wanted));
  auto walk = GraphWalk::open(command.file());
  if (!walk) return tl::unexpected(walk.error());
  const auto span = WorkSpan::find(*walk, *request);
  if (!span) return tl::unexpected(span.error());

  Output out;
  std::string line;
  std::uint64_t items = 0, shown = 0;
  RONDO_TRY(command.write_first_row(out, *walk));
  ResourceUses uses(*walk, *wanted, [&](const ResourceUses& from, const graph::Item& item, const ResourceUse& use) {
    items += 1;
    if (!span->contains(item.work, *walk)) return true;
    shown += 1;
    (command.is_json() ? append_json : append_text)(line, *walk, from, item, use);
    out.write(line);
    line.clear();
    return !out.closed();
  });
  auto totals = walk->run(uses);
  if (!totals) return tl::unexpected(totals.error());
  walk->find_damage(*totals);
  // It may be in what cannot be read.
  if (uses.resource() == ObjectId::null && !totals->damage.empty()) return fail(Status::unreadable, totals->damage);
  if (uses.resource() == ObjectId::null)
    return fail(Status::usage,
                text("{}: {} {}; rondo graph and rondo accesses name what is touched", command.file(),
                     has_object(*walk, wanted->name) ? "nothing touches" : "there is no", printable(wanted->name)));
  if (command.is_json()) {
    JsonWriter json(line);
    json.begin_object();
    json.field("row", "summary");
    json.field("resource", walk->objects().name(uses.resource()));
    json.field("items", items);
    json.field("shown", shown);
    json.field("versions", uses.versions());
    write_notes(json, *totals);
    json.end_object();
    line += '\n';
  } else {
    append_notes(line, *totals, "");
    append(line, "{}: {} in {}", printable(walk->name(uses.resource())), plural(uses.versions(), "version"),
           plural(items, "item"));
    if (shown != items) append(line, "; {} shown", count_text(shown));
    line += '\n';
  }
  RONDO_TRY(command.finish(out, line, *totals));
  return 0;
}

}  // namespace rondo::analyzers
