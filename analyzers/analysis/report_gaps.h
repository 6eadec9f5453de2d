// SPDX-License-Identifier: Apache-2.0
// What `rondo gaps` finds in a capture, for the page of `rondo report`. Needs a device. One thread.
#pragma once

#include "analyzers/analysis/report_section.h"
#include "player/options.h"

namespace rondo::analyzers {

// Fills what is missing in `section`: all but the command. `replay`: the file, the span, how often.
void gather_gaps(ReportSection& section, const player::Options& replay);

}  // namespace rondo::analyzers
