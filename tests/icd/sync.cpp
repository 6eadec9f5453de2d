// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/sync.h"

#include "tests/icd/fake.h"

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
