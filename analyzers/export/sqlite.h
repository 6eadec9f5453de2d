// SPDX-License-Identifier: Apache-2.0
// A database of SQLite with what a capture has: records, objects, items of work, what they touch and need, their times,
// and the findings of rondo sync. docs/rondo-export.md has the tables.
#pragma once

#include <memory>
#include <string>

#include "analyzers/export/export.h"
#include "format/spans.h"

namespace rondo::analyzers {

// Fails where the file cannot be made. `source` lives longer. `span`: of the findings; items are those that are told.
Result<std::unique_ptr<Exporter>> sqlite_exporter(const ExportSource& source, const std::string& path,
                                                  const SpanRequest& span);

}  // namespace rondo::analyzers
