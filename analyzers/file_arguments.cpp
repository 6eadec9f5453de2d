// SPDX-License-Identifier: Apache-2.0
#include "analyzers/file_arguments.h"

#include <filesystem>
#include <set>

#include "format/reader.h"

namespace rondo::analyzers {

void FileArguments::add_to(Cli& cli) {
  cli.values("--allow-files", "DIR", "read files below DIR where the capture needs them; may be repeated", allowed_);
  cli.values("--file-remap", "OLD=NEW",
             "read NEW where the capture needs OLD, a file or a directory; may be repeated, the longest OLD counts", remaps_);
}

Result<FileAccess> FileArguments::access() const { return parse_file_access(remaps_, allowed_); }

std::vector<std::string> allowing_files_of(const std::string& capture) {
  std::set<std::string> directories;
  if (const auto reader = Reader::open(capture); reader)
    for (const ExternalFile& file : (*reader)->files())
      if (!file.embedded() && file.blobs != 0) directories.insert(std::filesystem::path(file.path).parent_path());
  std::vector<std::string> words;
  for (const std::string& directory : directories) words.insert(words.end(), {"--allow-files", directory});
  return words;
}

}  // namespace rondo::analyzers
