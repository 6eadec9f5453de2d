// SPDX-License-Identifier: Apache-2.0
#include "player/run/deadline.h"

#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "format/printable.h"
#include "format/result.h"
#include "player/run/driver_crash.h"

namespace rondo::player {

namespace {

// A wait that ends in time is reported better than the watchdog can.
constexpr std::uint64_t kGraceNs = 1'000'000'000;

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace

Deadline::Deadline(double seconds, const std::string& file) : seconds_(seconds) {
  tell_crashes_of(file, sequence_);
  if (seconds <= 0) return;
  where_ = printable("player: " + (file.empty() ? "" : file + ": "));
  end_ns_ = now() + static_cast<std::uint64_t>(seconds * 1e9);
  thread_ = std::thread([this] { watch(); });
}

Deadline::~Deadline() {
  tell_crashes_no_more_of(sequence_);
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
  if (waits_since_ns_ == 0) waits_since_ns_ = t;
  return t >= end_ns_ ? 0 : end_ns_ - t;
}

std::uint64_t Deadline::waited_ns() const { return waits_since_ns_ != 0 ? now() - waits_since_ns_ : 0; }

void Deadline::report_to(std::vector<Scope> scopes, Report report) {
  const std::lock_guard lock(mutex_);
  scopes_ = std::move(scopes);
  report_ = std::move(report);
}

void Deadline::watch() {
  std::unique_lock lock(mutex_);
  const auto end = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(end_ns_ + kGraceNs));
  if (condition_.wait_until(lock, end, [this] { return done_; })) return;
  // No memory is asked for: whoever hangs may hold the allocator's lock.
  char state[160], submit[160];
  const auto load = [](const std::atomic<std::uint64_t>& value) {
    return static_cast<unsigned long long>(value.load(std::memory_order_relaxed));
  };
  if (load(sequence_) == 0)
    std::snprintf(state, sizeof state, "no end within %g s (--timeout); no record had been played yet: %s", seconds_,
                  phase_.load(std::memory_order_relaxed));
  else
    std::snprintf(state, sizeof state, "no end within %g s (--timeout); record %llu was being played", seconds_,
                  load(sequence_));
  std::size_t occurrence = 0;
  const Scope* scope = nullptr;
  if (load(submit_record_) == 0) {
    std::snprintf(submit, sizeof submit, "; nothing had been submitted\n");
  } else {
    scope = find_innermost_scope(scopes_, load(submit_record_), occurrence);
    std::snprintf(submit, sizeof submit, "; the last submit was %llu (frame %llu, record %llu%s", load(submit_),
                  load(submit_frame_), load(submit_record_), scope == nullptr ? ")\n" : ", scope \"");
  }
  char number[32] = "";
  if (scope != nullptr) std::snprintf(number, sizeof number, "#%zu\")\n", occurrence);
  char name[400];
  const std::size_t name_bytes = scope == nullptr ? 0 : printable_into(name, scope->name);
  const iovec parts[] = {{where_.data(), where_.size()},
                         {state, std::strlen(state)},
                         {submit, std::strlen(submit)},
                         {name, name_bytes},
                         {number, std::strlen(number)}};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, 5);
  if (report_) {
    // Which takes memory.
    std::signal(SIGALRM, [](int) { _exit(static_cast<int>(Status::timeout)); });
    ::alarm(2);
    std::optional<LastSubmit> last;
    if (load(submit_record_) != 0)
      last = LastSubmit{load(submit_), load(submit_frame_), load(submit_record_),
                        scope == nullptr ? std::string() : scope->name + "#" + std::to_string(occurrence)};
    report_(where_.substr(std::strlen("player: ")) + state, last);
  }
  // Destructors and exit handlers would enter the driver that hangs.
  _exit(static_cast<int>(Status::timeout));
}

}  // namespace rondo::player
