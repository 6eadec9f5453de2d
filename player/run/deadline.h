// SPDX-License-Identifier: Apache-2.0
// --timeout: waits end there, and a thread ends the process when even a wait
// does not return (a driver that hangs).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "format/spans.h"
#include "player/run/last_submit.h"

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
  void at(std::uint64_t sequence) {
    sequence_.store(sequence, std::memory_order_relaxed);
    waits_since_ns_ = 0;
  }
  // What is done before the first record is played: "loading", "planning", … Lives as long as this.
  void begin(const char* phase) { phase_.store(phase, std::memory_order_relaxed); }
  // How long the record that is played now has been waiting: since the first left_ns() after at().
  std::uint64_t waited_ns() const;
  void submitted(std::uint64_t submit, std::uint64_t frame, std::uint64_t record) {
    submit_.store(submit, std::memory_order_relaxed);
    submit_frame_.store(frame, std::memory_order_relaxed);
    submit_record_.store(record, std::memory_order_relaxed);
  }
  // Called by the watchdog behind its message, before it ends the process; where that hangs, too, it ends two
  // seconds later.
  using Report = std::function<void(const std::string& message, const std::optional<LastSubmit>&)>;
  void report_to(std::vector<Scope> scopes, Report report);

 private:
  void watch();

  double seconds_;
  std::string where_;  // begins the watchdog's message
  std::uint64_t end_ns_ = UINT64_MAX;
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<const char*> phase_{"loading"};
  mutable std::uint64_t waits_since_ns_ = 0;  // the first left_ns() of the record; 0: there was none
  std::atomic<std::uint64_t> submit_{0}, submit_frame_{0}, submit_record_{0};  // record 0: none yet
  std::vector<Scope> scopes_;                                                  // guarded by mutex_, as is report_
  Report report_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace rondo::player
