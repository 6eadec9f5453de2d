// SPDX-License-Identifier: Apache-2.0
#include "player/deadline.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

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

Deadline::Deadline(double seconds, std::string file) : seconds_(seconds), file_(std::move(file)) {
  if (seconds <= 0) return;
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
  char where[128];
  std::snprintf(where, sizeof where, "no end within %g s (--timeout); record %llu was being played", seconds_,
                static_cast<unsigned long long>(sequence_.load(std::memory_order_relaxed)));
  std::string text = "player: " + (file_.empty() ? "" : file_ + ": ") + where;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  text += '\n';
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  // Destructors and exit handlers would enter the driver that hangs.
  _exit(static_cast<int>(Status::timeout));
}

}  // namespace rondo::player
