// SPDX-License-Identifier: Apache-2.0
// Where a file that a capture needs lies now: --file-remap and --allow-files applied to its path.
#pragma once

#include <string>
#include <vector>

#include "format/external_files.h"

namespace rondo {

// Whether `path` is `directory` or lies below it.
bool within(const std::string& path, const std::string& directory);

// The longest one that fits; null: none does.
const FileAccess::Remap* remap_of(const FileAccess& access, const std::string& path);

// Where a file may lie: in one of `roots` or in a folder below it. A file that the user named may lie anywhere.
struct FilePlace {
  std::string path;
  std::vector<std::string> roots;
  bool named = false;
};

FilePlace place_of(const FileAccess& access, const FileAccess::Remap* remap, const std::string& path);

}  // namespace rondo
