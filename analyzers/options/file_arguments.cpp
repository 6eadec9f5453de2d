// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/file_arguments.h"

#include <filesystem>
#include <set>

#include "analyzers/text/text.h"
#include "format/reader.h"

namespace rondo::analyzers {

void FileArguments::add_to(Cli& cli) {
  cli.values("--allow-files", "DIR", "read files below DIR where the capture needs them; may be repeated", allowed_);
  cli.values("--file-remap", "OLD=NEW",
             "read NEW where the capture needs OLD, a file or a directory; may be repeated, the longest OLD counts",
             remaps_);
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

Result<void> check_output_words(const char* tool, const std::string& file, const std::string& output, bool in_place) {
  if (output.empty() != in_place)
    return fail(Status::usage, in_place ? text("-o and --in-place exclude each other (see {} --help)", tool)
                                        : text("-o OUT is required, or --in-place (see {} --help)", tool));
  RONDO_TRY(check_output_name(output));
  std::error_code unknown;
  if (!in_place && std::filesystem::equivalent(file, output, unknown))
    return fail(Status::usage, text("{}: -o names the capture itself: name another file, or give --in-place instead of "
                                    "-o to replace it",
                                    printable(output)));
  return {};
}

Result<void> check_output_name(const std::string& output) {
  if (output != "-") return {};
  return fail(Status::usage, "-o -: nothing is written to standard output: name a file (./- is a file of that name)");
}

Result<void> spare_captures(const char* option, const std::string& file, const std::string& output) {
  if (std::error_code unknown; std::filesystem::equivalent(file, output, unknown))
    return fail(Status::usage, text("{}: {} names the capture itself: name another file", printable(output), option));
  if (Reader::open(output, ReaderOptions{.salvage = true}))
    return fail(Status::usage, text("{}: {} names another capture, which is not replaced: name another file",
                                    printable(output), option));
  return {};
}

}  // namespace rondo::analyzers
