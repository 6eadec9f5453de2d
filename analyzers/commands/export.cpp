// SPDX-License-Identifier: Apache-2.0
// rondo export: a capture as files for other tools.
#include "analyzers/export/export.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/work_span.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/export/chakra.h"
#include "analyzers/export/chrome.h"
#include "analyzers/export/perfetto.h"
#include "analyzers/export/sqlite.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/file_digest.h"
#include "format/needed_files.h"

namespace rondo::analyzers {

namespace {

class AllExporters final : public GraphVisitor {
 public:
  AllExporters(const GraphWalk& walk, const WorkSpan& span, const MeasuredTimes& times,
               std::span<const std::unique_ptr<Exporter>> exporters)
      : walk_(walk), span_(span), times_(times), exporters_(exporters) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    if (!span_.contains(item.work, walk_)) return true;
    items_ += 1;
    const ExportedItem exported{item, needs, pieces, times_.of(item.work)};
    timed_ += exported.time != nullptr ? 1 : 0;
    for (const auto& exporter : exporters_) exporter->item(walk_, exported);
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override {
    for (const auto& exporter : exporters_) exporter->join(join, items);
  }
  std::uint64_t items() const { return items_; }
  std::uint64_t timed() const { return timed_; }

 private:
  const GraphWalk& walk_;
  const WorkSpan& span_;
  const MeasuredTimes& times_;
  const std::span<const std::unique_ptr<Exporter>> exporters_;
  std::uint64_t items_ = 0, timed_ = 0;
};

// The calls of the span, and what the capture says of its program.
Result<ExportSource> read_source(const std::string& file, const SpanRequest& request,
                                 const std::optional<std::string>& profile) {
  ExportSource source;
  source.file = file;
  const auto digest = digest_of_file(file);
  if (!digest) return tl::unexpected(digest.error());
  source.capture_digest = to_string(*digest);
  if (profile) {
    auto times = MeasuredTimes::read(*profile, source.capture_digest);
    if (!times) return tl::unexpected(times.error());
    source.times = std::move(*times);
    source.has_profile = true;
  }
  auto walk = GraphWalk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const auto span = WorkSpan::find(*walk, request);
  if (!span) return tl::unexpected(span.error());
  source.only_span = !span->is_whole();
  const auto contains = [&](std::uint64_t record) { return span->has(record, access::Executed::kNoSubmit, 0, *walk); };
  read_host_calls(
      walk->walk(),
      [&](const HostCall& call) {
        if (!contains(call.record)) return;
        if (source.calls.empty() || call.start_ns < source.first_ns) source.first_ns = call.start_ns;
        source.calls.push_back(call);
      },
      [&](const MemoryPoint& point) { source.memory.push_back(point); });
  const JsonText session = JsonText::merge(walk->walk().reader().sessions());
  source.program = session.string("/process/program").value_or(session.string("/application/name").value_or(""));
  return source;
}

// What the command line asks for.
struct Wanted {
  std::optional<std::string> perfetto, chrome, chakra, sqlite;
  bool host = false, order = false;
  std::string per = "device";

