// SPDX-License-Identifier: Apache-2.0
#include "player/devices/hints.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "format/address_space.h"
#include "format/printable.h"
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

// A variable names manifests of drivers for the loader, and one of them does not exist.
std::string manifest_hint() {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const files = std::getenv(variable);
    if (files == nullptr) continue;
    const std::string all(files);
    for (std::size_t from = 0; from <= all.size();) {
      const std::size_t to = std::min(all.find(':', from), all.size());
      const std::string file = all.substr(from, to - from);
      if (!file.empty() && ::access(file.c_str(), F_OK) != 0)
        return "; " + std::string(variable) + " names " + printable(file) + ", which is not there";
      from = to + 1;
    }
    break;  // the loader ignores the other one
  }
  return {};
}

}  // namespace

std::string driver_hint() {
  const std::string manifest = manifest_hint();
  return manifest.empty() ? address_space_hint() + open_files_hint() + sandbox_hint() : manifest;
}

std::string memory_hint(std::int64_t result) {
  // A software driver's device memory is the process's.
  const bool is_missing = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return is_missing ? address_space_hint() : std::string();
}

}  // namespace rondo::player
