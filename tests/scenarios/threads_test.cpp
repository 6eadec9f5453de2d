// SPDX-License-Identifier: Apache-2.0
// Threads, synchronisation and processes: what happens at the same time in the
// program is replayed in one order, and that order is a right one.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

SCENARIO("two threads that record into one pool each replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("two_pools")}, {.submits = 12});
}

SCENARIO("events that host and device set, wait for and reset replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("events")}, {.submits = 6});
}

SCENARIO("work that waits for a value which another thread signals later replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("timeline")}, {.submits = 8});
}
