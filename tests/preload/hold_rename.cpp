// SPDX-License-Identifier: Apache-2.0
// Preloaded into rondo: where it is to rename a file to a name that ends with HOLD_RENAME, the process stops, and once
// it goes on, this call never ends.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" __attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  const char* held = std::getenv("HOLD_RENAME");
  if (held != nullptr && std::string_view(to).ends_with(held)) {
    ::raise(SIGSTOP);
    for (;;) ::pause();
  }
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
