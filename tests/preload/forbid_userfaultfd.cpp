// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: it has no userfaultfd from its start on.
#include "tests/unit/forbid_userfaultfd.h"

#include <cstdlib>

namespace {

__attribute__((constructor)) void forbid() {
  if (!forbid_userfaultfd()) std::abort();
}

}  // namespace
