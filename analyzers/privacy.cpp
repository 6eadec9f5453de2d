// SPDX-License-Identifier: Apache-2.0
#include "analyzers/privacy.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_set>

#include "analyzers/text.h"
#include "analyzers/walk.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

constexpr const char* kMinimal = "--session minimal (RONDO_SESSION) leaves it out";
constexpr const char* kAlways = "it stays: of every capture";
constexpr const char* kPrograms = "the program tells Vulkan so: a build without it does not";

// Texts of one kind, each once.
class Texts {
 public:
  void add(const char* text) {
    if (text == nullptr || *text == '\0') return;
    if (!seen_.insert(digest_of(std::as_bytes(std::span(text, std::strlen(text))))).second) return;
    if (first_.size() < 3) first_.emplace_back(text);
  }
  void into(std::vector<PrivacyRow>& rows, const char* what, const char* remedy) const {
    if (seen_.empty()) return;
    std::string value;
    for (const std::string& one : first_) append(value, "{}\"{}\"", value.empty() ? "" : ", ", one);
    if (seen_.size() > first_.size()) append(value, " and others, {} in all", count_text(seen_.size()));
    rows.push_back({what, value, remedy});
  }

 private:
  std::unordered_set<Digest> seen_;
  std::vector<std::string> first_;
};

// Strings of a shader that name files or hold sources (SPIR-V: OpString, OpSource, OpSourceContinued; section "Debug
// Instructions").
void take_strings(std::span<const std::byte> code, Texts& files, Texts& sources) {
  const auto word = [&](std::size_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, code.data() + 4 * i, 4);
    return value;
  };
  const std::size_t words = code.size() / 4;
  for (std::size_t at = 5; at < words;) {
    const std::uint32_t length = word(at) >> 16, operation = word(at) & 0xffff;
    if (length == 0 || length > words - at) return;
    const std::size_t skipped = operation == 7 ? 2 : operation == 3 ? 4 : operation == 2 ? 1 : 0;  // OpString, OpSource, OpSourceContinued
    if (skipped != 0 && length > skipped) {
      const auto* const text = reinterpret_cast<const char*>(code.data() + 4 * (at + skipped));
      const std::string one(text, ::strnlen(text, 4 * (length - skipped)));
      const bool path = one.size() < 4096 && one.find('\n') == std::string::npos && one.find_first_of("/\\") != std::string::npos;
      (path ? files : sources).add(path ? one.c_str() : one.substr(0, 40).c_str());
    }
    at += length;
  }
}

// Those that are not where every system has such files.
void add_paths(std::vector<PrivacyRow>& rows, const char* what, const std::vector<std::string>& all, const char* remedy) {
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
  const auto add = [&](const char* what, const char* pointer, const char* remedy) {
    if (const auto value = info.session.shown(pointer)) rows.push_back({what, *value, remedy});
  };
  add("program", "/process/program", kMinimal);
  add("command line", "/process/command_line", kMinimal);
  add("directory", "/process/directory", kMinimal);
  add("environment", "/process/environment", kMinimal);
  add("process number", "/process/pid", kAlways);
  if (info.header.created_unix_ns != 0) rows.push_back({"time", utc_text(info.header.created_unix_ns), kAlways});
  add("kernel", "/host/kernel", kAlways);
  add("source of a cut", "/cut/file", "cut a capture whose name says nothing");
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < info.session.size("/modules"); ++i)
    modules.push_back(info.session.string(text("/modules/{}/path", i).c_str()).value_or(""));
  add_paths(rows, "libraries", modules, "--session minimal (RONDO_SESSION) keeps their file names alone");
  modules.clear();
  for (const auto& [number, module] : info.call_modules) modules.push_back(module.path);
  add_paths(rows, "callers", modules, "record it without RONDO_BACKTRACES, or with --session minimal (RONDO_SESSION)");
}

}  // namespace

