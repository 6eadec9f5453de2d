// SPDX-License-Identifier: Apache-2.0
// Errors as values. Every error carries the exit status it ends a tool with
// (docs/architecture.md, "Exit statuses") and one sentence that names the
// file, offset or object, and what to do next.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace rondo {

enum class Status : int {
  ok = 0,
  failed = 1,         // the replay or the tool's work failed
  usage = 2,          // wrong command line
  unreadable = 3,     // not a readable capture
  device = 4,         // this device cannot run it
  different = 5,      // different or slower than asked
  external_file = 6,  // an external file is missing, changed or not allowed
  timeout = 7,
};

struct Error {
  Status status = Status::failed;
  std::string message;
  std::vector<std::string> lines = {};  // of a list that the message ends with: what a device lacks, say
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Status status, std::string message) {
  return tl::unexpected<Error>(Error{status, std::move(message)});
}

// With a list: none, where there are no lines.
inline tl::unexpected<Error> fail_list(Status status, std::string message, std::vector<std::string> lines) {
  return tl::unexpected<Error>(Error{status, std::move(message), std::move(lines)});
}

}  // namespace rondo

// Returns the error of `expression` from the calling function, if it has one.
#define RONDO_TRY(expression)                                                     \
  do {                                                                            \
    if (auto rondo_try_result = (expression); !rondo_try_result)                  \
      return tl::unexpected<::rondo::Error>(std::move(rondo_try_result).error()); \
  } while (false)
