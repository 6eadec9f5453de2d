// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/row_fields/row_fields.h"

#include <algorithm>

namespace rondo::analyzers {

std::vector<RowField> row_fields() {
  std::vector<RowField> all;
  std::vector<std::string_view> rows;  // in the order in which they are first named
  for (const std::span<const RowField> fields :
       {common_row_fields(), graph_row_fields(), memory_row_fields(), profile_row_fields(), gaps_row_fields(),
        sync_row_fields(), waves_row_fields(), export_row_fields()})
    for (const RowField& field : fields) {
      all.push_back(field);
      if (std::find(rows.begin(), rows.end(), field.row) == rows.end()) rows.push_back(field.row);
    }
  const auto place = [&](const RowField& field) {
    return field.row == "summary" ? rows.end() : std::find(rows.begin(), rows.end(), field.row);
  };
  std::stable_sort(all.begin(), all.end(), [&](const RowField& a, const RowField& b) { return place(a) < place(b); });
  return all;
}

}  // namespace rondo::analyzers
