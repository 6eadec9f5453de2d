// SPDX-License-Identifier: Apache-2.0
// Which commands and extensions this build records: `rondo info --coverage`.
#pragma once

#include <map>
#include <string>

#include "analyzers/read/capture_info.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// Of this build.
void append_coverage(std::string& out);
void write_coverage(JsonWriter& json);

// Of the commands that a capture uses: how many are of each class, and those
// that are not regular, with the reason.
void append_coverage_of(std::string& out, const std::map<std::string, CommandCount>& commands);
void write_coverage_of(JsonWriter& json, const std::map<std::string, CommandCount>& commands);

}  // namespace rondo::analyzers
