// SPDX-License-Identifier: Apache-2.0
// rondo waves: what could execute together, and what makes the program's order longer than what its data needs.
#include "analyzers/analysis/waves.h"

#include <optional>

#include "analyzers/analysis/measured_times.h"
#include "analyzers/analysis/waves_rows.h"
#include "analyzers/commands/analysis_command.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "format/file_digest.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostOfText = 20;  // rows of each kind, unless --max asks for others

}  // namespace

Result<int> run_waves(Arguments args) {
  AnalysisCommand command("waves");
  WaveRowsWanted wanted;
  std::optional<std::string> profile, max;
  SpanArguments span;
  Cli cli("rondo waves",
          "Says which work of a capture could execute together because none of it needs the other (a wave), and what\n"
          "the program lets execute together (a region). Prints the longest path that the data forces and the longest\n"
          "one that the program orders, and the synchronization that costs most on it. Needs no device.");
  command.add_to(cli, {"text", "jsonl"}, "of the rows (default text)");
  cli.value("--profile", "ROWS", "times of the items: what rondo profile --format jsonl printed of this capture",
            profile);
  cli.flag("--partition",
           "also the longest runs of device work without the host, why each ends, and waits after which the host used "
           "nothing",
           wanted.partition);
  cli.value("--max", "N", "at most N rows of each kind (default: text 20, jsonl all)", max);
  span.add_to(cli);
  command.add_budgets_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  RONDO_TRY(command.check());
  wanted.as_json = command.is_json();
  const auto most = parse_count("--max", max, wanted.as_json ? SIZE_MAX : kMostOfText);
  if (!most) return tl::unexpected(most.error());
  wanted.most = *most;
  const auto request = span.request();
  if (!request) return tl::unexpected(request.error());
  if (profile && profile->empty()) return fail(Status::usage, "--profile ROWS is empty: name a file");
  auto names = command.open();
  if (!names) return tl::unexpected(names.error());
  std::optional<MeasuredTimes> times;
  if (profile) {
    const auto digest = digest_of_file(command.file());
    if (!digest) return tl::unexpected(digest.error());
    auto read = MeasuredTimes::read(*profile, to_string(*digest));
    if (!read) return tl::unexpected(read.error());
    times = std::move(*read);
  }
  const auto waves = Waves::of(command.file(), *request, times ? &*times : nullptr);
  if (!waves) return tl::unexpected(waves.error());

  Output out;
  std::string words;
  RONDO_TRY(command.write_first_row(out, *names));
  RONDO_TRY(append_waves(words, *waves, *names, wanted));
  out.write(words);
  std::string last;
  append_wave_summary(last, *waves, wanted);
  RONDO_TRY(command.finish(out, last, waves->totals()));
  return 0;
}

}  // namespace rondo::analyzers
