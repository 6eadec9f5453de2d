// SPDX-License-Identifier: Apache-2.0
// The RONDO_* variables (docs/layer.md, "Variables"), read once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "format/blob_places.h"
#include "format/container.h"
#include "layer/recorder/frames.h"
#include "layer/recorder/log.h"

namespace rondo::layer {

enum class Checkpoints : int { none = 0, present = 1, readback = 2, submit = 3 };  // each includes the ones before

struct Settings {
  std::string output = "%e-%p.rondo";
  Compression compression = Compression::lz4;
  Checkpoints checkpoints = Checkpoints::none;
  LogLevel log_level = LogLevel::warn;
  std::string memory = "auto";  // RONDO_MEMORY, checked by the memory tracker
  bool minimal_session = false;
  bool children = true;
  bool backtraces = false;                     // RONDO_BACKTRACES
  FilePolicy files = FilePolicy::embed;        // RONDO_FILES
  FileCheck file_check = FileCheck::identity;  // RONDO_FILE_CHECK
  std::optional<FrameRange> frames;            // RONDO_FRAMES; nothing: all of them
  std::vector<std::string> warnings;           // one sentence each value that was not understood
};

using Environment = std::function<const char*(const char* name)>;
Settings read_settings(const Environment& get);

}  // namespace rondo::layer
