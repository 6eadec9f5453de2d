// SPDX-License-Identifier: Apache-2.0
// What this build is. Linked into programs alone: it changes with every commit.
#pragma once

#include <string>
#include <string_view>

namespace rondo {

// "player 0.1.0, commit 0123456789ab, format 1.0, Vulkan registry 1.4.363"; commit "unknown" outside of a checkout.
std::string version_line(std::string_view program);

}  // namespace rondo
