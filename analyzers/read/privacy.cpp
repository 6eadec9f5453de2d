// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/privacy.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_set>

#include "analyzers/read/session_modules.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/text.h"
#include "analyzers/trim/redact.h"
#include "format/codec/texts.h"
#include "format/leaves.h"
#include "model/shaders/texts.h"

namespace rondo::analyzers {

namespace {

constexpr const char* kMinimal = "--session minimal (RONDO_SESSION) leaves it out, and so does rondo redact";
constexpr const char* kRedacted = "rondo redact leaves it out";
constexpr const char* kAlways = "it stays: of every capture";
constexpr const char* kPrograms = "the program tells Vulkan so; rondo redact leaves it out";

// Texts of one kind, each once.
class Texts {
 public:
  void add(const char* text) {
    if (text == nullptr || trim::is_redacted(text)) return;
    if (!seen_.insert(digest_of(std::as_bytes(std::span(text, std::strlen(text))))).second) return;
    if (first_.size() < 3) first_.emplace_back(text);
  }
  void into(std::vector<PrivacyRow>& rows, const char* what, const char* remedy, bool redactable = true) const {
    if (seen_.empty()) return;
    std::string value;
    for (const std::string& one : first_) append(value, "{}\"{}\"", value.empty() ? "" : ", ", one);
    if (seen_.size() > first_.size()) append(value, " and others, {} in all", count_text(seen_.size()));
    rows.push_back({what, value, remedy, redactable});
  }

 private:
  std::unordered_set<Digest> seen_;
  std::vector<std::string> first_;
};

// What the program itself says in its calls.
class ProgramTexts {
 public:
  explicit ProgramTexts(Walk& walk) : walk_(walk) {}

  // The walk's current record.
  void take(const codec::CommandInfo& command) {
    LeafWalk leaves(walk_.decoded(), *this);
    leaves.run(command);
  }

  // For LeafWalk.
  bool enters(const codec::StructInfo&) const { return true; }
  void text(const codec::StructInfo& owner, const codec::Field& field, std::size_t at) {
    const std::vector<std::byte>& bytes = walk_.decoded().bytes;
    const auto* const said = reinterpret_cast<const char*>(&bytes[codec::load<std::uint64_t>(&bytes[at])]);
    switch (codec::text_kind(owner, field)) {
      case codec::TextKind::application:
        return applications.add(said);
      case codec::TextKind::object_name:
        return names.add(said);
      case codec::TextKind::label:
      case codec::TextKind::message:
        return labels.add(said);
      case codec::TextKind::scope:
        return scopes.add(said);
      case codec::TextKind::path:  // the walk's callers have them
      case codec::TextKind::note:  // and CaptureInfo these
      case codec::TextKind::fixed:
      case codec::TextKind::unknown:
        return;
    }
  }
  void leaf(const Leaf& leaf) {
    if (std::string_view(leaf.field->name) != "pTag") return;
    const codec::Lowered& lowered = walk_.decoded();
    std::span<const std::byte> bytes(&lowered.bytes[leaf.blob ? 0 : leaf.offset], leaf.blob ? 0 : leaf.count);
    Reader::Bytes blob;
    for (const codec::BlobRef& one : lowered.blobs)
      if (leaf.blob && one.offset == leaf.offset)
        if (auto there = walk_.reader().blob(one.digest)) bytes = *(blob = *there);
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte one) { return one != std::byte{}; })) ++tags;
  }

  Texts applications, names, labels, scopes;
  std::uint64_t tags = 0;

 private:
  Walk& walk_;
};

// Texts in a shader for debuggers: names, paths of files, sources.
void take_strings(std::span<const std::byte> code, Texts& names, Texts& files, Texts& sources) {
  shaders::each_text(code, [&](shaders::TextOf of, std::string_view found) {
    if (shaders::is_blank(found)) return;
    const std::string one(found);
    const bool path =
        one.size() < 4096 && one.find('\n') == std::string::npos && one.find_first_of("/\\") != std::string::npos;
    if (of == shaders::TextOf::name)
      names.add(one.c_str());
    else if (path)
      files.add(one.c_str());
    else
      sources.add(one.substr(0, 40).c_str());
  });
}

// Those that are not where every system has such files.
void add_paths(std::vector<PrivacyRow>& rows, const char* what, const std::vector<std::string>& all,
               const char* remedy) {
  std::string paths;
  std::size_t count = 0;
  for (const std::string& path : all) {
    bool common = path.find('/') == std::string::npos;
    for (const char* place : {"/usr/", "/lib", "/opt/", "/snap/", "/app/"}) common = common || path.starts_with(place);
    if (!common && ++count <= 3) append(paths, "{}{}", paths.empty() ? "" : ", ", path);
  }
  if (count > 3) append(paths, " and others, {} in all", count);
  if (count != 0) rows.push_back({what, paths, remedy});
}

