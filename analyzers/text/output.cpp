// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "analyzers/text/text.h"
#include "format/check.h"

namespace rondo::analyzers {

void Output::write(std::string_view lines) {
  const std::string shown = printable_lines(lines);
  if (row_members_.empty()) return add(shown);
  std::string_view rest = shown;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    RONDO_CHECK(end != std::string_view::npos && end >= 2 && rest[0] == '{' && rest[end - 1] == '}');
    buffer_ += rest.substr(0, end - 1);
    buffer_ += end > 2 ? "," : "";
    buffer_ += row_members_;
    add("}\n");
    rest.remove_prefix(end + 1);
  }
}

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
