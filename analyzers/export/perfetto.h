// SPDX-License-Identifier: Apache-2.0
// A trace of Perfetto: GpuRenderStageEvents for the work of queues, so that overlap is kept; TrackEvents for the calls
// of each thread of the host; flows from a submit to what it executes; a counter of allocated memory.
#pragma once

#include <memory>
#include <string>

#include "analyzers/export/export.h"

namespace rondo::analyzers {

// Fails where the file cannot be made. `source` lives longer.
Result<std::unique_ptr<Exporter>> perfetto_exporter(const ExportSource& source, const std::string& path);

}  // namespace rondo::analyzers