void add_session(std::vector<PrivacyRow>& rows, const CaptureInfo& info) {
  const auto add = [&](const char* what, const char* pointer, const char* remedy, bool redactable = true) {
    if (const auto value = info.session.shown(pointer)) rows.push_back({what, *value, remedy, redactable});
  };
  add("program", "/process/program", kMinimal);
  add("command line", "/process/command_line", kMinimal);
  add("directory", "/process/directory", kMinimal);
  add("environment", "/process/environment", kMinimal);
  add("process number", "/process/pid", kRedacted);
  if (const auto start = info.session.number("/process/start_unix_ns"))
    rows.push_back({"start", utc_text(*start), kRedacted});
  if (info.header.created_unix_ns != 0) rows.push_back({"time", utc_text(info.header.created_unix_ns), kAlways, false});
  add("kernel", "/host/kernel", kAlways, false);
  add("source of a cut", "/cut/file", "cut a capture whose name says nothing; rondo redact leaves it out");
  std::vector<std::string> modules;
  std::size_t build_ids = 0;
  for (const SessionModule& one : session_modules(info.session)) {
    modules.push_back(one.path);
    if (one.role != "driver" && one.role != "loader") build_ids += one.build_id.empty() ? 0 : 1;
  }
  add_paths(
      rows, "libraries", modules,
      "--session minimal (RONDO_SESSION) keeps their file names; rondo redact keeps those of drivers and the loader");
  for (const auto& [number, module] : info.call_modules) build_ids += module.build_id.empty() ? 0 : 1;
  if (build_ids != 0)
    rows.push_back({"build-ids", text("{} of the program and its libraries", count_text(build_ids)), kRedacted});
  modules.clear();
  for (const auto& [number, module] : info.call_modules) modules.push_back(module.path);
  add_paths(
      rows, "callers", modules,
      "record it without RONDO_BACKTRACES, or with --session minimal (RONDO_SESSION); rondo redact leaves them out");
}

}  // namespace

std::vector<PrivacyRow> gather_privacy(Walk& walk, const CaptureInfo& info) {
  std::vector<PrivacyRow> rows;
  add_session(rows, info);
  ProgramTexts texts(walk);
  Texts shader_names, files, sources;
  ShaderList shaders;
  Step step;
  if (walk.rewind())
    for (;;) {
      const auto more = walk.next(step);
      if (!more || !*more) break;
      if (step.command == nullptr) continue;
      texts.take(*step.command);  // first: the other puts pointers where decoded() has offsets
      shaders.take(walk, step);
    }
  shaders.finish(walk, [&](const ShaderRow&, std::span<const std::byte> code) {
    take_strings(code, shader_names, files, sources);
    return true;
  });
  texts.applications.into(rows, "application", kPrograms);
  texts.names.into(rows, "object names", kPrograms);
  if (texts.tags != 0) rows.push_back({"tags", plural(texts.tags, "tag"), kPrograms});
  texts.labels.into(rows, "labels", kPrograms);
  texts.scopes.into(rows, "scopes", kPrograms);
  constexpr const char* kShaders = "compile them without debug information; rondo redact leaves it out";
  shader_names.into(rows, "names in shaders", kShaders);
  files.into(rows, "paths in shaders", kShaders);
  sources.into(rows, "texts in shaders", kShaders);
  Texts notes, notes_with_paths;
  for (const std::string& note : info.notes)
    (trim::without_paths(note) == note ? notes : notes_with_paths).add(note.c_str());
  notes.into(rows, "notes", "the recorder's own", false);
  notes_with_paths.into(rows, "notes with paths", "the recorder's own; rondo redact leaves the paths out");
  if (info.unique_blobs != 0)
    rows.push_back(
        {"contents",
         text("{} of shaders, textures, models and other memory of the program", size_text(info.unique_blob_bytes)),
         "they are what is played: rondo trim keeps those of a part alone", false});
  return rows;
}

std::size_t count_redactable(const std::vector<PrivacyRow>& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const PrivacyRow& row) { return row.redactable; }));
}

void append_privacy(std::string& out, const std::vector<PrivacyRow>& rows) {
  for (const PrivacyRow& row : rows)
    append(out, "{:<18}{}\n{:<18}  {}\n", row.what, printable(row.value), "", row.remedy);
}

void write_privacy(JsonWriter& json, const std::vector<PrivacyRow>& rows) {
  json.begin_array();
  for (const PrivacyRow& row : rows) {
    json.begin_object();
    json.field("what", row.what);
    json.field("value", row.value);
    json.field("remedy", row.remedy);
    json.field("redactable", row.redactable);
    json.end_object();
  }
  json.end_array();
}

}  // namespace rondo::analyzers
