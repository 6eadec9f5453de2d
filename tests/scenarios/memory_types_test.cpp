// SPDX-License-Identifier: Apache-2.0
// Devices with several memory types, as the fake driver has them.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

const char* const layouts[] = {"", "unified=1", "atom=256", "import-alignment=65536,buffer-alignment=1024"};

}  // namespace

SCENARIO("a captured program finds all the memory types of its device", "[memory-types]") {
  const std::string settings = GENERATE(from_range(std::begin(layouts), std::end(layouts)));
  INFO(settings);
  Command alone;
  alone.arguments = {program("memory_types")};
  use_driver(alone.environment, fake, settings);
  const Outcome native = run_on(fake, alone);
  INFO(native.both());
  REQUIRE(native.status == 0);
  // Each word is checked by the program, so unflushed or lost writes end it.
  const Recording& capture = captured({program("memory_types")}, {.driver = fake, .settings = settings});
  INFO(capture.run.both());
  CHECK(capture.run.status == 0);
  CHECK(capture.run.out == native.out);
  const Outcome replay = player({capture.path}, fake, settings);
  INFO(replay.both());
  CHECK(replay.status == 0);
}

SCENARIO("words through memory that is imported replay bit for bit", "[memory-types]") {
  for (const std::string settings : layouts) {
    INFO(settings);
    const Recording& capture =
        captured({program("memory_types")}, {.checkpoints = "readback", .driver = fake, .settings = settings});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome replay = player({"--verify", capture.path}, fake, settings);
    INFO(replay.both());
    CHECK(replay.status == 0);
    const Compared result = compared(replay, "[a-z -]+");
    CHECK(result.all > 0);
    CHECK(result.equal == result.all);
  }
}

SCENARIO("words through every memory type of lavapipe replay bit for bit", "[memory-types]") {
  replays_bit_for_bit({program("memory_types")});
}

// Types that the host does not cache get a copy that the program works on.
SCENARIO("programs that work on a shadow of their memory replay bit for bit", "[memory-types]") {
  for (const std::string name : {"memory_types", "mappings"}) {
    INFO(name);
    const Words words = without_checks({program(name)});
    Command alone;
    alone.arguments = words;
    use_driver(alone.environment, fake);
    const Outcome native = run_on(fake, alone);
    const Recording& capture = captured(words, {.checkpoints = "submit", .memory = "shadow", .driver = fake});
    INFO(native.both() << capture.run.both());
    REQUIRE(capture.run.status == native.status);
    CHECK(capture.run.out == native.out);
    const Outcome replay = player({"--verify", capture.path}, fake);
    INFO(replay.both());
    CHECK(replay.status == 0);
  }
}
