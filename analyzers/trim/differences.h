// SPDX-License-Identifier: Apache-2.0
// Whether a cut that is written plays as its source does.
#pragma once

#include <cstdint>
#include <string>

#include "analyzers/trim/trim.h"

namespace rondo::trim {

// How many of its comparisons differ when `cut`, a closed file, is played on the devices of `options`.
Result<std::uint64_t> count_differences(const std::string& cut, const Options& options);

}  // namespace rondo::trim
