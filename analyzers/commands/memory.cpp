// SPDX-License-Identifier: Apache-2.0
// rondo memory: bytes over time, what each buffer and image is for, and how little memory would do.
#include <algorithm>
#include <optional>
#include <vector>

#include "analyzers/analysis/memory_rows.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

Result<int> run_memory(Arguments args) {
  AnalysisCommand command("memory");
  MemoryWanted wanted;
  MemoryUseOptions options;
  std::optional<std::string> max, fail_on;
  Cli cli(
      "rondo memory",
      "Prints how many bytes of each heap are allocated, bound and live at most and who has them then, what each\n"
      "buffer and image is for (constant, staging, transient, ...), advice, and how little memory would do if what\n"
      "is never live at the same time shared bytes. Needs no device.");
  command.add_to(cli, {"text", "jsonl"}, "of the rows (default text)");
  cli.flag("--classes", "also each buffer and image, with its class, and who writes and reads it", wanted.classes);
  cli.flag("--pack", "also the place of each buffer and image in a packed block, and what cannot move and why",
           wanted.pack);
  cli.flag("--timeline", "also the bytes from record to record", wanted.timeline);
  cli.flag("--certain",
           "contents end only where all of them are surely replaced; else a shader's write replaces all that it "
           "touches, unless it reads it, too",
           options.certain);
  cli.value("--max", "N", "at most N of each list (default 10; in JSON lines all)", max);
  cli.value("--fail-on", "RULES",
            "status 5 if there is advice of one of these rules, with commas between them: dead, unused,\n"
            "host-constant, transient-attachment, unread-store, undefined-load, unshared, unused-usage",
            fail_on);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  const auto most = parse_count("--max", max, command.is_json() ? UINT64_MAX : 10);
  if (!most) return tl::unexpected(most.error());
  wanted.most = *most;
  // An empty word would never fail a build.
  if (fail_on && fail_on->empty()) return fail(Status::usage, "--fail-on names no rule");
  std::vector<std::string> known;
  for (const MemoryRule rule : kMemoryRules) known.emplace_back(word_of(rule));
  const auto failing = parse_list("--fail-on", fail_on.value_or(""), known);
  if (!failing) return tl::unexpected(failing.error());
  RONDO_TRY(command.start());
  auto analysis = MemoryAnalysis::of(command.file(), options);
  if (!analysis) return tl::unexpected(analysis.error());
  const MemoryPacking packing = pack_memory(analysis->uses());
  std::optional<MemoryPacking> overlapping;
  if (analysis->uses().is_on_several_queues()) overlapping = pack_memory(analysis->uses(), true);

  Output out;
  std::string lines;
  RONDO_TRY(command.write_first_row(out, analysis->walk()));
  const MemoryRows rows(*analysis, wanted, command.is_json());
  rows.peaks(lines);
  if (wanted.timeline) rows.timeline(lines);
  rows.classes(lines);
  rows.advice(lines);
  if (wanted.pack) {
    rows.packing(lines, packing, false);
    rows.stays(lines, packing);
    if (overlapping) rows.packing(lines, *overlapping, true);
  }
  out.write(lines);
  lines.clear();
  rows.summary(lines, packing, overlapping ? &*overlapping : nullptr);
  RONDO_TRY(command.finish(out, lines, analysis->totals()));
  const auto fails = [&](const MemoryAdvice& one) {
    return std::find(failing->begin(), failing->end(), word_of(one.rule)) != failing->end();
  };
  if (std::any_of(analysis->advice().begin(), analysis->advice().end(), fails))
    return static_cast<int>(Status::different);
  if (fail_on && !analysis->totals().cut.empty())
    return fail(Status::unreadable,
                text("{}: the capture is cut, so what --fail-on asks for may be in what it lacks", command.file()));
  return 0;
}

}  // namespace rondo::analyzers
