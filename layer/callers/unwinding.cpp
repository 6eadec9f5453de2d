// SPDX-License-Identifier: Apache-2.0
// What the unwinder asks for each frame. Where there are no tables for it, it would read the code there, to
// see whether a signal handler returns to it: a stack may end in an address that leads nowhere (a fiber's,
// made by hand), so that is not tried outside of what the dynamic linker has mapped. Where there are tables
// that need a register which is lost, it would read at any address. The linker leads the unwinder's calls
// here (--wrap); where that comes as a shared library (sanitizers) it reads.
#include <dlfcn.h>

#include "layer/callers/call_chains.h"
#include "layer/callers/lost_registers.h"

extern "C" const void* __real__Unwind_Find_FDE(void* place, void* bases);

extern "C" const void* __wrap__Unwind_Find_FDE(void* place, void* bases) {
  const void* const found = __real__Unwind_Find_FDE(place, bases);
  dl_find_object object;
  if (found != nullptr ? rondo::layer::needs_lost_register(found) : ::_dl_find_object(place, &object) != 0)
    rondo::layer::end_unwinding(reinterpret_cast<std::uintptr_t>(place));
  return found;
}
