// SPDX-License-Identifier: Apache-2.0
// rondo finish: index and footer for the capture of a process that died.
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/read/summary.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/reader.h"
#include "player/trust.h"

namespace rondo::analyzers {

Result<int> run_finish(Arguments args) {
  std::string file;
  bool trust_option = false;
  Cli cli("rondo finish",
          "Closes a capture that was cut because its program died: compresses the open chunks and writes\n"
          "index and footer, in place. A capture that is complete is left as it is.");
  cli.positional("FILE", "the capture", file);
  cli.flag("--trust", "you recorded it here yourself: from now on player, trim and extract trust it", trust_option);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  const player::Trust trust = player::trust_of(file, trust_option);
  const auto changed = finish_capture(file, 0);
  if (!changed) return tl::unexpected(changed.error());
  if (trust_option)
    RONDO_TRY(player::add_trusted(file));
  else if (trust == player::Trust::trusted)
    trust_written(file);
  const auto summary = summarize(file);
  if (!summary) return tl::unexpected(summary.error());
  Output out;
  constexpr const char* kComplete =
      "was complete already: nothing to do; its contents were not checked, which rondo info does";
  out.line(text("{} ({})", summary_line(file, *summary), *changed ? "finished" : kComplete));
  if (*changed)
    if (const std::string missing = missing_data(file); !missing.empty()) out.line(missing);
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
