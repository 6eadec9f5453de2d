// SPDX-License-Identifier: Apache-2.0
// What a name for an output stands for.
#pragma once

#include <string>

#include "format/result.h"

namespace rondo {

// False: the path ends in a slash, "." or "..", which can only be a directory.
bool names_file(const std::string& path);

// Whether an output that is a link to a regular file replaces that file.
enum class Links { followed, refused };
// An error (Status::failed) where a device, pipe, socket, directory or dangling link is at `path`: a new file
// under its name would take its place.
Result<void> spare_other_kinds(const std::string& path, Links links);

}  // namespace rondo