std::vector<PrivacyRow> gather_privacy(Walk& walk, const CaptureInfo& info) {
  std::vector<PrivacyRow> rows;
  add_session(rows, info);
  Texts applications, names, labels, scopes, files, sources;
  std::uint64_t tags = 0;
  ShaderList shaders;
  Step step;
  if (walk.rewind())
    for (;;) {
      const auto more = walk.next(step);
      if (!more || !*more) break;
      if (step.command == nullptr) continue;
      shaders.take(walk, step);
      const auto label_of = [&](const VkDebugUtilsLabelEXT* label) { labels.add(label == nullptr ? nullptr : label->pLabelName); };
      switch (step.command->canonical) {
        case CommandId::vkCreateInstance:
          if (const auto* info_of = walk.args<args_vkCreateInstance>().pCreateInfo; info_of != nullptr && info_of->pApplicationInfo != nullptr) {
            applications.add(info_of->pApplicationInfo->pApplicationName);
            applications.add(info_of->pApplicationInfo->pEngineName);
          }
          break;
        case CommandId::vkSetDebugUtilsObjectTagEXT:
        case CommandId::vkDebugMarkerSetObjectTagEXT:
          ++tags;
          break;
        case CommandId::vkCmdDebugMarkerBeginEXT:
          if (const auto* marker = walk.args<args_vkCmdDebugMarkerBeginEXT>().pMarkerInfo; marker != nullptr) labels.add(marker->pMarkerName);
          break;
        case CommandId::vkCmdDebugMarkerInsertEXT:
          if (const auto* marker = walk.args<args_vkCmdDebugMarkerInsertEXT>().pMarkerInfo; marker != nullptr) labels.add(marker->pMarkerName);
          break;
        case CommandId::vkSubmitDebugUtilsMessageEXT:
          if (const auto* message = walk.args<args_vkSubmitDebugUtilsMessageEXT>().pCallbackData; message != nullptr) labels.add(message->pMessage);
          break;
        case CommandId::vkSetDebugUtilsObjectNameEXT:
          if (const auto* info_of = walk.args<args_vkSetDebugUtilsObjectNameEXT>().pNameInfo; info_of != nullptr) names.add(info_of->pObjectName);
          break;
        case CommandId::vkDebugMarkerSetObjectNameEXT:
          if (const auto* info_of = walk.args<args_vkDebugMarkerSetObjectNameEXT>().pNameInfo; info_of != nullptr) names.add(info_of->pObjectName);
          break;
        case CommandId::vkCmdBeginDebugUtilsLabelEXT:
          label_of(walk.args<args_vkCmdBeginDebugUtilsLabelEXT>().pLabelInfo);
          break;
        case CommandId::vkCmdInsertDebugUtilsLabelEXT:
          label_of(walk.args<args_vkCmdInsertDebugUtilsLabelEXT>().pLabelInfo);
          break;
        case CommandId::vkQueueBeginDebugUtilsLabelEXT:
          label_of(walk.args<args_vkQueueBeginDebugUtilsLabelEXT>().pLabelInfo);
          break;
        case CommandId::vkQueueInsertDebugUtilsLabelEXT:
          label_of(walk.args<args_vkQueueInsertDebugUtilsLabelEXT>().pLabelInfo);
          break;
        case CommandId::rondoScopeBegin:
          scopes.add(walk.args<args_rondoScopeBegin>().name);
          break;
        default:
          break;
      }
    }
  shaders.finish(walk, [&](const ShaderRow&, std::span<const std::byte> code) {
    take_strings(code, files, sources);
    return true;
  });
  applications.into(rows, "application", kPrograms);
  names.into(rows, "object names", kPrograms);
  if (tags != 0) rows.push_back({"object tags", plural(tags, "tag"), kPrograms});
  labels.into(rows, "labels", kPrograms);
  scopes.into(rows, "scopes", kPrograms);
  files.into(rows, "paths in shaders", "compile them without debug information");
  sources.into(rows, "texts in shaders", "compile them without debug information");
  Texts notes;
  for (const std::string& note : info.notes) notes.add(note.c_str());
  notes.into(rows, "notes", "the recorder's own");
  if (info.unique_blobs != 0)
    rows.push_back({"contents", text("{} of shaders, textures, models and other memory of the program", size_text(info.unique_blob_bytes)),
                    "they are what is played: rondo trim keeps those of a part alone"});
  return rows;
}

void append_privacy(std::string& out, const std::vector<PrivacyRow>& rows) {
  for (const PrivacyRow& row : rows) append(out, "{:<18}{}\n{:<18}  {}\n", row.what, printable(row.value), "", row.remedy);
}

void write_privacy(JsonWriter& json, const std::vector<PrivacyRow>& rows) {
  json.begin_array();
  for (const PrivacyRow& row : rows) {
    json.begin_object();
    json.field("what", row.what);
    json.field("value", row.value);
    json.field("remedy", row.remedy);
    json.end_object();
  }
  json.end_array();
}

}  // namespace rondo::analyzers
