// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory, on a driver that has them:
// device addresses, push constants and indices of pipelines lie there.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

Words dispatches() { return {program("generated_dispatches")}; }

Expectations with_submits(int submits) {
  return {.submits = submits,
          .driver = lavapipe25,
          .not_validated_because = "the validation layer here does not know them"};
}

}  // namespace

SCENARIO("dispatches that a device makes replay bit for bit", "[generated-commands]") {
  if (const std::string why = cannot_run({program("generated_dispatches")}, lavapipe25); !why.empty())
    SKIP_SCENARIO(why);
  replays_bit_for_bit({program("generated_dispatches")}, with_submits(4));
}

SCENARIO("what an iteration wrote to an indirect execution set is put back", "[generated-commands]") {
  if (const std::string why = cannot_run(dispatches(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(dispatches(), {.checkpoints = "submit", .driver = lavapipe25});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  // The second of these writes to the set behind the first one's use of it.
  const Outcome outcome = player({"--submits", "1:3", "--loop", "3", "--verify", capture.path}, lavapipe25);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Outcome without = player(
      {"--submits", "1:3", "--loop", "3", "--verify", "--leave-out", "execution-sets", capture.path}, lavapipe25);
  INFO("without: " << without.both());
  CHECK(without.status == kDifferent);
}

SCENARIO("draws that a device makes, of addresses that lie in memory, replay bit for bit", "[generated-commands]") {
  if (const std::string why = cannot_run({program("generated_draws")}, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("generated_draws")}, with_submits(8));
}

SCENARIO("mesh draws that a device makes, with task shaders and counts, replay bit for bit", "[generated-commands]") {
  if (const std::string why = cannot_run({program("generated_meshes")}, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("generated_meshes")}, with_submits(7));
}

SCENARIO("rays that a device traces by tables whose addresses lie in memory replay bit for bit",
         "[generated-commands]") {
  if (const std::string why = cannot_run({program("generated_rays")}, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  Expectations expected = with_submits(3);
  replays_bit_for_bit({program("generated_rays")}, expected);
}

SCENARIO("flags that a chained structure says instead of the member replay bit for bit", "[generated-commands]") {
  if (const std::string why = cannot_run({program("maintenance5")}, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("maintenance5")}, with_submits(4));
}

SCENARIO("a driver that needs more room for what it preprocesses than the program has is named",
         "[generated-commands]") {
  if (const std::string why = cannot_run(dispatches(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(dispatches(), {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  // The sixth of its numbers is preprocessSize: it is one less.
  const Outcome outcome =
      player({"--damage", "corrupt:vkCmdExecuteGeneratedCommandsEXT#0:5", capture.path}, lavapipe25);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("the driver preprocesses its commands into") != std::string::npos);
}

SCENARIO("addresses of generated commands are the same however host writes are found", "[generated-commands]") {
  if (const std::string why = cannot_run(dispatches(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  for (const char* way : {"shadow", "scan", "guard"}) {
    const Recording& capture = captured(dispatches(), {.memory = way, .driver = lavapipe25});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({capture.path}, lavapipe25);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("a device that generates no commands is refused, with what it lacks", "[generated-commands]") {
  if (const std::string why = cannot_run(dispatches(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(dispatches(), {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, lavapipe);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("VK_EXT_device_generated_commands") != std::string::npos);
}
