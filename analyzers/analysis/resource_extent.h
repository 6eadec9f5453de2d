// SPDX-License-Identifier: Apache-2.0
// Knows how large each resource of a capture is, so that a part that it does not have can be refused. No device. One
// thread.
#pragma once

#include <string>

#include "analyzers/analysis/graph_uses.h"
#include "format/result.h"

namespace rondo::analyzers {

// Where `wanted` names a part: Status::usage if no resource of that name has it; the error says what the resource has.
// A name that the capture does not have is no error here. Reads the file once, as far as it can be read.
Result<void> check_part(const std::string& file, const ResourceWanted& wanted);

}  // namespace rondo::analyzers
