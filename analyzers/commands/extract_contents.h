// SPDX-License-Identifier: Apache-2.0
// rondo extract --images, --buffers: what a capture's images and buffers hold at a place of it, as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/external_files.h"
#include "format/result.h"
#include "player/trust.h"

namespace rondo::analyzers {

struct ContentsRequest {
  std::string file, output;
  bool images = false, buffers = false;
  bool sheet = false;                // one picture of all images (contact_sheet.h)
  bool pictures = false;             // of all parts that their own file does not show (part_pictures.h)
  std::optional<std::string> at;     // "frame:K", "submit:K", "draw:S:N" (extract_place.h)
  std::vector<std::string> devices;  // [K=]NAME|INDEX|UUID
  std::vector<std::string> objects;  // "VkImage#12", or a debug name; none: all that hold something
  bool validate = false, clamp_shaders = false;
  player::Trust trust = player::Trust::foreign;
  FileAccess access = {};  // to files outside the capture
};

// Writes the files and the JSON indexes, and prints a line for each object.
Result<void> extract_contents(const ContentsRequest& request);

}  // namespace rondo::analyzers
