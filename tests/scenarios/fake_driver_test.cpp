// SPDX-License-Identifier: Apache-2.0
// Captures and replays on the tree's own driver (tests/icd): what lavapipe
// cannot show.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {}

SCENARIO("three queues of which two wait for the third replay bit for bit", "[fake]") {
  replays_bit_for_bit({program("three_queues")}, {.submits = 16, .driver = fake});
}

SCENARIO("one queue that waits for the host replays bit for bit", "[fake]") {
  replays_bit_for_bit({program("three_queues"), "--host", "1"}, {.submits = 16});
}

SCENARIO("one queue that waits for the host replays bit for bit on the fake driver", "[fake]") {
  replays_bit_for_bit({program("three_queues"), "--host", "1"}, {.submits = 16, .driver = fake});
}

SCENARIO("three queues replay on a driver that takes its time", "[fake]") {
  const Recording& capture = captured({program("three_queues")}, {.checkpoints = "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  for (const char* settings : {"delay-us=2000", "lazy=1", "handles=unique"}) {
    const Outcome outcome = player({"--verify", capture.path}, fake, settings);
    INFO(settings << ": " << outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("a captured program's device ends when nothing of the recorder's is pending", "[fake]") {
  // Checkpoints give up on work that takes this long where the host may have to set it off.
  for (const char* name : {"events", "timeline"}) {
    const Recording& capture =
        captured({program(name)}, {.checkpoints = "readback", .driver = fake, .settings = "delay-us=60000"});
    INFO(name << capture.run.both());
    CHECK(capture.run.status == 0);
  }
}

SCENARIO("a host write less is seen on the fake driver", "[fake]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Recording& capture = captured({program("three_queues")}, {.checkpoints = "readback", .driver = fake});
  REQUIRE(capture.run.status == 0);
  CHECK(player({"--verify", capture.path}, fake).status == 0);
  const Outcome outcome = player({"--verify", "--damage", "drop:rondoHostWrite#2", capture.path}, fake);
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
}
