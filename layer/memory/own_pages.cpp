// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/own_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "layer/memory/kernel.h"

namespace rondo::memory {
namespace {

// Lines of a file, without their ends; no heap. What does not fit into the buffer is cut off.
class Lines {
 public:
  explicit Lines(int file) : file_(file) {}
  ~Lines() {
    if (file_ >= 0) close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // Null at the end.
  const char* next() noexcept {
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

 private:
  int file_;
  char buffer_[8192];
  std::size_t at_ = 0, filled_ = 0;
};

int open_maps() noexcept {
  // The process's own has no memory any more where its first thread has ended.
  const int file = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  return file >= 0 ? file : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
}

bool can_populate() noexcept {
  alignas(page_bytes) static const char page[page_bytes] = {1};
  return madvise(const_cast<char*>(page), sizeof page, MADV_POPULATE_READ) == 0;
}

// Pages of a device (VM_IO), which cannot be populated: whether the kernel can copy from them. The call
// reads a set of signals there, and changes none for want of a valid `how`.
bool can_copy_from(const std::byte* start, std::size_t bytes) noexcept {
  constexpr int no_how = -1;
  for (std::size_t at = 0; at < bytes; at += page_bytes)
    if (syscall(SYS_rt_sigprocmask, no_how, start + at, nullptr, sizeof(std::uint64_t)) == 0 ||
        errno != EINVAL)
      return false;
  return true;
}

}  // namespace

Backing backing_of(const std::byte* start, std::size_t bytes) noexcept {
  auto at = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t end = at + bytes;
  Lines lines(open_maps());
  while (const char* const line = lines.next()) {
    std::uintptr_t from = 0, to = 0;
    std::uint64_t file = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64, &from, &to, rights, &file) != 4)
      return Backing::unknown;
    if (to <= at) continue;
    if (from > at) return Backing::unknown;  // a hole
    if (rights[0] != 'r' || rights[1] != 'w') return Backing::unknown;
    if (rights[3] == 's' && reinterpret_cast<std::uintptr_t>(start) == at && to >= end)
      return Backing::shared;
    if (rights[3] != 'p' || file != 0) return Backing::unknown;
    if (std::strstr(line, "[stack") != nullptr) return Backing::unknown;
    at = to;
    if (at >= end) return Backing::anonymous;
  }
  return Backing::unknown;
}

bool readable(const std::byte* start, std::size_t bytes) noexcept {
  static const bool asks = can_populate();
  if (!asks) return Kernel::mapped(start, bytes);
  void* const pages = const_cast<std::byte*>(start);
  int result = 0;
  do {
    result = madvise(pages, bytes, MADV_POPULATE_READ);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result != 0 && errno == EINVAL) return can_copy_from(start, bytes);
  // Poisoned pages and no memory are not what a reader can help.
  return result == 0;
}

}  // namespace rondo::memory
