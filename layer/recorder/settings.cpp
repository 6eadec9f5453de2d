// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/settings.h"

#include <cstddef>
#include <string_view>

namespace rondo::layer {

namespace {

template <class T>
struct Choice {
  std::string_view word;
  T value;
};

template <class T, std::size_t N>
void choose(const Environment& get, const char* name, const Choice<T> (&choices)[N], T& value,
            std::vector<std::string>& warnings) {
  const char* text = get(name);
  if (text == nullptr || *text == '\0') return;
  std::string expected;
  std::string_view fallback;
  for (const Choice<T>& choice : choices) {
    if (choice.word == text) {
      value = choice.value;
      return;
    }
    if (!expected.empty()) expected += ", ";
    expected += choice.word;
    if (choice.value == value) fallback = choice.word;
  }
  warnings.push_back(std::string(name) + "=" + text + " is not one of " + expected + ": using " +
                     std::string(fallback));
}

}  // namespace

Settings read_settings(const Environment& get) {
  Settings s;
  if (const char* output = get("RONDO_OUTPUT"); output != nullptr && *output != '\0') s.output = output;
  static constexpr Choice<Compression> compressions[] = {
      {"none", Compression::none}, {"fast", Compression::lz4}, {"high", Compression::zstd}};
  choose(get, "RONDO_COMPRESSION", compressions, s.compression, s.warnings);
  static constexpr Choice<LogLevel> levels[] = {
      {"error", LogLevel::error}, {"warn", LogLevel::warn}, {"info", LogLevel::info}, {"debug", LogLevel::debug}};
  choose(get, "RONDO_LOG", levels, s.log_level, s.warnings);
  static constexpr Choice<Checkpoints> checkpoints[] = {{"none", Checkpoints::none},
                                                        {"present", Checkpoints::present},
                                                        {"readback", Checkpoints::readback},
                                                        {"submit", Checkpoints::submit}};
  choose(get, "RONDO_CHECKPOINTS", checkpoints, s.checkpoints, s.warnings);
  static constexpr Choice<bool> sessions[] = {{"full", false}, {"minimal", true}};
  choose(get, "RONDO_SESSION", sessions, s.minimal_session, s.warnings);
  static constexpr Choice<bool> children[] = {{"0", false}, {"1", true}};
  choose(get, "RONDO_CHILDREN", children, s.children, s.warnings);
  static constexpr Choice<bool> backtraces[] = {{"0", false}, {"1", true}};
  choose(get, "RONDO_BACKTRACES", backtraces, s.backtraces, s.warnings);
  static constexpr Choice<FilePolicy> files[] = {{"embed", FilePolicy::embed},
                                                 {"embed-all", FilePolicy::embed_all},
                                                 {"reference", FilePolicy::reference},
                                                 {"fail", FilePolicy::fail}};
  choose(get, "RONDO_FILES", files, s.files, s.warnings);
  static constexpr Choice<FileCheck> checks[] = {{"identity", FileCheck::identity}, {"digest", FileCheck::digest}};
  choose(get, "RONDO_FILE_CHECK", checks, s.file_check, s.warnings);
  if (s.minimal_session && s.files != FilePolicy::embed) {
    s.warnings.push_back("RONDO_SESSION=minimal: a capture names no files: using RONDO_FILES=embed");
    s.files = FilePolicy::embed;
  }
  static constexpr Choice<std::string_view> memory[] = {{"auto", "auto"},       {"alias", "alias"},
                                                        {"pagemap", "pagemap"}, {"shadow", "shadow"},
                                                        {"scan", "scan"},       {"guard", "guard"}};
  std::string_view mechanism = "auto";
  choose(get, "RONDO_MEMORY", memory, mechanism, s.warnings);
  s.memory = mechanism;
  if (const char* frames = get("RONDO_FRAMES"); frames != nullptr && *frames != '\0') {
    s.frames = parse_frames(frames);
    if (!s.frames)
      s.warnings.push_back(std::string("RONDO_FRAMES=") + frames +
                           " is not A:B, frames from A up to, not with, B: recording all of them");
  }
  return s;
}

}  // namespace rondo::layer
