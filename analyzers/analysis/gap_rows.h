// SPDX-License-Identifier: Apache-2.0
// Rows of gaps, as text and JSON lines. No device. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis/gap_replay.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

struct GapsWanted {
  double least_ns = 0;          // shorter ones have no row; the sums have them
  std::size_t most = SIZE_MAX;  // rows, the longest
};

// The gaps that have a row, the longest first; after these, those that only a replay has which is not paced.
std::vector<const Gap*> shown_gaps(const GapReplay& replay, const GapsWanted& wanted);

void append_gaps_text(std::string& out, const WorkNames& names, const GapReplay& replay, const GapsWanted& wanted);
// All rows but the first.
void append_gaps_json(std::string& out, const WorkNames& names, const GapReplay& replay, const GapsWanted& wanted);
// Of the first row, in the object that is open.
void write_gaps_head(JsonWriter& json, const GapReplay& replay);

}  // namespace rondo::analyzers
