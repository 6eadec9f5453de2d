// SPDX-License-Identifier: Apache-2.0
// Catch2 2 (Debian 12) cannot skip. SKIP_SCENARIO ends the scenario and says why; the
// listener in main.cpp counts it apart.
#pragma once

#include <string>

namespace scenario {

std::string& skip_reason();  // of the running test case; empty: not skipped

}  // namespace scenario

#define SKIP_SCENARIO(reason)             \
  do {                                    \
    ::scenario::skip_reason() = (reason); \
    return;                               \
  } while (false)
