// SPDX-License-Identifier: Apache-2.0
// The rows of rondo export.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kExportFields[] = {
    {"export", "path", "the file that was written"},
    {"export", "bytes", "its size"},
    {"export", "text", "what it has, in words"},

    {"summary", "files", "export: files that were written"},
    {"summary", "calls", "export: calls of the host with times"},
};

}  // namespace

std::span<const RowField> export_row_fields() { return kExportFields; }

}  // namespace rondo::analyzers
