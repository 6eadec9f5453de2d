// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/icd/access.h"

namespace fake {

// A multisampled texel's first sample stands for all of them.
void resolve_box(const Box& from, const Box& to);

}  // namespace fake
