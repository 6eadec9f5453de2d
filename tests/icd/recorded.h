// SPDX-License-Identifier: Apache-2.0
// What a command buffer knows of itself while it is recorded, and what its
// execution needs alive. Private to tests/icd.
#pragma once

#include "tests/icd/driver.h"

namespace fake {

// After each vkCmd* that binds, begins or draws.
void note_bound(const Call& call);

// Whether destroying such an object hurts a command buffer that names it:
// layouts, templates and caches only have to live while they are named.
bool is_needed(HandleType type);

// All that must be alive until the command buffer has run: what its commands
// name, what descriptors that shaders declare refer to, and what lies behind
// these (images of views, memory). Secondaries' too.
std::vector<std::shared_ptr<Object>> needed_by(const CommandBuffer& buffer);

}  // namespace fake
