// SPDX-License-Identifier: Apache-2.0
// What can be told of a program before it runs: that the kernel will not execute it, or that nothing can be put under
// it (execve(2), ld.so(8); the kernel's fs/exec.c, fs/binfmt_*.c and security/commoncap.c).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::analyzers {

// What exec looks at of whoever starts it. (Whether files may be executed is asked of this process.)
struct Starter {
  uid_t user = 0;  // real
  gid_t group = 0;
  bool no_new_privileges = false;          // prctl(2): set-user-ID bits have no effect
  std::optional<std::string> search_path;  // PATH; nothing: it is not set
  std::string formats = "/proc/sys/fs/binfmt_misc";
  static Starter this_process();
};

struct Refusal {
  int error = 0;         // errno of exec; 0: it would run, and not be captured
  std::string sentence;  // names the program, with a remedy
};

struct Checked {
  // Nothing: the program is all right, or that cannot be told (a file that may be executed and not read; formats that
  // the kernel was told of where that is not seen).
  std::optional<Refusal> refusal;
  // What the kernel starts for it is linked against a library that has to be the first (AddressSanitizer's).
  bool has_first_library = false;
};

// `program` is looked for as execvp(3) does.
Checked check_program(const std::string& program, const Starter& starter);

// Where execvp(3) looks for it: there alone where it has a slash, else in the directories of the path, which has a
// default.
std::vector<std::string> places_of(const std::string& program, const std::optional<std::string>& search_path);
// Whether execvp(3) goes on to the next place after this errno.
bool is_looked_for_further(int error);
// Whether a shell could make something of a file that the kernel does not know (errno ENOEXEC): execvp(3) gives it to
// one.
bool is_text(const std::string& path);

// Whether the library of this path or name wants to be the first of its process: GCC's and Clang's shared
// AddressSanitizer runtime.
bool is_first_library(std::string_view library);

// Why exec failed; behind the program's name.
std::string exec_error_text(int error);

}  // namespace rondo::analyzers
