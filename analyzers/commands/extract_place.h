// SPDX-License-Identifier: Apache-2.0
// rondo extract --at: where a capture is read, and which file is played to get there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/external_files.h"
#include "format/outputs.h"
#include "format/result.h"
#include "format/temporary_path.h"
#include "player/snapshot/snapshot.h"

namespace rondo::analyzers {

// One draw or dispatch of a submit. Both count from 0, as `rondo info --draws` and `rondo trim --draws`
// count.
struct DrawPlace {
  std::uint64_t submit = 0, draw = 0;
};

struct ExtractPlace {
  player::SnapshotPlace place;    // unused where `draw` is set
  std::optional<DrawPlace> draw;  // "draw:S:N"

  std::string text() const;  // "behind frame 3", "just after draw 2 of submit 7"
};

// "frame:K", "submit:K", "draw:S:N"; without a text the end. Status::usage: the text is none of these.
Result<ExtractPlace> parse_extract_place(const std::optional<std::string>& at);

// The file to play. For a draw it is a capture made for this purpose, which ends with that draw; it is
// removed when this goes.
struct PlayedFile {
  std::string path;                     // of the capture, or of the step
  FileAccess files;                     // that the played file may read
  player::SnapshotPlace place;          // in the played file
  std::optional<std::uint64_t> record;  // of the capture, where the played file numbers records otherwise
  TemporaryPath step;
};

// A path beside which the step is written: in `directory` if that is there, else in the nearest directory
// above it that is. The sandbox must be told of it (NamedOutput::Kind::file) before the capture is read.
std::string step_path_for(const std::string& directory);

// Errors: Status::usage where the submit or the draw is not there (the message says how many there are),
// Status::failed where the submit cannot be split after the draw, and those of reading the capture.
Result<PlayedFile> file_to_play(const std::string& capture, const FileAccess& files, const ExtractPlace& place,
                                const std::string& directory);

}  // namespace rondo::analyzers
