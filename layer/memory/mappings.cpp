// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/mappings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace rondo::memory {
namespace {

int open_maps() noexcept {
  // The process's own has no memory any more where its first thread has ended.
  const int file = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  return file >= 0 ? file : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
}

}  // namespace

Mappings::Mappings() noexcept : file_(open_maps()) {}

Mappings::~Mappings() {
  if (file_ >= 0) close(file_);
}

// Without its end. What does not fit into the buffer is cut off.
const char* Mappings::next_line() noexcept {
  for (bool whole = true;;) {
    char* const end = static_cast<char*>(std::memchr(buffer_ + at_, '\n', filled_ - at_));
    if (end != nullptr) {
      const char* const line = buffer_ + at_;
      *end = '\0';
      at_ = static_cast<std::size_t>(end - buffer_) + 1;
      if (whole) return line;
      whole = true;  // the rest of one that was too long, which nothing here is
      continue;
    }
    if (at_ == 0 && filled_ == sizeof buffer_) {
      filled_ = 0;
      whole = false;
    }
    std::memmove(buffer_, buffer_ + at_, filled_ - at_);
    filled_ -= at_;
    at_ = 0;
    ssize_t got = -1;
    do {
      got = read(file_, buffer_ + filled_, sizeof buffer_ - filled_);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return nullptr;
    filled_ += static_cast<std::size_t>(got);
  }
}

bool Mappings::next(Mapping& mapping) noexcept {
  const char* const line = next_line();
  if (line == nullptr) return false;
  char rights[5] = {};
  std::uint64_t major = 0, minor = 0;
  if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %" SCNx64 ":%" SCNx64 " %" SCNu64, &mapping.from,
                  &mapping.to, rights, &mapping.offset, &major, &minor, &mapping.inode) != 7)
    return false;
  mapping.rights =
      (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) | (rights[2] == 'x' ? PROT_EXEC : 0);
  mapping.shared = rights[3] == 's';
  mapping.stack = std::strstr(line, "[stack") != nullptr;
  mapping.device = major << 32 | minor;
  return true;
}

}  // namespace rondo::memory
