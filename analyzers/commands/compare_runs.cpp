// SPDX-License-Identifier: Apache-2.0
// rondo compare-runs: is a replay slower than it was? CI's gate.
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/comparison_arguments.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

Result<Side> read_side(const std::vector<std::string>& files) {
  Side side;
  for (const std::string& file : files) {
    auto results = read_run_results(file);
    if (!results) return tl::unexpected(results.error());
    side.push_back(std::move(*results));
  }
  return side;
}

}  // namespace

Result<int> run_compare_runs(Arguments args) {
  std::vector<std::string> old_files, new_files;
  ComparisonArguments comparing("rondo compare-runs");
  Cli cli("rondo compare-runs",
          "Says whether what replays took is slower than it was: of reports of player (--report, with "
          "--loop) or of\n"
          "google-benchmark's JSON files, one a side, or several with -- between. Each row by a confidence "
          "interval of\n"
          "NEW's times by OLD's.");
  cli.sides("OLD.json", "NEW.json", "what replays took, before and now", old_files, new_files);
  comparing.add_to(cli);
  cli.footer(
      "Exit: 0 nothing is slower, 5 a row that gates is, or is missing in NEW, or NEW is of a replay that "
      "failed,\n"
      "2 nothing could be compared or wrong usage, 3 a file is no such result.");
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  const auto rules = comparing.rules();
  if (!rules) return tl::unexpected(rules.error());
  const std::string subject = text("{} and {}", listed(old_files), listed(new_files));
  const auto before = read_side(old_files);
  if (!before) return comparing.print_error(subject, before.error());
  const auto after = read_side(new_files);
  if (!after) return comparing.print_error(subject, after.error());
  return comparing.print(*before, *after, *rules);
}

}  // namespace rondo::analyzers
