// SPDX-License-Identifier: Apache-2.0
// `rondo info --draws`: what is executed, in order, or grouped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzers/analysis/groups.h"
#include "format/result.h"
#include "format/spans.h"

namespace rondo::analyzers {

struct DrawsWanted {
  SpanRequest span;
  GroupBy by = GroupBy::none;
  // of groups those with the most items; of items those that may touch the most bytes
  std::optional<std::uint64_t> top;
  bool as_json = false;  // JSON lines (rows.h)
  std::string job;       // that these carry; empty: none
};

// Prints to standard output.
Result<void> print_draws(const std::string& file, const DrawsWanted& wanted);

}  // namespace rondo::analyzers
