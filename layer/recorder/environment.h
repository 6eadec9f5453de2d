// SPDX-License-Identifier: Apache-2.0
// The environment that the process began with. Programs clear theirs, or change it.
#pragma once

namespace rondo::layer {

// "NAME=VALUE", null-terminated; the caller keeps them. From here on environment_of() looks there.
void keep_environment(char* const* all);

// A variable's value, or null: of what was kept, else as it is now.
const char* environment_of(const char* name);

}  // namespace rondo::layer
