// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/sync.h"

#include <algorithm>

#include "tests/icd/fake.h"
#include "tests/icd/order_pool.h"

namespace fake {

Monitor& Monitor::get() {
  static Monitor& one = *new Monitor;
  return one;
}

void Monitor::polled() {
  constexpr int kBorne = 2;
  if (!settings().lazy || released_ == submitted_) return;  // nothing is held back
  if (++polls_ <= kBorne) return;
  polls_ = 0;
  released_ = submitted_;
  changed();
}

bool Monitor::in_order_mode() { return order::is_on(); }

bool Monitor::wait_in_order(Lock& lock, std::uint64_t nanoseconds, const std::function<bool()>& done) {
  constexpr std::uint64_t kForever = std::uint64_t{1} << 50;  // some days
  if (nanoseconds != 0 && nanoseconds != UINT64_MAX && times_out()) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(nanoseconds, kForever));
  for (;;) {
    order::work(lock, done);
    if (done()) {
      order::observe();
      return true;
    }
    if (nanoseconds == 0 || condition_.wait_until(lock, end) == std::cv_status::timeout) return done();
  }
}

bool Monitor::times_out() {
  if (timeouts_ == settings().timeouts) {
    timeouts_ = 0;
    return false;
  }
  ++timeouts_;
  return true;
}

void Monitor::begin_waiting() {
  ++waiting_;
  released_ = submitted_;
  polls_ = 0;
  changed();
}

bool Monitor::may_run(std::uint64_t submission) const {
  return !settings().lazy || waiting_ != 0 || submission <= released_;
}

}  // namespace fake
