// SPDX-License-Identifier: Apache-2.0
// What a replay took, iteration by iteration, as the player wrote it: its
// `--report`, or google-benchmark's JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

struct RunResults {
  enum class Kind : unsigned char { report, benchmark };

  struct Samples {
    std::string row;              // "replay", "replay/prefill#0", "replay/frames:120:125"
    std::string metric;           // one of metrics()
    bool is_whole;                // of the whole span, or of a benchmark of another program; else of a part of the span
    std::vector<double> seconds;  // of each iteration
  };

  std::string path;  // as messages have it
  Kind kind = Kind::report;
  std::vector<Samples> samples;  // in the order of the file
  // What has to be the same for a comparison to say something, by name: device, capture, …
  std::vector<std::pair<std::string, std::string>> circumstances;
  bool clamped_shaders = false;  // its shaders did more than the captured ones: player --clamp-shaders
  std::vector<std::string> warnings;
  std::vector<std::string> failures;  // a replay that did not end with status 0, a benchmark with an error
};

const std::vector<std::string>& metrics();  // "seconds", "span_seconds", "cpu_seconds", "gpu_seconds", "label_seconds"

// Status::unreadable where it is neither; the message names the file, and the
// byte or the member that is wrong. `name`: how messages call the file; empty: by its path.
Result<RunResults> read_run_results(const std::string& path, const std::string& name = {});

}  // namespace rondo::analyzers
