// SPDX-License-Identifier: Apache-2.0
// Plays a capture on the fake driver, in this process, within the budgets.
#pragma once

#include <string>
#include <string_view>

#include "format/result.h"

namespace rondo::fuzz {

inline constexpr std::string_view kViolation = "the fake driver was misused: ";

// Twice, the first time with verification where there is something to verify.
// A message that begins with kViolation: a call that no correct program makes.
Result<void> replay(const std::string& path, bool salvage);

}  // namespace rondo::fuzz
