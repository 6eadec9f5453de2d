// SPDX-License-Identifier: Apache-2.0
// Where queues and waiting threads meet. One monitor guards every fence,
// semaphore, event and queue of the process: a fake driver need not be fast,
// and with one lock no change can be missed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "tests/icd/objects.h"

namespace fake {

class Monitor {
 public:
  using Lock = std::unique_lock<std::mutex>;

  // Never destroyed: queues of a program that leaks its device outlive main().
  static Monitor& get();

  Lock enter() { return Lock(mutex_); }
  void changed() { condition_.notify_all(); }

  // The host waits, up to `nanoseconds`: false if `done` is not true by then.
  // With no time at all it only looks. Lazy queues work while somebody waits.
  template <class Done>
  bool wait(Lock& lock, std::uint64_t nanoseconds, const Done& done) {
    if (in_order_mode()) return wait_in_order(lock, nanoseconds, done);
    if (done()) return true;
    if (nanoseconds == 0) {
      polled();
      return false;
    }
    if (nanoseconds != UINT64_MAX && times_out()) return false;
    begin_waiting();
    const bool in_time = sleep(lock, nanoseconds, done);
    end_waiting();
    return in_time;
  }
  // The host looked and saw "not ready": lazy queues bear that twice.
  void polled();

  // A queue waits for `done`, without end.
  template <class Done>
  void wait_on_queue(Lock& lock, const Done& done) {
    condition_.wait(lock, done);
  }

  // Likewise, for a time.
  template <class Duration, class Done>
  void wait_on_queue_for(Lock& lock, Duration time, const Done& done) {
    condition_.wait_for(lock, time, done);
  }

  // Numbers submissions, over all queues. Under the lock, as all below.
  std::uint64_t next_submission() { return ++submitted_; }
  bool may_run(std::uint64_t submission) const;

 private:
  template <class Done>
  bool sleep(Lock& lock, std::uint64_t nanoseconds, const Done& done) {
    constexpr std::uint64_t kForever = std::uint64_t{1} << 50;  // some days
    if (nanoseconds > kForever) {
      condition_.wait(lock, done);
      return true;
    }
    return condition_.wait_for(lock, std::chrono::nanoseconds(nanoseconds), done);
  }
  // Runs what it waits for (order_pool.h).
  static bool in_order_mode();
  bool wait_in_order(Lock& lock, std::uint64_t nanoseconds, const std::function<bool()>& done);
  bool times_out();  // by the setting
  void begin_waiting();
  void end_waiting() { --waiting_; }

  std::mutex mutex_;
  std::condition_variable condition_;
  int waiting_ = 0;              // threads of the host
  int polls_ = 0;                // "not ready" since lazy queues last worked
  std::uint64_t timeouts_ = 0;   // since the last wait that was left to wait
  std::uint64_t submitted_ = 0;  // the last number given
  std::uint64_t released_ = 0;   // the last one that lazy queues may run
};

}  // namespace fake
