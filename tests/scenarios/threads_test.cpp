// SPDX-License-Identifier: Apache-2.0
// Threads, synchronisation and processes: what happens at the same time in the
// program is replayed in one order, and that order is a right one.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

constexpr int kAny = 1 << 30;

}  // namespace

SCENARIO("two threads that record into one pool each replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("two_pools")}, {.submits = 12});
}

SCENARIO("events that host and device set, wait for and reset replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("events")}, {.submits = 6});
}

SCENARIO("work that waits for a value which another thread signals later replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("timeline")}, {.submits = 8});
}

SCENARIO("64 threads whose handles are each other's old ones replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("churn")},
                      {.submits = 512,
                       .not_compared = kAny,
                       .not_compared_because = "63 other threads write and submit at every wait"});
}

SCENARIO("pools that are reset while other threads allocate replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("pool_resets")},
                      {.submits = 96,
                       .not_compared = kAny,
                       .not_compared_because = "three other threads write and submit at every wait"});
}

SCENARIO("two instances and three devices at once replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("two_instances")}, {.submits = 56});
}

SCENARIO("fences that are polled and used again replay bit for bit", "[threads]") {
  replays_bit_for_bit(
      {program("fences")},
      {.submits = 33,
       .not_compared = 2,
       .not_compared_because = "two buffers, at a wait for one of two fences: the other waits for the host"});
}
