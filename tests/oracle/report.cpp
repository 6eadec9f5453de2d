// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace oracle {

namespace {

int file() {
  static const int fd = [] {
    const char* path = std::getenv("RONDO_TEST_ORACLE");
    return path != nullptr ? ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  }();
  return fd;
}

void line(const char* what, std::uint64_t allocation, const std::string& rest) {
  const std::string text = std::string(what) + " " + std::to_string(::getpid()) + " " + std::to_string(allocation) +
                           (rest.empty() ? "" : " " + rest) + "\n";
  // A line that is lost is an allocation that is missing: the comparison fails.
  if (::write(file(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
}

}  // namespace

bool reporting() { return file() >= 0; }

std::string keep_contents(std::uint64_t allocation, const unsigned char* bytes, std::size_t size) {
  const char* directory = std::getenv("RONDO_TEST_ORACLE_CONTENTS");
  if (directory == nullptr) return "";
  const std::string path = std::string(directory) + "/" + std::to_string(::getpid()) + "-" + std::to_string(allocation);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const auto why = [&] { return path + ": " + std::strerror(errno); };
  if (fd < 0) return why();
  for (std::size_t at = 0; at < size;) {
    const ssize_t written = ::write(fd, bytes + at, size - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const std::string failed = why();
      ::close(fd);
      return failed;
    }
    at += static_cast<std::size_t>(written);
  }
  return ::close(fd) == 0 ? "" : why();
}

void report_allocated(std::uint64_t allocation, std::uint64_t size, std::uint32_t type) {
  line("allocated", allocation, std::to_string(size) + " " + std::to_string(type));
}

void report_bound(std::uint64_t allocation) { line("bound", allocation, ""); }

void report_freed(std::uint64_t allocation, const Digest& digest, std::uint64_t bytes) {
  line("freed", allocation, digest.text() + " " + std::to_string(bytes));
}

void report_unread(std::uint64_t allocation, const std::string& why) { line("unread", allocation, why); }

void report_unzeroed(std::uint64_t allocation, const std::string& why) { line("unzeroed", allocation, why); }

}  // namespace oracle
