// SPDX-License-Identifier: Apache-2.0
// Ends of error sentences about a driver: a limit of this process that may be the reason, and what to do.
// Empty where there is no such limit.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::player {

// The driver could not be loaded, or made no instance or device. Looks for a manifest of a driver
// that is not there (VK_DRIVER_FILES), limits of address space and open files, and a sandbox.
std::string driver_hint();
// A call returned `result`. Looks for a limit of address space if that means that memory was missing.
std::string memory_hint(std::int64_t result);

}  // namespace rondo::player
