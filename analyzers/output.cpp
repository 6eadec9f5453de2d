// SPDX-License-Identifier: Apache-2.0
#include "analyzers/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "analyzers/text.h"

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
    return fail(Status::failed, std::string("standard output: ") + std::strerror(error_) +
                                    ": what was printed is not complete");
  return {};
}

void say_list(const std::string& message) {
  const std::size_t first = message.find('\n');
  say(message.substr(0, first));
  for (std::size_t from = first; from != std::string::npos;) {
    const std::size_t to = message.find('\n', from + 1);
    std::fprintf(stderr, "%s\n", printable(message.substr(from + 1, to - from - 1)).c_str());
    from = to;
  }
}

void say(const std::string& message) { std::fprintf(stderr, "rondo: %s\n", printable(message).c_str()); }

}  // namespace rondo::analyzers
