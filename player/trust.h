// SPDX-License-Identifier: Apache-2.0
// Whether a capture is one that this user recorded here. Others are foreign: their shaders are validated and
// they are played in a sandbox (docs/player.md). Nothing in a capture makes it trusted: a list of this user
// names the files that are. It has each file's device, inode, size, mtime and ctime, so that a copy, or a
// file that changed, is foreign.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/result.h"

namespace rondo::player {

enum class Trust { trusted, foreign };

// `trust_option`: the user gave --trust. A capture that is not there is foreign.
Trust trust_of(const std::string& capture_path, bool trust_option);

// Puts a file that this process has just finished into the list, in the place of the oldest entry where the
// list is full. Status::failed: it could not be written; then the file is foreign, which is no failure of who
// made it.
Result<void> add_trusted(const std::string& capture_path);

// What tells a file from its copies and from what it was before.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  bool operator==(const FileState&) const = default;
};
// Nothing: it is no regular file.
std::optional<FileState> state_of(const std::string& path);

// $XDG_STATE_HOME/rondo/trusted, by default ~/.local/state/rondo/trusted. Empty: this user has no home
// directory.
std::string trust_list_path();

// Files that the list holds at most.
inline constexpr std::size_t kMostTrusted = 4096;

}  // namespace rondo::player
