// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/json_values.h"

#include "analyzers/text/text.h"
#include "format/hex.h"

namespace rondo::analyzers {

const char* ending_text(std::uint32_t ending) {
  switch (static_cast<Ending>(ending)) {
    case Ending::exited:
      return "exited";
    case Ending::finished:
      return "finished";
    case Ending::stopped:
      return "stopped";
  }
  return "unknown";
}

void write_file_members(JsonWriter& json, const FileFacts& file) {
  json.field("path", file.path);
  json.field("bytes", file.bytes);
  json.field("version", text("{}.{}", file.header.version_major, file.header.version_minor));
  json.field("capture_id", hex_text(std::as_bytes(std::span(file.header.capture_id))));
  json.field("created_unix_ns", file.header.created_unix_ns);
  json.field("complete", file.complete);
  if (!file.cut_reason.empty()) json.field("cut_reason", file.cut_reason);
  if (file.footer) {
    json.field("ending", ending_text(file.footer->ending));
    if (file.footer->exit_signal != 0) json.field("exit_signal", file.footer->exit_signal);
  }
  json.field("gaps", file.gaps);
}

void write_file_members(JsonWriter& json, Reader& reader) {
  const std::optional<Footer> footer = reader.footer();
  write_file_members(json, FileFacts{reader.path(), reader.file_bytes(), reader.header(), reader.complete(),
                                     reader.cut_reason(), footer, reader.gaps()});
}

}  // namespace rondo::analyzers
