// SPDX-License-Identifier: Apache-2.0
// --benchmark: a span as google-benchmark's rows. That library stays behind
// benchmark.cpp.
#pragma once

#include "player/play_span.h"

namespace rondo::player {

class Iterations;

// Takes google-benchmark's own options, before anything is opened. Status::usage for those that
// it does not know.
Result<void> take_benchmark_flags(const std::vector<std::string>& flags);

// Rows in manual time (IterationTimes::work): `replay/frames:120:125`, `replay/scope:prefill`, and one
// for each time that such a scope is entered, `replay/scope:prefill#3`. The former have counters that are
// named as the report's times (seconds an iteration). Prints what its
// options ask for; `iterations` has begun.
Result<void> benchmark(const Options& options, Iterations& iterations, Outcome& outcome);

}  // namespace rondo::player
