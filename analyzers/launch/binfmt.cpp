// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/binfmt.h"

#include <charconv>
#include <filesystem>
#include <fstream>

namespace rondo::analyzers {

namespace {

// An entry's file, as the kernel prints it (fs/binfmt_misc.c, entry_status).
struct Entry {
  bool enabled = false;
  Handler handler;
  std::size_t offset = 0;
  std::string magic, mask, extension;
};

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Entry read_entry(const std::filesystem::path& path) {
  Entry entry;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::string_view all(line);
    const std::size_t space = all.find(' ');
    const std::string_view key = all.substr(0, space);
    const std::string_view value = space == std::string_view::npos ? std::string_view() : all.substr(space + 1);
    if (key == "enabled") entry.enabled = true;
    if (key == "interpreter") entry.handler.path = value;
    if (key == "flags:") entry.handler.kept_open = value.find('F') != std::string_view::npos;
    if (key == "offset") std::from_chars(value.data(), value.data() + value.size(), entry.offset);
    if (key == "magic") entry.magic = from_hex(value);
    if (key == "mask") entry.mask = from_hex(value);
    if (key == "extension") entry.extension = value;
  }
  return entry;
}

bool fits(const Entry& entry, std::string_view name, std::string_view head) {
  if (!entry.enabled || entry.handler.path.empty()) return false;
  if (!entry.extension.empty()) return name.ends_with(entry.extension);
  if (entry.magic.empty() || entry.offset > head.size() || head.size() - entry.offset < entry.magic.size())
    return false;
  for (std::size_t i = 0; i < entry.magic.size(); ++i) {
    const int differs = head[entry.offset + i] ^ entry.magic[i];
    if ((differs & (i < entry.mask.size() ? entry.mask[i] : 0xff)) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Handler> binfmt_handler(const std::string& directory, std::string_view name, std::string_view head) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename();
    if (file == "status" || file == "register") continue;
    if (Entry read = read_entry(entry->path()); fits(read, name, head)) return read.handler;
  }
  return std::nullopt;
}

}  // namespace rondo::analyzers
