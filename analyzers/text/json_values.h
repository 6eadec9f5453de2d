// SPDX-License-Identifier: Apache-2.0
// What more than one JSON output says in the same words.
#pragma once

#include "analyzers/text/json.h"
#include "format/reader.h"

namespace rondo::analyzers {

// path, bytes, version, capture_id, created_unix_ns, complete; cut_reason or
// ending and exit_signal; gaps.
void write_file_members(JsonWriter& json, Reader& reader);

struct FileFacts {
  const std::string& path;
  std::uint64_t bytes;
  const FileHeader& header;
  bool complete;
  const std::string& cut_reason;
  const std::optional<Footer>& footer;
  std::uint64_t gaps;
};
void write_file_members(JsonWriter& json, const FileFacts& file);

const char* ending_text(std::uint32_t ending);  // "exited", "finished", "stopped", "unknown"

}  // namespace rondo::analyzers
