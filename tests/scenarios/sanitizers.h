// SPDX-License-Identifier: Apache-2.0
// What sanitizers say in the programs that scenarios start. A report on stderr
// of a captured program, of a layer in it, or of a player that is expected to
// fail would go unnoticed: each goes to a file, and any file is a failure.
#pragma once

#include <string>

namespace scenario {

// Whether this build's programs are: its tests then leave out what a sanitizer's runtime does not take.
#ifdef RONDO_SANITIZER_RUNTIME
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Tells the children of this process where to report. Before the first of them.
void collect_sanitizer_reports();

// What they reported since the last call, and nothing if all is well.
std::string take_sanitizer_reports();

}  // namespace scenario
