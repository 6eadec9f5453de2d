// SPDX-License-Identifier: Apache-2.0
// What a command buffer goes through while commands are recorded. Private to tests/icd.
#pragma once

#include "tests/icd/driver.h"

namespace fake {

// Before and after each vkCmd*.
void check_recording(const Call& call);
void note_recorded(const Call& call);

}  // namespace fake
