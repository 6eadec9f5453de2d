// SPDX-License-Identifier: Apache-2.0
// Calls of one C function, made by anything that is loaded, led to another: each
// object's table of imported functions is changed (ELF; x86-64 and AArch64).
#pragma once

namespace rondo::memory {

struct Redirection {
  const char* name;   // of the function
  void* replacement;  // of the same type
};

// For every loaded object but the one that `replacement` lies in. What is loaded
// later, or was found by dlsym, goes on as before. Takes the dynamic linker's lock.
void redirect(const Redirection* all, unsigned count) noexcept;

}  // namespace rondo::memory
