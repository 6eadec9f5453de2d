// SPDX-License-Identifier: Apache-2.0
// What lies beside this program, in a build tree as in an installed one:
//   <tree>/{analyzers,bin}/rondo
//   <tree>/share/vulkan/implicit_layer.d/<the layer's manifest>.json
//   <tree>/{player,bin}/player
//   librondo_preload.so beside the layer's library
#pragma once

#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

struct LayerFiles {
  std::string share;  // <tree>/share: what goes into XDG_DATA_DIRS
  std::string manifest;
  std::string library;  // absolute, or a bare name that the dynamic linker finds
};
// Fails naming the directory that was searched.
Result<LayerFiles> find_layer();

// The preload shim. Fails where there is none (such builds capture by the layer alone), or where LD_PRELOAD cannot name
// it.
Result<std::string> find_shim(const LayerFiles& layer);

Result<std::string> find_player();

// XDG_DATA_DIRS that makes the loader find `share` first: what it was (its
// specified default where unset or empty) stays behind it.
std::string data_dirs_with(const std::string& share, const char* current);

// Where in LD_PRELOAD the shim stands. AddressSanitizer's runtime must come before it, or the program does not start:
// where that is wanted, the shim is behind what is there, and only where something is.
enum class ShimPlace { first, behind_others };
ShimPlace shim_place();                                   // of a sanitized build: behind others
std::vector<std::string> preloaded(const char* current);  // what LD_PRELOAD names (null: nothing)
// LD_PRELOAD with the shim (once) and with what it was (null: unset); empty: nothing is to be preloaded.
std::string preload_with(const std::string& shim, const char* current, ShimPlace place);
// … without it.
std::string preload_without(const std::string& shim, const char* current);

std::string absolute_path(const std::string& path);  // not resolved: the file may not exist yet

}  // namespace rondo::analyzers
