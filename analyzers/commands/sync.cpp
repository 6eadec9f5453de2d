// SPDX-License-Identifier: Apache-2.0
// rondo sync: races, and synchronization that nothing needs.
#include <algorithm>
#include <optional>
#include <utility>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/commands/prove_player.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// All rules, or those of "race,too-wide".
Result<std::vector<bool>> rules_of(const char* option, const std::string& given, bool all_by_default) {
  std::vector<std::string> known;
  for (const SyncRule rule : kSyncRules) known.emplace_back(word_of(rule));
  std::vector<bool> wanted(static_cast<std::size_t>(SyncRule::ambiguous) + 1, given.empty() && all_by_default);
  // A semaphore that a barrier could replace is right, and programs may prefer it.
  wanted[static_cast<std::size_t>(SyncRule::replaceable)] = false;
  const auto words = parse_list(option, given, known);
  if (!words) return tl::unexpected(words.error());
  for (const std::string& word : *words)
    for (const SyncRule rule : kSyncRules)
      if (word == word_of(rule)) wanted[static_cast<std::size_t>(rule)] = true;
  return wanted;
}

// The findings that are printed.
std::vector<SyncFinding*> shown_of(SyncFindings& findings, const std::vector<bool>& wanted, std::uint64_t most) {
  std::vector<SyncFinding*> shown;
  for (SyncFinding& one : findings.all)
    if (wanted[static_cast<std::size_t>(one.rule)] && shown.size() < most) shown.push_back(&one);
  return shown;
}

}  // namespace

Result<int> run_sync(Arguments args) {
  AnalysisCommand command("sync");
  bool all = false;
  std::optional<std::string> rules, max, fail_on;
  Cli cli(
      "rondo sync",
      "Compares what the work of a capture needs with what the program orders by barriers, events, dependencies of\n"
      "subpasses, semaphores, fences and waits of the host. Prints races (nothing orders what must be ordered), and\n"
      "barriers that are ineffective, superfluous or too wide. By the specification, not by what a driver forgives.\n"
      "Needs no device, but for --prove.");
  command.add_to(cli, {"text", "jsonl"}, "of the rows (default text)");
  cli.value("--rules", "RULES",
            "only these, with commas between them: race, ineffective, superfluous, too-wide, replaceable (default\n"
            "all but replaceable)",
            rules);
  cli.flag("--all", "what is needed or replaceable, too, and what for", all);
  cli.value("--max", "N", "at most N findings (default all)", max);
  cli.value("--fail-on", "RULES", "status 5 if there is a finding of one of these rules", fail_on);
  SpanArguments span;
  span.add_to(cli);
  command.add_budgets_to(cli);
  ProveArguments proving;
  proving.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const std::string& file = command.file();
  auto wanted = rules_of("--rules", rules.value_or(""), true);
  if (!wanted) return tl::unexpected(wanted.error());
  if (rules && rules->empty()) return fail(Status::usage, "--rules names no rule");
  // An empty word would never fail a build.
  if (fail_on && fail_on->empty()) return fail(Status::usage, "--fail-on names no rule");
  const auto failing = rules_of("--fail-on", fail_on.value_or(""), false);
  if (!failing) return tl::unexpected(failing.error());
  const auto most = parse_count("--max", max, UINT64_MAX);
  if (!most) return tl::unexpected(most.error());
  RONDO_TRY(proving.check());
  const auto request = span.request();
  if (!request) return tl::unexpected(request.error());
  for (const SyncRule rule : {SyncRule::needed, SyncRule::unknown, SyncRule::ambiguous})
    (*wanted)[static_cast<std::size_t>(rule)] = all;
  if (all && !rules) (*wanted)[static_cast<std::size_t>(SyncRule::replaceable)] = true;
  RONDO_TRY(command.start());
  auto analysis = SyncAnalysis::of(file, *request);
  if (!analysis) return tl::unexpected(analysis.error());
  std::optional<prove::Proofs> proofs;
  if (proving.is_asked()) {
    auto made = proving.prove(file, *analysis, shown_of(analysis->findings(), *wanted, *most));
    if (!made) return tl::unexpected(made.error());
    proofs = std::move(*made);
  }

  Output out;
  std::string line;
  RONDO_TRY(command.write_first_row(out, analysis->walk()));
  std::vector<std::uint64_t> counts(wanted->size());
  std::uint64_t shown = 0;
  bool failed = false;
  const SyncFindings& findings = std::as_const(*analysis).findings();
  for (const SyncFinding& one : findings.all) {
    const auto rule = static_cast<std::size_t>(one.rule);
    counts[rule] += 1;
    failed = failed || (*failing)[rule];
    if (!(*wanted)[rule] || shown >= *most) continue;
    shown += 1;
    (command.is_json() ? append_sync_json : append_sync_text)(line, *analysis, one);
    out.write(line);
    line.clear();
    if (out.closed()) break;
  }
  if (command.is_json()) {
    JsonWriter json(line);
    json.begin_object();
    json.field("row", "summary");
    for (const SyncRule rule : kSyncRules) json.field(word_of(rule), counts[static_cast<std::size_t>(rule)]);
    json.field("superfluous_commands", findings.superfluous);
    json.field("operations", findings.operations);
    json.field("needed", findings.needed);
    json.field("unknown", findings.unknown);
    json.field("ambiguous", counts[static_cast<std::size_t>(SyncRule::ambiguous)]);
    json.field("shown", shown);
    write_notes(json, findings.totals);
    if (proofs) write_proofs(json, *proofs);
    json.end_object();
    line += '\n';
  } else {
    append_notes(line, findings.totals, "");
    line += "findings: ";
    for (const SyncRule rule : kSyncRules)
      append(line, "{}{} {}", rule == kSyncRules[0] ? "" : ", ", count_text(counts[static_cast<std::size_t>(rule)]),
             word_of(rule));
    append(line, " (by cause)\n{}: {} needed, {} superfluous, {} ineffective, {} unknown\n",
           plural(findings.operations, "synchronization command"), count_text(findings.needed),
           count_text(findings.superfluous),
           count_text(findings.operations - findings.needed - findings.superfluous - findings.unknown),
           count_text(findings.unknown));
    if (const std::uint64_t ambiguous = counts[static_cast<std::size_t>(SyncRule::ambiguous)]; ambiguous != 0)
      append(line, "{} with host writes that may be the device's own: no finding (--all shows them)\n",
             plural(ambiguous, "race"));
    if (proofs) append_proofs(line, *proofs);
  }
  RONDO_TRY(command.finish(out, line, findings.totals));
  if (!failed && fail_on && !findings.totals.cut.empty())
    return fail(Status::unreadable,
                text("{}: the capture is cut, so what --fail-on asks for may be in what it lacks", file));
  return failed ? static_cast<int>(Status::different) : 0;
}

}  // namespace rondo::analyzers
