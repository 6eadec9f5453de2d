// SPDX-License-Identifier: Apache-2.0
// How many instructions this thread has executed outside of the kernel, where the machine counts them.
#pragma once

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace program {

class Instructions {
 public:
  Instructions() {
    perf_event_attr what{};
    what.size = sizeof what;
    what.type = PERF_TYPE_HARDWARE;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    counter_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  }
  ~Instructions() {
    if (counter_ >= 0) close(counter_);
  }
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;

  // Machines without such a counter, and those that forbid it, count nothing.
  bool are_counted() const { return counter_ >= 0; }
  std::uint64_t executed() const {
    std::uint64_t count = 0;
    return counter_ >= 0 && read(counter_, &count, sizeof count) == sizeof count ? count : 0;
  }

 private:
  int counter_ = -1;
};

}  // namespace program
