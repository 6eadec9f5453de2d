// SPDX-License-Identifier: Apache-2.0
// Drivers keep compiled shaders in files that every program of the user reads. A foreign capture is kept from
// those: it has a directory of its own, so that the second replay starts as fast as that of a trusted one.
#pragma once

#include <string>

namespace rondo::player {

// Tells the drivers of this process to use a directory that belongs to this capture (its device, inode, size,
// mtime and ctime) alone, below $XDG_CACHE_HOME/rondo/foreign, and removes those that have not been used for
// long or are too large. Empty: no directory can be made, and drivers are told to keep nothing.
std::string use_private_shader_caches(const std::string& capture);

}  // namespace rondo::player
