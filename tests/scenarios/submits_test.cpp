// SPDX-License-Identifier: Apache-2.0
// Checkpoints of submits: what they find, and how the first difference is told.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

const Recording& checked(const Words& words, const std::string& driver = lavapipe) {
  const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

Outcome verify_damaged(const Recording& capture, const std::string& damage) {
  return player({"--verify", "--damage", damage, capture.path});
}

void tells(const Outcome& outcome, const Words& parts) {
  INFO("status " << outcome.status << "\n" << outcome.both());
  CHECK(outcome.status == kDifferent);
  CHECK(is_one_line(outcome, "player"));
  for (const std::string& part : parts) {
    INFO(part);
    CHECK(outcome.err.find(part) != std::string::npos);
  }
}

}  // namespace

SCENARIO("a picture that differs is told by its pixel and both values", "[submits]") {
  const Recording& capture = checked({program("triangle"), "--frames", "3"});
  WHEN("two frames' command buffers are exchanged") {
    tells(verify_damaged(capture, "swap-submits:0:1"),
          {"after submit 0", "VkImage#", "mip 0 layer 0: pixel (", "captured (", "replayed (", "pixels differ"});
  }
  WHEN("its draw is left out") {
    tells(verify_damaged(capture, "drop:vkCmdDraw#0"), {"VkImage#", "pixel (", "pixels differ"});
  }
}

SCENARIO("a buffer that differs is told by its bytes and both values", "[submits]") {
  const Recording& capture = checked({program("compute")});
  WHEN("a dispatch is left out") {
    tells(verify_damaged(capture, "drop:vkCmdDispatch#3"),
          {"after submit", "VkBuffer#", "captured ", "replayed ", "bytes differ", "as 32-bit numbers"});
  }
  WHEN("a host write is left out") {
    tells(verify_damaged(capture, "drop:rondoHostWrite#1"), {"VkBuffer#", "bytes differ"});
  }
}

SCENARIO("what is in no mapped memory and on no screen is compared, too", "[submits]") {
  // Its images are read by shaders only; a read-back checkpoint would see the end of it.
  const Recording& capture = checked({program("images")});
  const Outcome outcome = player({"--verify", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "parts of buffers and images").equal > 10);
}

SCENARIO("an event that the host might set makes no image unreadable", "[submits]") {
  const Recording& capture = checked({program("triangle"), "--frames", "3", "--event", "1"});
  const Outcome outcome = player({"--verify", "--report", capture.path + ".json", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  // On a busy machine, work may take longer than what may wait for the program is waited for.
  CHECK(compared(outcome, "parts of buffers and images").equal >= 2);
  const Json report = Json::parse(read_file(capture.path + ".json"));
  CHECK(report.at("/verification/first_unverified").find("layout") == std::string::npos);
}

SCENARIO("a host write that is undone while it is read is not taken for the device's", "[submits]") {
  const Recording& capture = checked({program("meanwhile"), "--undo", "1"});
  const Outcome outcome = player({"--verify", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "parts of buffers and images").equal >= 30);
}

SCENARIO("names that the program gave are part of what is told", "[submits]") {
  const Recording& capture = checked({program("labels")});
  const Outcome dump = rondo({"dump", "--format=text", capture.path});
  REQUIRE(dump.status == 0);
  REQUIRE(dump.out.find("vkSetDebugUtilsObjectNameEXT") != std::string::npos);
  tells(verify_damaged(capture, "drop:vkCmdFillBuffer#0"), {"VkBuffer#", " \""});
}

SCENARIO("what cannot be read is counted, and says why", "[submits]") {
  const Recording& capture = checked({program("memory")});
  const Outcome outcome = player({"--verify", "--report", capture.path + ".json", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("could not be compared") != std::string::npos);
  const Json report = Json::parse(read_file(capture.path + ".json"));
  CHECK(report.at("/verification/contents/unverified") != "0");
  CHECK(report.at("/verification/first_unverified").find("its stencil aspect is no transfer source") !=
        std::string::npos);
}

SCENARIO("checkpoints that nobody compares cost a replay nothing", "[submits]") {
  const Recording& capture = checked({program("compute")});
  const Outcome outcome = player({"--report", capture.path + ".plain.json", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(Json::parse(read_file(capture.path + ".plain.json")).at("/verification") == "null");
}
