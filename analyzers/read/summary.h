// SPDX-License-Identifier: Apache-2.0
// A capture in one line, without decoding parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/read/hidden.h"
#include "format/reader.h"
#include "format/result.h"

namespace rondo::analyzers {

struct Summary {
  std::uint64_t file_bytes = 0;
  std::uint64_t calls = 0;        // of the program: neither the layer's own nor voided numbers
  std::uint64_t frames = 0;       // presents
  std::uint64_t submits = 0;      // batches
  std::uint64_t checkpoints = 0;  // records of them: what `player --verify` compares
  std::uint64_t first_ns = 0;     // CLOCK_MONOTONIC; both 0: nothing was timed
  std::uint64_t last_ns = 0;
  bool unsure_ends = false;          // a rondoWorkEnded is unsure: host writes may be undated (undated_writes.h)
  std::uint64_t last_record = 0;     // the highest sequence number
  bool made_device = false;          // a vkCreateDevice succeeded
  std::vector<std::string> devices;  // names of those that logical devices were made of, each once
  std::vector<HiddenThing> hidden;
  bool stopped = false;  // the recorder stopped before the program did
};
Result<Summary> summarize(const std::string& path);
Result<Summary> summarize(Reader& reader);  // whose records were not read yet

// "vkcube-12.rondo: 54.0 KiB, 4,310 calls, 300 frames, 3.21 s"
std::string summary_line(const std::string& path, const Summary& summary);

}  // namespace rondo::analyzers
