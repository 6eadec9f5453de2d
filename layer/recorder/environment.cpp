// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/environment.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace rondo::layer {

namespace {
std::atomic<char* const*> g_kept{nullptr};
}

void keep_environment(char* const* all) { g_kept.store(all, std::memory_order_release); }

const char* environment_of(const char* name) {
  char* const* all = g_kept.load(std::memory_order_acquire);
  if (all == nullptr) return std::getenv(name);
  const std::size_t length = std::strlen(name);
  for (; *all != nullptr; ++all)
    if (std::strncmp(*all, name, length) == 0 && (*all)[length] == '=') return *all + length + 1;
  return nullptr;
}

}  // namespace rondo::layer
