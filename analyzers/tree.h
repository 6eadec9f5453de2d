// SPDX-License-Identifier: Apache-2.0
// What lies beside this program, in a build tree as in an installed one:
//   <tree>/{analyzers,bin}/rondo
//   <tree>/share/vulkan/implicit_layer.d/<the layer's manifest>.json
//   <tree>/{player,bin}/player
#pragma once

#include <string>

#include "format/result.h"

namespace rondo::analyzers {

struct LayerFiles {
  std::string share;     // <tree>/share: what goes into XDG_DATA_DIRS
  std::string manifest;
  std::string library;   // absolute, or a bare name that the dynamic linker finds
};
// Fails naming the directory that was searched.
Result<LayerFiles> find_layer();

Result<std::string> find_player();

// XDG_DATA_DIRS that makes the loader find `share` first: what it was (its
// specified default where unset or empty) stays behind it.
std::string data_dirs_with(const std::string& share, const char* current);

std::string absolute_path(const std::string& path);  // not resolved: the file may not exist yet

}  // namespace rondo::analyzers
