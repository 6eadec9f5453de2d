// SPDX-License-Identifier: Apache-2.0
// rondo sync --prove on planted faults (tests/programs/hazards): played on lavapipe, which runs what it is given in its
// order. So what is reordered leaves other bytes, and what is left out does not.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "profiles.h"

using namespace scenario;

namespace {

const Recording& plant(const std::string& name, const std::string& checkpoints = "submit") {
  const Recording& capture = captured({program("hazards/hazards"), name}, {.checkpoints = checkpoints});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

Outcome prove(const std::string& path, const Words& more = {}) {
  Command command;
  use_driver_for_player(command.environment, lavapipe, "");
  command.arguments = {build_root() + "/analyzers/rondo", "sync", "--prove", "--loops", "2", path};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  return run(command);
}

bool has(const Outcome& outcome, const std::string& part) { return outcome.out.find(part) != std::string::npos; }

}  // namespace

SCENARIO("a superfluous barrier and a too wide one are proven by playing without them", "[prove]") {
  const Outcome twice = prove(plant("twice").path);
  INFO(twice.both());
  CHECK(twice.status == 0);
  CHECK(has(twice, "proven: the bits are the same in 2 loops without it\n"));
  CHECK(has(twice, "1 of 1 finding proven on llvmpipe"));
  CHECK(has(twice, "with the one that is superfluous or too wide changed: "));
  CHECK(has(twice, "equal bits on this device show"));

  const Outcome wide = prove(plant("wide-stages").path, {"--format", "jsonl"});
  INFO(wide.both());
  const std::vector<Json> rows = rows_of(wide);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].at("/grade") == "\"proven\"");
  CHECK(rows[1].at("/proof/proven") == "true");
  CHECK(rows[1].at("/proof/loops") == "2");
  CHECK(rows[2].at("/proven") == "1");

  // Across submits, and in a command with another barrier that is needed.
  // A wait of the host, and a semaphore with its signal.
  for (const char* name :
       {"after-semaphore", "unused-barrier-of-two", "after-host-wait", "wait-each", "semaphore-same-queue"}) {
    const Outcome one = prove(plant(name).path);
    INFO(name << one.both());
    CHECK(one.status == 0);
    CHECK(has(one, "    proven: the bits are the same in 2 loops"));
  }
}

SCENARIO("a race is proven by the first byte that differs in another order", "[prove]") {
  // In one command buffer, between two submits, and with the host.
  for (const char* name : {"dispatch-raw", "two-submits", "dispatch-to-copy"}) {
    const Outcome race = prove(plant(name).path);
    INFO(name << race.both());
    CHECK(race.status == 0);
    CHECK(has(race, "race, proven: RAW"));
    CHECK(has(race, "    proven: reordered, the first differing byte is VkBuffer#1 + 0x0 (after submit "));
  }
  const Outcome host = prove(plant("host-write").path);
  INFO(host.both());
  CHECK(has(host, "    proven: with the write moved, the first differing byte is VkBuffer#1 + 0x0 (after submit 1)\n"));
  // Both write ones: the order shows nowhere.
  const Outcome ones = prove(plant("dispatch-waw").path);
  INFO(ones.both());
  CHECK(has(ones, "    not proven: the bits are the same in 2 loops reordered\n"));
  CHECK(has(ones, "race, possible"));
}

SCENARIO("what cannot be tried says why", "[prove]") {
  const Outcome seen = prove(plant("no-access").path);
  INFO(seen.both());
  CHECK(has(seen, "    not proven: the program orders the execution of both, and does not make visible"));
  CHECK(has(seen, "    not proven: it is to be corrected, not removed"));
  const Outcome pass = prove(plant("transition-too-early").path);
  INFO(pass.both());
  CHECK(has(pass, "    not proven: "));

  const Outcome secondary = prove(plant("secondaries").path);
  INFO(secondary.both());
  CHECK(has(secondary, "one of these is a secondary one"));

  // A race and a superfluous barrier, of which the second is one too many.
  const Outcome limited = prove(plant("unused-buffer").path, {"--tries", "1"});
  INFO(limited.both());
  CHECK(limited.status == 0);
  CHECK(has(limited, "    not proven: it was not tried: 1 are tried (--tries)\n"));
  CHECK(has(limited, "1 finding not tried: --tries N tries more\n"));
}

SCENARIO("--prove refuses what it cannot play or compare in one line", "[prove]") {
  const Outcome none = prove(plant("twice", "none").path);
  INFO(none.both());
  CHECK(none.status == kUsage);
  CHECK(is_one_line(none, "rondo"));
  CHECK(none.err.find("--prove: has no checkpoints") != std::string::npos);
  const Outcome device = prove(plant("twice").path, {"--device", "nobody's"});
  INFO(device.both());
  CHECK(device.status != 0);
  CHECK(is_one_line(device, "rondo"));
  CHECK(prove(plant("twice").path, {"--loops", "0"}).status == kUsage);
  CHECK(prove(plant("twice").path, {"--tries", "many"}).status == kUsage);
  CHECK(rondo({"sync", "--loops", "3", plant("twice").path}).status == kUsage);
  CHECK(rondo({"sync", "--prove", "/nowhere.rondo"}).status == kUnreadable);
}
