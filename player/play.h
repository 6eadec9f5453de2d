// SPDX-License-Identifier: Apache-2.0
// A whole replay as the command line asks for it: load, check, resolve,
// preflight, lower, run, tell.
#pragma once

#include <string>
#include <vector>

#include "format/result.h"
#include "player/legal/shader_checks.h"
#include "player/measure/counters.h"
#include "player/measure/times.h"
#include "player/options.h"
#include "player/plan/plan.h"
#include "player/plan/replace.h"
#include "player/run/run.h"
#include "player/trust.h"
#include "player/verify/observer.h"

namespace rondo::player {

// What a replay came to, as far as it got: the report is made of this.
struct Outcome {
  Status status = Status::ok;
  std::string error;                     // empty when status is ok
  std::vector<std::string> error_lines;  // Error::lines
  std::string capture_id;                // 32 hex digits; empty when the file could not be read
  std::string capture_digest;            // of the file, XXH3-128; empty: nobody asked for it
  std::uint64_t file_bytes = 0;
  Trust trust = Trust::foreign;
  bool sandboxed = false;
  std::vector<std::string> devices;  // name and driver, by captured device
  bool salvaged = false;
  std::vector<Replaced> replaced;
  ShaderReport shaders;
  PlanCounts planned;
  RunCounts played;                                 // of the last iteration
  std::string span;                                 // as asked for
  std::uint64_t first_record = 0, last_record = 0;  // that are played of it
  std::optional<LastSubmit> last_submit;            // of the last iteration
  RunCounts in_span;                                // of one iteration; of whole runs `played`
  std::vector<IterationTimes> iterations;
  IntervalTimes intervals;
  std::vector<double> paced_seconds;     // of Options::paced: HostTimes::seconds() of each iteration, …
  double captured_seconds = 0;           // … and captured_seconds()
  double timestamp_ns = 0;               // likewise: of a tick
  std::uint64_t left_out_times = 0;      // of Options::times: CommandTimes::left_out()
  std::uint64_t in_own_queries = 0;      // likewise CommandTimes::in_own_queries()
  bool counts_statistics = false;        // a device has pipelineStatisticsQuery
  CounterChoice counters;                // what Options::counters chose
  std::vector<Counter> listed_counters;  // of Options::list_counters
  std::vector<std::string> rows;         // of --benchmark: for which one each iteration was played
  std::uint64_t bytes_kept = 0;          // what a loop puts back
  Verification verification;
  bool verified = false;       // --verify was asked for and carried out
  std::optional<Again> again;  // something differed, and a second replay was made
  std::uint64_t screenshots = 0;
  std::vector<std::string> differences;  // lines of DifferencePictures
  std::uint64_t shown = 0;               // images, in windows
  std::vector<std::string> validation_messages;
  bool may_report = true;     // false: an output is a file that the capture needs, and nothing is written
  bool left_running = false;  // the driver still works: leave by _exit

  Error as_error() const { return {status, error, error_lines}; }
};

// Prints to stdout unless quiet; errors are the caller's to print.
Outcome play(const Options& options);

// nlohmann-json stays behind report.cpp.
Result<void> write_report(const std::string& path, const Options& options, const Outcome& outcome);

}  // namespace rondo::player
