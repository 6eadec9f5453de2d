// SPDX-License-Identifier: Apache-2.0
// A signal that a handler of ours got and that is not for it.
#pragma once

#include <signal.h>

namespace rondo::memory {

// Does what the program wants done with it, as if ours was not there. `again`: what
// the program wants from then on, where that changed (SA_RESETHAND).
void pass_on(const struct sigaction& action, int signal, siginfo_t* info, void* context,
             void (*again)(const struct sigaction&)) noexcept;

}  // namespace rondo::memory
