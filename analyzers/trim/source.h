// SPDX-License-Identifier: Apache-2.0
// The capture that is cut, and where the cut goes.
#pragma once

#include <cstdint>
#include <memory>

#include "analyzers/trim/trim.h"
#include "format/reader.h"

namespace rondo::trim {

// With a budget that holds what is needed at once, and no more: several readers live side by side.
Result<std::unique_ptr<Reader>> open_reader(const Options& options);

// Bytes of the records of [first, last), at least.
std::uint64_t bytes_of_records(const Options& options, std::uint64_t first, std::uint64_t last);

// An error where the cut cannot be written, or would overwrite a file that the capture needs. Before
// anything is played.
Result<void> check_output(const Options& options);

}  // namespace rondo::trim
