// SPDX-License-Identifier: Apache-2.0
// For the end of a sentence about what a driver did not do: what of this process may be the reason, and what
// to do. Empty: nothing that is known.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::player {

// Of a driver that could not be loaded or asked, or made no instance or device: a limit of address space, the
// sandbox.
std::string driver_hint();
// Of a call that returned `result`: a limit of address space, where memory was missing.
std::string memory_hint(std::int64_t result);

}  // namespace rondo::player
