// SPDX-License-Identifier: Apache-2.0
// The process's handler of SIGSEGV, in front of the program's.
#pragma once

#include <signal.h>

#include <cstdint>

namespace rondo::memory {

// Makes ours the handler, unless it is. `handle(address)` is asked about every write
// or read that memory's protection forbids; true: it can be tried again. Whatever
// else, and all other SIGSEGV, goes to the program's handler as if ours was not
// there: also one that it installed since. False: it cannot be had.
bool catch_faults(bool (*handle)(std::uintptr_t address)) noexcept;

// While it lives, this thread may fault on purpose, though the program blocks SIGSEGV on it.
class FaultsOpen {
 public:
  FaultsOpen() noexcept;
  ~FaultsOpen();
  FaultsOpen(const FaultsOpen&) = delete;
  FaultsOpen& operator=(const FaultsOpen&) = delete;

 private:
  sigset_t before_;
};

}  // namespace rondo::memory
