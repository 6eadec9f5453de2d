// SPDX-License-Identifier: Apache-2.0
// Amounts on command lines. An error says what is wrong with the text.
#pragma once

#include <cstddef>
#include <string>

#include "format/result.h"

namespace rondo::player {

// Seconds: a number above 0, and not beyond a clock.
Result<double> parse_seconds(const std::string& text);
// Bytes, of a number of MiB from 1 on.
Result<std::size_t> parse_mebibytes(const std::string& text);

}  // namespace rondo::player
