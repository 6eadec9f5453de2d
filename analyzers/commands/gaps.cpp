// SPDX-License-Identifier: Apache-2.0
// rondo gaps: when the queues of a device do nothing, and why.
#include <optional>
#include <string>

#include "analyzers/analysis/gap_replay.h"
#include "analyzers/analysis/gap_rows.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/job_argument.h"
#include "analyzers/options/loop_arguments.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"

namespace rondo::analyzers {

Result<int> run_gaps(Arguments args) {
  constexpr std::size_t kShownGaps = 30;  // of text, unless --max asks for others
  std::string format = "text";
  std::optional<std::string> least, most;
  LoopArguments loop(5);
  JobArgument job;
  Cli cli(
      "rondo gaps",
      "Says when the queues of a device do nothing, and why: the host had not submitted the work, it waits for a\n"
      "semaphore, or a barrier drains the queue. Plays the span on a device, once as fast as the player can, and then\n"
      "with each call no earlier than in the capture.");
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  cli.value("--min", "NS", "no rows for gaps shorter than NS nanoseconds (default 0)", least);
  cli.value("--max", "N", "the N longest gaps; of text 30 without this", most);
  job.add_to(cli);
  loop.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  RONDO_TRY(job.check());
  const bool is_json = format == "jsonl";
  const auto least_ns = parse_count("--min", least, 0);
  if (!least_ns) return tl::unexpected(least_ns.error());
  const auto shown = parse_count("--max", most, is_json ? SIZE_MAX : kShownGaps);
  if (!shown) return tl::unexpected(shown.error());
  const auto replay = loop.replay("rondo gaps", {});
  if (!replay) return tl::unexpected(replay.error());

  auto work = WorkWalk::open(replay->file);
  if (!work) return tl::unexpected(work.error());
  const auto found = replay_gaps(*work, *replay);
  if (!found) return tl::unexpected(found.error());
  const GapsWanted wanted{static_cast<double>(*least_ns), *shown};
  Output out;
  std::string words;
  if (is_json) {
    RONDO_TRY(write_head(out, *work, {"gaps", job.name(), found->devices, [&](JsonWriter& json) {
                                        write_gaps_head(json, *found);
                                        json.field("span", replay->span.text());
                                      }}));
    append_gaps_json(words, *work, *found, wanted);
  } else {
    append_gaps_text(words, *work, *found, wanted);
  }
  out.write(words);
  RONDO_TRY(out.finish());
  RONDO_TRY(work->walk().intact());
  return 0;
}

}  // namespace rondo::analyzers
