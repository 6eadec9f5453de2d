// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_sync.h"

#include <map>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/sync_findings.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/text/access_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

template <class Fill>
void add_row(std::string& lines, const char* kind, const Fill& fill) {
  JsonWriter json(lines);
  json.begin_object();
  json.field("row", kind);
  fill(json);
  json.end_object();
  lines += '\n';
}

bool has_race(const SyncFinding& finding) {
  return finding.rule == SyncRule::race || finding.rule == SyncRule::ineffective;
}

// Says why both commands of a race come in their order, or do not. Empty: they are in one item of work.
std::string why_command(const SyncFinding& finding, const std::string& shown_file) {
  if (!has_race(finding) || finding.race.is_one_pass) return {};
  const auto& from = finding.race.from.executed;
  const auto& to = finding.race.to.executed;
  if (from.record == to.record && from.submit == to.submit) return {};
  if (finding.race.hazards == graph::kLifetime) return {};
  return text("rondo why {} {} {}", shown_file, text_of({from.record, from.submit}), text_of({to.record, to.submit}));
}

// What the rows of `rondo sync` do not say: places in words, the layouts of its barriers, and a command for more.
void add_more(std::string& lines, const SyncAnalysis& analysis, const SyncFinding& finding,
              const std::string& shown_file) {
  add_row(lines, "sync_more", [&](JsonWriter& json) {
    json.field("id", finding.id);
    if (const std::string command = why_command(finding, shown_file); !command.empty()) json.field("command", command);
    if (has_race(finding)) {
      json.key("places");
      json.begin_array();
      for (const std::string& one : finding.race.words) json.string(one);
      if (finding.race.more_places != 0) json.string(text("and {}", plural(finding.race.more_places, "other range")));
      json.end_array();
    }
    if (finding.rule == SyncRule::race) return;
    json.key("layouts");
    json.begin_array();
    for (const model::Barrier& one : analysis.sync(finding.sync).barriers) {
      const bool changes = one.kind == model::Barrier::Kind::image && one.old_layout != one.new_layout;
      json.string(changes ? text("{} → {}", layout_word(one.old_layout), layout_word(one.new_layout)) : std::string());
    }
    json.end_array();
  });
}

std::string sentence_of(const SyncFindings& findings, std::uint64_t races) {
  std::string out = findings.totals.is_partial() ? "As far as the capture could be read: " : "";
  if (findings.operations == 0)
    out += "the program has no barrier, event, subpass dependency, semaphore or wait";
  else
    append(out, "{}: {} needed, {} superfluous, {} of unknown purpose",
           plural(findings.operations, "synchronization command"), count_text(findings.needed),
           count_text(findings.superfluous), count_text(findings.unknown));
  append(out, "; {}.", races == 0 ? std::string("no race was found") : plural(races, "race") + " by cause");
  if (out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

}  // namespace

ReportSync gather_sync(const std::string& file, const std::string& shown_file) {
  ReportSync made;
  const auto analysis = SyncAnalysis::of(file);
  if (!analysis) {
    made.error = analysis.error().message;
    return made;
  }
  const SyncFindings& findings = analysis->findings();
  std::map<SyncRule, std::uint64_t> counts;
  std::uint64_t found = 0, shown = 0;
  for (const SyncFinding& one : findings.all) {
    if (one.rule >= SyncRule::replaceable) continue;
    counts[one.rule] += 1;
    found += 1;
    if (shown >= ReportSync::kMostFindings) continue;
    shown += 1;
    append_sync_json(made.lines, *analysis, one);
    add_more(made.lines, *analysis, one, shown_file);
  }
  std::string notes;
  append_notes(notes, findings.totals, "");
  add_row(made.lines, "sync_summary", [&](JsonWriter& json) {
    json.key("rules");
    json.begin_object();
    for (const auto& [rule, count] : counts) json.field(word_of(rule), count);
    json.end_object();
    json.field("findings", found);
    json.field("shown", shown);
    json.field("operations", findings.operations);
    json.field("needed", findings.needed);
    json.field("superfluous", findings.superfluous);
    json.field("unknown", findings.unknown);
    json.field("notes", notes);
    json.field("command", text("rondo sync {}", shown_file));
  });
  made.sentence = sentence_of(findings, counts[SyncRule::race]);
  return made;
}

}  // namespace rondo::analyzers