  Result<void> check(const std::optional<std::string>& profile) const {
    if (outputs().empty())
      return fail(Status::usage,
                  "name what to write: --perfetto FILE, --chrome FILE, --chakra PREFIX or --sqlite FILE (see rondo "
                  "export --help)");
    if (order && profile)
      return fail(Status::usage, "--order is for a capture without times, and --profile has times: leave one out");
    if (!chakra && (host || per != "device")) return fail(Status::usage, "--host and --per are of --chakra PREFIX");
    for (const auto& [option, name] : outputs()) {
      if (name.empty()) return fail(Status::usage, text("{} names no file", option));
      RONDO_TRY(check_output_name(name));
      for (const auto& [other, its_name] : outputs())
        if (other < option && its_name == name)
          return fail(Status::usage, text("{} and {} name the same file: {}", other, option, printable(name)));
    }
    return {};
  }
  // Option, and the file that it names.
  std::vector<std::pair<std::string, std::string>> outputs() const {
    std::vector<std::pair<std::string, std::string>> all;
    if (perfetto) all.emplace_back("--perfetto", *perfetto);
    if (chrome) all.emplace_back("--chrome", *chrome);
    if (sqlite) all.emplace_back("--sqlite", *sqlite);
    if (chakra) all.emplace_back("--chakra", chakra->empty() ? "" : *chakra + ".0.et");
    return all;
  }
  Result<std::vector<std::unique_ptr<Exporter>>> exporters(const ExportSource& source, const SpanRequest& span) const {
    std::vector<std::unique_ptr<Exporter>> all;
    const auto add = [&](Result<std::unique_ptr<Exporter>> made) -> Result<void> {
      if (!made) return tl::unexpected(made.error());
      all.push_back(std::move(*made));
      return {};
    };
    if (perfetto) RONDO_TRY(add(perfetto_exporter(source, *perfetto)));
    if (chrome) RONDO_TRY(add(chrome_exporter(source, *chrome)));
    if (sqlite) RONDO_TRY(add(sqlite_exporter(source, *sqlite, span)));
    if (chakra) all.push_back(chakra_exporter(source, {*chakra, host, per == "queue"}));
    return all;
  }
};

// No output is a capture, or another file that is read.
Result<void> check_outputs(const std::string& file, const std::vector<std::pair<std::string, std::string>>& outputs,
                           const std::optional<std::string>& profile) {
  auto capture = Walk::open(file);
  if (!capture) return tl::unexpected(capture.error());
  std::vector<NamedOutput> named;
  for (const auto& [option, name] : outputs) {
    RONDO_TRY(spare_captures(option.c_str(), file, name));
    named.push_back({NamedOutput::Kind::file, name, file});
  }
  RONDO_TRY(spare_needed_files(capture->reader(), named));
  if (profile) RONDO_TRY(spare_file("the profile", *profile, named));
  return {};
}

void append_file(std::string& out, const ExportedFile& file, bool as_json) {
  if (!as_json) {
    append(out, "{}: {}, {}\n", printable(file.path), size_text(file.bytes), file.text);
    return;
  }
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "export");
  json.field("path", file.path);
  json.field("bytes", file.bytes);
  json.field("text", file.text);
  json.end_object();
  out += '\n';
}

void append_end(std::string& out, const ExportSource& source, const GraphTotals& totals, const AllExporters& all,
                std::uint64_t files, bool as_json) {
  if (as_json) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "summary");
    json.field("files", files);
    json.field("items", all.items());
    json.field("timed", all.timed());
    json.field("calls", std::uint64_t{source.calls.size()});
    write_notes(json, totals);
    json.end_object();
    out += '\n';
    return;
  }
  append(out, "{}, {} with a time of the device; {} of the host with times\n", plural(all.items(), "item"),
         count_text(all.timed()), plural(source.calls.size(), "call"));
}

}  // namespace

Result<int> run_export(Arguments args) {
  AnalysisCommand command("export");
  Wanted wanted;
  std::optional<std::string> profile;
  SpanArguments span_arguments;
  Cli cli("rondo export",
          "Writes a capture as files that other tools read: a trace of Perfetto or of Chrome, execution traces of\n"
          "MLCommons Chakra, a database of SQLite. Needs no device. The times of the device come from rondo profile.");
  command.add_to(cli, {"text", "jsonl"}, "of what is printed about the files (default text)");
  cli.value("--perfetto", "FILE", "a trace of Perfetto, for ui.perfetto.dev", wanted.perfetto);
  cli.value("--chrome", "FILE", "the same as trace events of Chrome, in JSON", wanted.chrome);
  cli.value("--chakra", "PREFIX", "execution traces of Chakra: PREFIX.0.et, a file for each device", wanted.chakra);
  cli.value("--sqlite", "FILE", "a database of SQLite: records, objects, items, touches, needs, times, findings",
            wanted.sqlite);
  cli.value("--profile", "P.jsonl", "times of the device: the output of rondo profile --format jsonl", profile);
  cli.flag("--order", "without a profile: a microsecond for each item, so that the order is seen", wanted.order);
  cli.flag("--host", "of --chakra: nodes for the calls of the host, too", wanted.host);
  cli.choice("--per", {"device", "queue"}, "of --chakra: a file for each device (default), or for each queue",
             wanted.per);
  span_arguments.add_to(cli);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const std::string& file = command.file();
  RONDO_TRY(wanted.check(profile));
  const auto request = span_arguments.request();
  if (!request) return tl::unexpected(request.error());
  RONDO_TRY(command.start());
  RONDO_TRY(check_outputs(file, wanted.outputs(), profile));
  auto source = read_source(file, *request, profile);
  if (!source) return tl::unexpected(source.error());
  source->unit_times = wanted.order;
  auto exporters = wanted.exporters(*source, *request);
  if (!exporters) return tl::unexpected(exporters.error());
  auto walk = GraphWalk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const auto span = WorkSpan::find(*walk, *request);
  if (!span) return tl::unexpected(span.error());
  AllExporters all(*walk, *span, source->times, *exporters);
  auto totals = walk->run(all);
  if (!totals) return tl::unexpected(totals.error());
  walk->find_damage(*totals);

  Output out;
  std::string line;
  RONDO_TRY(command.write_first_row(out, *walk));
  if (!command.is_json()) append_notes(line, *totals, "");
  std::uint64_t files = 0;
  for (const auto& exporter : *exporters) {
    const auto made = exporter->finish(*walk, *totals);
    if (!made) return tl::unexpected(made.error());
    files += made->size();
    for (const ExportedFile& one : *made) append_file(line, one, command.is_json());
  }
  append_end(line, *source, *totals, all, files, command.is_json());
  RONDO_TRY(command.finish(out, line, *totals));
  return 0;
}

}  // namespace rondo::analyzers
