// SPDX-License-Identifier: Apache-2.0
// Devices that are lost, in a captured program and in a replay: on the fake
// driver, which loses them when it is told to.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

// At the call that submits, and while a queue works.
std::vector<std::string> losses() {
  std::vector<std::string> all;
  for (int n = 1; n <= 9; ++n)
    for (const char* how : {"lost-after=", "lost-in="}) all.push_back(how + std::to_string(n));
  return all;
}

std::string line_of_rondo(const Outcome& outcome) {
  std::string found;
  for (const std::string& line : lines(outcome.err))
    if (line.rfind("rondo: ", 0) == 0) found += line + "\n";
  return found;
}

}  // namespace

SCENARIO("a program that is prepared for the loss of its device replays bit for bit", "[lost]") {
  replays_bit_for_bit({program("lost")}, {.submits = 24, .driver = fake});
}

SCENARIO("a program whose device is lost goes on, and so do its capture and the replay", "[lost]") {
  for (const std::string& loss : losses())
    for (const char* checkpoints : {"none", "readback", "submit"}) {
      INFO(loss << " " << checkpoints);
      const Words words{program("lost")};
      const TemporaryDirectory directory;
      const std::string path = directory.file("x.rondo");
      Command command = capture_command(
          words, path, {.checkpoints = checkpoints, .driver = fake, .settings = loss, .with_launcher = false});
      const Outcome outcome = run_on(fake, command);
      INFO(outcome.both());
      CHECK(outcome.status == 0);
      CHECK(outcome.out == "lost: 4 frames on the second device\n");
      const std::string said = line_of_rondo(outcome);
      CHECK(lines(said).size() == 1);
      CHECK(said.find("a device was lost: ") != std::string::npos);
      const bool compares = std::string(checkpoints) != "none";
      const Outcome replay = player(compares ? Words{"--verify", path} : Words{path}, fake);
      INFO(replay.both());
      CHECK(replay.status == 0);
      // All of the second device's, and what the first one has ended.
      if (compares) CHECK(compared(replay, "memory ranges").equal >= 4);
      const Outcome validated = player({"--validate", path}, fake);
      INFO(validated.both());
      CHECK(validated.status == 0);
    }
}

SCENARIO("a replay whose device is lost says behind which submit", "[lost]") {
  const Recording& capture = captured({program("lost")}, {.checkpoints = "readback", .driver = fake});
  REQUIRE(capture.run.status == 0);
  // The slow one says that it is lost while a queue still works.
  for (const char* loss : {"lost-after=12", "lost-in=12", "lost-after=12,delay-us=20000"}) {
    const Outcome outcome = player({"--verify", capture.path}, fake, loss);
    INFO(loss << "\n" << outcome.both());
    CHECK(outcome.status == 1);
    CHECK(lines(outcome.err).size() == 1);
    CHECK(outcome.err.find("VK_ERROR_DEVICE_LOST") != std::string::npos);
    CHECK(outcome.err.find("; the last submit was ") != std::string::npos);
    CHECK(outcome.err.find("(frame ") != std::string::npos);
  }
}
