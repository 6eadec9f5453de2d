// SPDX-License-Identifier: Apache-2.0
#include "format/needed_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "format/file_place.h"
#include "format/output_helper.h"

namespace rondo {
namespace {

bool is_same(const std::string& a, const std::string& b) {
  struct stat one {
  }, other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

bool would_overwrite(const NamedOutput& output, const std::string& needed) {
  if (output.kind == NamedOutput::Kind::file) return is_same(output.path, needed);
  const std::filesystem::path path = needed;
  return helper::is_name_of(output.kind, path.filename().native()) && is_same(output.path, path.parent_path()) &&
         is_same(needed, needed);  // it is there
}

}  // namespace

Result<void> spare_needed_files(const Reader& capture, std::span<const NamedOutput> outputs) {
  if (outputs.empty()) return {};
  for (const ExternalFile& file : capture.files()) {
    if (file.embedded() || file.blobs == 0) continue;
    const FileAccess& access = capture.file_access();
    const FilePlace now = place_of(access, remap_of(access, file.path), file.path);
    for (const std::string& needed : {file.path, now.path})
      for (const NamedOutput& output : outputs)
        if (would_overwrite(output, needed))
          return fail(Status::usage, (output.kind == NamedOutput::Kind::file ? output.path : needed) +
                                         ": is a file that the capture needs: it would be overwritten");
  }
  return {};
}

Result<void> spare_file(std::string_view what, const std::string& file, std::span<const NamedOutput> outputs) {
  for (const NamedOutput& output : outputs)
    if (would_overwrite(output, file))
      return fail(Status::usage,
                  output.path + ": would overwrite " + std::string(what) + " " + file + ": name another file");
  return {};
}

}  // namespace rondo
