// SPDX-License-Identifier: Apache-2.0
// Read of each file: header, index, names, session and records, whose parameters are mostly not decoded. Blobs are not
// read, and they are the largest part of most captures.
#include "analyzers/text/info_short.h"

#include <filesystem>

#include "analyzers/read/summary.h"
#include "analyzers/text/json.h"
#include "analyzers/text/json_values.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

std::string state_text(const Reader& reader) {
  if (!reader.complete()) return reader.can_be_finished() ? "cut" : "damaged";
  const auto footer = reader.footer();
  if (!footer) return "complete";
  switch (static_cast<Ending>(footer->ending)) {
    case Ending::finished:
      return "complete, program died";
    case Ending::stopped:
      return "complete, stopped early";
    default:
      return "complete";
  }
}

std::vector<std::string> fields_of(const Reader& reader, const Summary& summary, const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  return {reader.path(),
          size_text(summary.file_bytes),
          state_text(reader),
          name.empty() ? "-" : name,
          summary.devices.empty() ? "-" : listed(summary.devices),
          plural(summary.frames, "frame"),
          plural(summary.submits, "submit"),
          plural(summary.calls, "call"),
          duration_text(summary.last_ns - summary.first_ns)};
}

std::string json_of(Reader& reader, const Summary& summary, const std::string& program) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  write_file_members(json, reader);
  if (!program.empty()) json.field("program", program);
  json.key("devices");
  json.begin_array();
  for (const std::string& device : summary.devices) json.string(device);
  json.end_array();
  json.field("frames", summary.frames);
  json.field("submits", summary.submits);
  json.field("calls", summary.calls);
  json.field("duration_ns", summary.last_ns - summary.first_ns);
  json.end_object();
  return line;
}

std::string json_of(const std::string& path, const Error& error) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.field("path", path);
  json.field("error", error.message);
  json.end_object();
  return line;
}

Result<void> print(Output& out, const std::string& path, bool as_json) {
  if (path.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  const auto summary = summarize(**reader);
  if (!summary) return tl::unexpected(summary.error());
  const std::string program = JsonText::merge((*reader)->sessions()).string("/process/program").value_or("");
  if (as_json)
    out.line(json_of(**reader, *summary, program));
  else
    out.row(fields_of(**reader, *summary, program));
  return {};
}

}  // namespace

Result<int> print_short(const std::vector<std::string>& files, bool as_json) {
  Output out;
  Status status = Status::ok;
  for (const std::string& file : files) {
    const auto done = print(out, file, as_json);
    if (done) continue;
    say(done.error());
    if (status == Status::ok) status = done.error().status;
    if (as_json) out.line(json_of(file, done.error()));
  }
  RONDO_TRY(out.finish());
  return static_cast<int>(status);
}

}  // namespace rondo::analyzers
