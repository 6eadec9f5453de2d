// SPDX-License-Identifier: Apache-2.0
// The cut that a capture asks for (docs/format.md, "cut_request"), done by `rondo trim`.
#pragma once

#include <optional>
#include <string>

#include "format/result.h"
#include "format/spans.h"

namespace rondo::analyzers {

// What the file's session asks for; nothing where it asks for nothing, or for what nobody understands.
Result<std::optional<SpanRequest>> requested_cut(const std::string& file);

// Puts the cut capture in the file's place. On failure the file is as it was, and the error is what
// `rondo trim` said. `program` is this one.
Result<void> perform_cut(const std::string& file, const SpanRequest& request,
                         const std::string& program = "/proc/self/exe");

}  // namespace rondo::analyzers
