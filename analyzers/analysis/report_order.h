// SPDX-License-Identifier: Apache-2.0
// The work graph of one frame, for the page of `rondo report`: its items, and what each needs of the others. No device.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzers/read/capture_info.h"
#include "format/result.h"
#include "format/spans.h"

namespace rondo::analyzers {

struct ReportOrder {
  static constexpr std::size_t kMostItems = 300, kMostEdges = 6'000;

  std::uint64_t frame = 0;
  std::string choice;  // why it is this frame
  std::string lines;   // rows for the page, a JSON object each: "order_item", "order_join", "order_need"
  std::uint64_t items = 0, shown = 0;  // of the frame; of these, in the rows
  std::uint64_t edges = 0, drawn = 0;  // that these have, from one to another; of these, in the rows
  std::uint64_t outside = 0;           // edges from items before the frame
  // Items on the longest way along what each needs, within the frame: no two of them can run at the same time.
  std::uint64_t longest = 0;
  std::string notes;  // what the capture lacks, a line each
  std::string error;  // why there is no graph; empty: there is one
};

// The frame that a page shows: the one that was asked for; else, of the frames of the span, one with as many commands
// as the median has. Status::usage: the capture does not have the frame that was asked for. `info` has rows of frames.
Result<ReportOrder> choose_frame(const CaptureInfo& info, const SpanRequest& span, std::optional<std::uint64_t> asked);

// Reads the capture until that frame is over. A capture that cannot be read gives an `error`.
void gather_order(ReportOrder& order, const std::string& file);

}  // namespace rondo::analyzers
