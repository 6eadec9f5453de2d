// SPDX-License-Identifier: Apache-2.0
// What `rondo waves` finds in a capture, for the page of `rondo report`. No device. One thread.
#pragma once

#include <string>

#include "analyzers/analysis/measured_times.h"
#include "analyzers/analysis/report_section.h"
#include "format/spans.h"

namespace rondo::analyzers {

// `times`: of the items of the span; null: each counts 1. `words`: span and capture, as words of a command line.
ReportSection gather_waves(const std::string& file, const std::string& words, const SpanRequest& span,
                           const MeasuredTimes* times);

}  // namespace rondo::analyzers
