// SPDX-License-Identifier: Apache-2.0
// --timeout: waits end there, and a thread ends the process when even a wait
// does not return (a driver that hangs).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace rondo::player {

class Deadline {
 public:
  // seconds 0: none. `file` is for the watchdog's message.
  explicit Deadline(double seconds, const std::string& file = {});
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  // How long a wait may take: UINT64_MAX without a deadline, 0 when it passed.
  std::uint64_t left_ns() const;
  double seconds() const { return seconds_; }
  // Where the replay is, for the watchdog's message.
  void at(std::uint64_t sequence) { sequence_.store(sequence, std::memory_order_relaxed); }

 private:
  void watch();

  double seconds_;
  std::string where_;  // begins the watchdog's message
  std::uint64_t end_ns_ = UINT64_MAX;
  std::atomic<std::uint64_t> sequence_{0};
  std::mutex mutex_;
  std::condition_variable condition_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace rondo::player
