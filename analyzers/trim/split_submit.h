// SPDX-License-Identifier: Apache-2.0
// A capture up to a submit, which is made two: the step between a capture and a cut of some draws of it.
#pragma once

#include <functional>
#include <string>

#include "analyzers/trim/draws.h"

namespace rondo::trim {

struct Split {
  std::uint64_t submit = 0;  // of the step: that with the draws
  std::string source_id;     // of the capture
  std::uint64_t record = 0;  // of the capture: the submit
  std::uint64_t checks = 0;  // parts of images and buffers that are compared behind the draws
  std::uint64_t bytes = 0;   // of the capture
};

// Writes `step`. `options`: of the cut.
Result<Split> split_submit(const Options& options, const DrawRange& draws, const std::string& step);

}  // namespace rondo::trim
