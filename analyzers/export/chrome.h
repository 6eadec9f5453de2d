// SPDX-License-Identifier: Apache-2.0
// Trace events of Chrome ("Trace Event Format", a JSON object): complete events for calls of the host and for the work
// of queues, flows from a submit to what it executes, and a counter of allocated memory. Items of a queue that overlap
// stand in lanes of their own.
#pragma once

#include <memory>
#include <string>

#include "analyzers/export/export.h"

namespace rondo::analyzers {

// Fails where the file cannot be made. `source` lives longer.
Result<std::unique_ptr<Exporter>> chrome_exporter(const ExportSource& source, const std::string& path);

}  // namespace rondo::analyzers
