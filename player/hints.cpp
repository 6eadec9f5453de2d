// SPDX-License-Identifier: Apache-2.0
#include "player/hints.h"

#include <sys/resource.h>

#include "format/address_space.h"
#include "format/vulkan.h"
#include "player/sandbox/sandbox.h"

namespace rondo::player {

namespace {

// If a process may open few files, the loader cannot open the drivers. It then says that there are none.
std::string open_files_hint() {
  constexpr rlim_t kEnough = 64;  // a loader and a driver have a dozen open
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kEnough) return {};
  return "; no more than " + std::to_string(limit.rlim_cur) +
         " files may be open (ulimit -n), which may be too few: raise that limit";
}

}  // namespace

std::string driver_hint() { return address_space_hint() + open_files_hint() + sandbox_hint(); }

std::string memory_hint(std::int64_t result) {
  // A software driver's device memory is the process's.
  const bool is_missing = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return is_missing ? address_space_hint() : std::string();
}

}  // namespace rondo::player
