// SPDX-License-Identifier: Apache-2.0
// Where files of this user go (the XDG base directory specification).
#pragma once

#include <string>

namespace rondo::player {

// The value of the environment variable `variable` (XDG_STATE_HOME, …) where it is an absolute path, else `below_home`
// (".local/state", …) in $HOME. Empty: $HOME is no directory. A home that is not there is not made.
std::string user_directory(const char* variable, const char* below_home);

}  // namespace rondo::player
