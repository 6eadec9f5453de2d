// SPDX-License-Identifier: Apache-2.0
// `rondo info` as text and as JSON: the same facts.
#pragma once

#include <string>

#include "analyzers/read/capture_info.h"

namespace rondo::analyzers {

struct InfoShown {
  bool coverage = false;
  bool submits = false;
  bool frames = false;
  bool scopes = false;
  bool shaders = false;
  bool times = false;  // with submits, frames, scopes
  bool any() const { return coverage || submits || frames || scopes || shaders || times; }
};

void append_info(std::string& out, const CaptureInfo& info, const InfoShown& shown);
void append_info_json(std::string& out, const CaptureInfo& info, const InfoShown& shown);

const char* chunk_text(std::uint16_t type);             // "records", …
const char* file_check_text(const ExternalFile& file);  // "known by digest", …

}  // namespace rondo::analyzers
