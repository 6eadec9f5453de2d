// SPDX-License-Identifier: Apache-2.0
// Temporary files (temporary_path.h) of processes that were killed.
#pragma once

#include <string>
#include <string_view>

namespace rondo {

// Removes the files that processes left which were killed while they wrote beside `path`: of its names with
// `ending`, those of this user whose process is gone and that nobody has locked (one of another container
// holds an flock on its own). `path` that ends with '/': of every name in that directory. What cannot be
// removed stays.
void remove_abandoned(const std::string& path, std::string_view ending);

}  // namespace rondo
