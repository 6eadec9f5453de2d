// SPDX-License-Identifier: Apache-2.0
// rondo info --short: a line for each of several captures.
#pragma once

#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

// Prints a line of fields with tabs between, or of JSON, for each file. A file that cannot be read gets an error line
// on standard error, and the others follow; the status is then the first such file's.
Result<int> print_short(const std::vector<std::string>& files, bool as_json);

}  // namespace rondo::analyzers
