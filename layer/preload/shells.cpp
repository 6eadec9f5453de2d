// SPDX-License-Identifier: Apache-2.0
// The C library starts the shells of system() and popen() itself, with the environment as it is then. Where that lacks
// what a child needs to be captured (ChildEnvironment), the shell exports it and becomes another one, which runs the
// command. All else (signals, cancellation, what is waited for) is the C library's.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/preload/shim.h"

extern char** environ;

using namespace rondo::preload;

#define RONDO_SEEN extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kLongestWord = 128 << 10;  // of what a program is started with (MAX_ARG_STRLEN)

// To be freed; null: the command is right as it is, or nothing can be put in front of it.
char* with_environment(const char* command) {
  if (command == nullptr || !active()) return nullptr;
  const ChildEnvironment child(environ);
  const size_t bytes = child.write_command(command, nullptr);
  if (bytes == 0 || bytes > kLongestWord) return nullptr;
  const int before = errno;
  char* const all = static_cast<char*>(malloc(bytes));
  errno = before;
  if (all != nullptr) child.write_command(command, all);
  return all;
}

void free_quietly(char* text) {
  const int before = errno;
  free(text);
  errno = before;
}

}  // namespace

// A thread that is cancelled meanwhile leaves the text behind.
RONDO_SEEN int system(const char* command) {
  const auto real = reinterpret_cast<int (*)(const char*)>(real_function("system"));
  char* const instead = with_environment(command);
  if (instead == nullptr) return real(command);
  const int status = real(instead);
  free_quietly(instead);
  return status;
}

RONDO_SEEN FILE* popen(const char* command, const char* mode) {
  const auto real = reinterpret_cast<FILE* (*)(const char*, const char*)>(real_function("popen"));
  char* const instead = with_environment(command);
  if (instead == nullptr) return real(command, mode);
  FILE* const stream = real(instead, mode);
  free_quietly(instead);
  return stream;
}
