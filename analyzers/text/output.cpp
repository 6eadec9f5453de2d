// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      closed_ = true;
      if (errno != EPIPE) error_ = errno;
    }
  }
  buffer_.clear();
}

Result<void> Output::finish() {
  flush();
  if (error_ != 0)
    return fail(Status::failed,
                std::string("standard output: ") + std::strerror(error_) + ": what was printed is not complete");
  return {};
}

void say(const std::string& message) { std::fprintf(stderr, "rondo: %s\n", printable(message).c_str()); }

void say(const Error& error) { std::fprintf(stderr, "rondo: %s\n", printable(error).c_str()); }

}  // namespace rondo::analyzers
