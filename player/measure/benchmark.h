// SPDX-License-Identifier: Apache-2.0
// --benchmark: a span as google-benchmark's rows. Only benchmark.cpp includes that library, and only the program
// player-benchmark links it; benchmark_elsewhere.cpp stands in its place everywhere else.
#pragma once

#include "player/play_span.h"

namespace rondo::player {

class Iterations;

// In the program player-benchmark nothing happens. Another program becomes it, or fails.
Result<void> become_benchmark_program(char** argv);

// Takes google-benchmark's own options, before anything is opened. Status::usage for those that
// it does not know.
Result<void> take_benchmark_flags(const std::vector<std::string>& flags);

// Rows in manual time (IterationTimes::work): `replay/frames:120:125`, `replay/scope:prefill`, and one
// for each time that such a scope is entered, `replay/scope:prefill#3`. The former have counters that are
// named as the report's times (seconds an iteration). Prints what its
// options ask for; `iterations` has begun.
Result<void> benchmark(const Options& options, Iterations& iterations, Outcome& outcome);

}  // namespace rondo::player
