// SPDX-License-Identifier: Apache-2.0
// The clock of Settings::device_clock, in nanoseconds: an hour ahead of CLOCK_MONOTONIC, so that nobody takes one for
// the other. A queue begins a batch when it was submitted, when the batch before has ended, and when its semaphores
// were signalled, all by this clock; it then takes as long as its work is said to take. So what a replay measures does
// not depend on when the threads of this driver run, but for when the host calls it.
#pragma once

#include <cstdint>

namespace fake {

std::uint64_t device_time();  // now
void sleep_until_device_time(std::uint64_t time);

}  // namespace fake
