// SPDX-License-Identifier: Apache-2.0
// What this kernel offers for finding a program's writes (docs/memory.md).
// Asked once per process, early: both descriptors are kept, because a program
// may make itself undumpable (then /proc/self/pagemap cannot be opened again).
#pragma once

#include <memory>
#include <string>

namespace rondo::memory {

enum class Mechanism {
  alias,    // a memfd mapped twice, the program's mapping under asynchronous write-protect
  pagemap,  // asynchronous write-protect on somebody else's mapping
  guard,    // mprotect and a handler of SIGSEGV, on the program's mapping of a memfd or somebody else's
  shadow,   // the program gets a copy; what it writes goes to the device's memory at submits, and back after waits
  scan,     // comparing everything with the last known contents
};
const char* name(Mechanism mechanism) noexcept;  // the words of RONDO_MEMORY

class Kernel;  // layer/memory/kernel.h

// The answer of the self-test: a memfd is mapped twice, one byte is written
// through each mapping, and exactly the tracked mapping's page must show.
struct Facilities {
  bool alias = false;
  bool pagemap = false;
  std::string reason;  // why not both; empty when both work

  // For `rondo doctor`; the layer gets the same from Tracker. `may_touch`: `alias` is also true where touched
  // pages stand in for userfaultfd, as in captures with checkpoints of read-backs; `reason` says why then.
  static Facilities probe(bool may_touch = false) noexcept;
};

}  // namespace rondo::memory
