// SPDX-License-Identifier: Apache-2.0
// What the fields of the rows of all analysis output mean (analysis/rows.h). `rondo help rows` prints them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace rondo::analyzers {

struct RowField {
  std::string_view row, name;
  std::string_view meaning;  // with its unit
};

// All fields: those of a row stand together, in the order in which the row has them. First those that
// each row has, then those of "analysis"; "summary" last.
std::vector<RowField> row_fields();

// The fields of some commands, in the same order. A row may have fields in several of these.
std::span<const RowField> common_row_fields();
std::span<const RowField> export_row_fields();
std::span<const RowField> gaps_row_fields();
std::span<const RowField> graph_row_fields();
std::span<const RowField> memory_row_fields();
std::span<const RowField> profile_row_fields();
std::span<const RowField> sync_row_fields();
std::span<const RowField> waves_row_fields();

}  // namespace rondo::analyzers
