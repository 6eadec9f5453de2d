// SPDX-License-Identifier: Apache-2.0
#include "format/file_place.h"

namespace rondo {

bool within(const std::string& path, const std::string& directory) {
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || directory.ends_with('/') || path[directory.size()] == '/';
}

const FileAccess::Remap* remap_of(const FileAccess& access, const std::string& path) {
  const FileAccess::Remap* longest = nullptr;
  for (const FileAccess::Remap& one : access.remaps)
    if (within(path, one.from) && (longest == nullptr || one.from.size() > longest->from.size())) longest = &one;
  return longest;
}

FilePlace place_of(const FileAccess& access, const FileAccess::Remap* remap, const std::string& path) {
  if (remap == nullptr) return {path, access.allowed, false};
  const std::string rest = path.substr(remap->from.size());
  if (rest.empty()) return {remap->to, {}, true};
  return {remap->to + (remap->to.ends_with('/') || rest.starts_with('/') ? "" : "/") + rest, {remap->to}, false};
}

}  // namespace rondo
