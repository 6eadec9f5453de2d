// SPDX-License-Identifier: Apache-2.0
// No tool overwrites a file that its capture needs (RONDO_FILES=reference): nothing would bring it back.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "format/outputs.h"
#include "format/reader.h"
#include "format/result.h"

namespace rondo {

// Each tool calls this with all of its outputs before it writes anything. Error (Status::usage): an output is a
// file that the capture needs, by its name in the capture or by where --file-remap says that it lies now. No file
// is opened: also a file that may not be read is not overwritten.
Result<void> spare_needed_files(const Reader& capture, std::span<const NamedOutput> outputs);
// Likewise for another file that the tool reads: `what` ("the shader") says in the message what it is.
Result<void> spare_file(std::string_view what, const std::string& file, std::span<const NamedOutput> outputs);

}  // namespace rondo
