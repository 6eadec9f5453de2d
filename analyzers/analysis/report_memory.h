// SPDX-License-Identifier: Apache-2.0
// What `rondo memory` finds in a capture, for the page of `rondo report`. No device. One thread.
#pragma once

#include <string>

#include "analyzers/analysis/report_section.h"

namespace rondo::analyzers {

// `shown_file`: the capture as a word of a command line.
ReportSection gather_memory(const std::string& file, const std::string& shown_file);

}  // namespace rondo::analyzers
