// SPDX-License-Identifier: Apache-2.0
#include "player/deadline.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "format/result.h"

namespace rondo::player {

namespace {

// A wait that ends in time is reported better than the watchdog can.
constexpr std::uint64_t kGraceNs = 1'000'000'000;

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

Deadline::Deadline(double seconds, const std::string& file) : seconds_(seconds) {
  if (seconds <= 0) return;
  where_ = "player: " + (file.empty() ? "" : file + ": ");
  std::replace_if(
      where_.begin(), where_.end(),
      [](unsigned char character) { return character < 0x20 || character == 0x7f; }, '?');
  end_ns_ = now() + static_cast<std::uint64_t>(seconds * 1e9);
  thread_ = std::thread([this] { watch(); });
}

Deadline::~Deadline() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  condition_.notify_all();
  thread_.join();
}

std::uint64_t Deadline::left_ns() const {
  if (end_ns_ == UINT64_MAX) return UINT64_MAX;
  const std::uint64_t t = now();
  return t >= end_ns_ ? 0 : end_ns_ - t;
}

void Deadline::watch() {
  std::unique_lock lock(mutex_);
  const auto end = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(end_ns_ + kGraceNs));
  if (condition_.wait_until(lock, end, [this] { return done_; })) return;
  // No memory is asked for: whoever hangs may hold the allocator's lock.
  char text[160];
  const auto sequence = static_cast<unsigned long long>(sequence_.load(std::memory_order_relaxed));
  if (sequence == 0)
    std::snprintf(text, sizeof text, "no end within %g s (--timeout); no record had been played yet\n", seconds_);
  else
    std::snprintf(text, sizeof text, "no end within %g s (--timeout); record %llu was being played\n", seconds_,
                  sequence);
  const iovec parts[] = {{where_.data(), where_.size()}, {text, std::strlen(text)}};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, 2);
  // Destructors and exit handlers would enter the driver that hangs.
  _exit(static_cast<int>(Status::timeout));
}

}  // namespace rondo::player
