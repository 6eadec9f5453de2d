// SPDX-License-Identifier: Apache-2.0
#include "player/hints.h"

#include "format/address_space.h"
#include "format/vulkan.h"
#include "player/sandbox/sandbox.h"

namespace rondo::player {

std::string driver_hint() { return address_space_hint() + sandbox_hint(); }

std::string memory_hint(std::int64_t result) {
  // A software driver's device memory is the process's.
  const bool is_missing = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return is_missing ? address_space_hint() : std::string();
}

}  // namespace rondo::player
