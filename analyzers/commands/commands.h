// SPDX-License-Identifier: Apache-2.0
// The subcommands of `rondo`, one file each. Each returns the status to exit
// with; an error is printed by main as the one line `rondo: …`.
#pragma once

#include <span>
#include <string>

#include "format/result.h"

namespace rondo::analyzers {

using Arguments = std::span<const std::string>;  // after the subcommand's name

Result<int> run_accesses(Arguments args);
Result<int> run_capture(Arguments args);
Result<int> run_diff(Arguments args);
Result<int> run_export(Arguments args);
Result<int> run_extract(Arguments args);
Result<int> run_graph(Arguments args);
Result<int> run_finish(Arguments args);
Result<int> run_gaps(Arguments args);
Result<int> run_info(Arguments args);
Result<int> run_dump(Arguments args);
Result<int> run_doctor(Arguments args);
Result<int> run_play(Arguments args);
Result<int> run_compare_runs(Arguments args);
Result<int> run_measure(Arguments args);
Result<int> run_memory(Arguments args);
Result<int> run_pack(Arguments args);
Result<int> run_profile(Arguments args);
Result<int> run_report(Arguments args);
Result<int> run_redact(Arguments args);
Result<int> run_recompress(Arguments args);
Result<int> run_verify(Arguments args);
Result<int> run_trim(Arguments args);
Result<int> run_trigger(Arguments args);
Result<int> run_waves(Arguments args);
Result<int> run_who(Arguments args);
Result<int> run_sync(Arguments args);
Result<int> run_why(Arguments args);
Result<int> run_help(Arguments args);

inline constexpr int kLauncherError = 125;  // as env(1), timeout(1), …
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

}  // namespace rondo::analyzers
