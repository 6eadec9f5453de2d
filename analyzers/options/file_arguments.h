// SPDX-License-Identifier: Apache-2.0
// --allow-files and --file-remap: which files outside a capture may be read where it needs them
// (RONDO_FILES=reference).
#pragma once

#include <string>
#include <vector>

#include "analyzers/options/cli.h"
#include "format/external_files.h"
#include "format/result.h"

namespace rondo::analyzers {

class FileArguments {
 public:
  void add_to(Cli& cli);  // must outlive its parse()
  bool any() const { return !allowed_.empty() || !remaps_.empty(); }
  Result<FileAccess> access() const;  // Status::usage

 private:
  std::vector<std::string> allowed_, remaps_;
};

// The words that allow all files that the capture needs: of a program that was just captured here, which read them. For
// captures of others it is their user who says so.
std::vector<std::string> allowing_files_of(const std::string& capture);

// Of a tool that writes a capture made of FILE: it goes either to -o OUT, which is another file, or takes
// FILE's place.
Result<void> check_output_words(const char* tool, const std::string& file, const std::string& output, bool in_place);

// Of -o: many tools take "-" for standard output. None of ours writes a capture or a page there, so it is
// Status::usage, and not the name of a file.
Result<void> check_output_name(const std::string& output);

// Of a tool that writes something else than a capture, by `option`: a file of that name is made anew, but no capture,
// neither `file`, which the tool reads, nor another one. Status::usage.
Result<void> spare_captures(const char* option, const std::string& file, const std::string& output);

}  // namespace rondo::analyzers
