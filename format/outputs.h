// SPDX-License-Identifier: Apache-2.0
// What a tool writes. In most processes these are the system's own calls. A process that plays foreign
// captures (player/sandbox/) may not open files for writing, nor rename or remove any: before it gives that
// up, it starts a helper process that does so for it, for the outputs that the command line names and for
// nothing else. A helper believes nothing that it is asked: it compares each path with those outputs.
#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "format/result.h"

namespace rondo {

// An output of this process. `path` is as the command line has it.
struct NamedOutput {
  enum class Kind {
    file,      // one file, written in place, or under a temporary name beside it and renamed
    pictures,  // a directory of frame-*.png and difference-*.png
    contents,  // a directory of VkImage-*, VkBuffer-*, images.json, buffers.json, sheet.png and shaders by digests
  };
  Kind kind = Kind::file;
  std::string path;
  std::string like;  // of a file that is not there: whose owner and permissions it gets; empty: those of a new file
};

// Who a file belongs to and who may read it.
struct Attributes {
  unsigned mode = 0600;
  bool has_owner = false;  // else it stays its writer's
  unsigned owner = 0, group = 0;
};
// Those of `path`, else of `like`, else of any new file. No set-user-ID or set-group-ID.
Attributes attributes_for(const std::string& path, const std::string& like);

// How an output is opened.
enum class Opening {
  temporary,  // new, for reading and writing, mode 0600
  overwrite,  // for writing, from its beginning
  read,
};
// A descriptor, closed on exec; -1: errno says why.
int open_output(const std::string& path, Opening how);
// A temporary file becomes `path`, with these attributes. 0: done; -1: errno says why.
int keep_output(int fd, const std::string& temporary, const std::string& path, const Attributes& attributes);
void remove_output(const std::string& path);  // a temporary file
// With the directories above it.
std::error_code make_output_directory(const std::string& path);

// Starts the helper. From a process with one thread. Each call above goes through it from then on, from any
// thread. It ends with this process, and then removes the temporary files that are left.
Result<void> start_output_helper(std::vector<NamedOutput> outputs);
bool has_output_helper();
int output_helper_socket();  // its descriptor here; -1: there is none
// The helper's part of remove_temporary_files(). Async-signal-safe. Does nothing without one.
void end_output_helper();

}  // namespace rondo
