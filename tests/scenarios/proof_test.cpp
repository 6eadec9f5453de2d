// SPDX-License-Identifier: Apache-2.0
// The proof that the proof works: a replay that was tampered with does not
// verify. The player's hidden --damage does the tampering.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& cube() {
  static const Recording& capture = captured(vkcube(), {.checkpoints = "present"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

const Recording& compute() {
  static const Recording& capture = captured({program("compute")}, {.checkpoints = "readback"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

Outcome verify_damaged(const Recording& capture, const std::string& damage) {
  return player({"--verify", "--damage", damage, capture.path});
}

// By number of the submit: the first command buffer's name.
std::vector<std::string> submitted_command_buffers(const Recording& capture) {
  std::vector<std::string> names;
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
    const Json row = Json::parse(line);
    if (row.at("/command") == "\"vkQueueSubmit\"") names.push_back(row.at("/parameters/pSubmits/0/pCommandBuffers/0"));
  }
  return names;
}

void fails_and_names(const Outcome& outcome, int status, const std::string& place) {
  INFO("status " << outcome.status << "\n" << outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find(place) != std::string::npos);
}

}  // namespace

SCENARIO("vkcube with one host write dropped does not verify", "[proof][vkcube]") {
  fails_and_names(verify_damaged(cube(), "drop:rondoHostWrite#100"), kDifferent, "frame");
}

SCENARIO("vkcube with a corrupted blob is not a readable capture", "[proof][vkcube]") {
  const Outcome outcome = verify_damaged(cube(), "corrupt-blob:0");
  fails_and_names(outcome, kUnreadable, cube().path);
  CHECK(outcome.err.find("blob") != std::string::npos);
}

SCENARIO("vkcube with two frames' command buffers exchanged does not verify", "[proof][vkcube]") {
  const std::vector<std::string> used = submitted_command_buffers(cube());
  REQUIRE(used.size() > 100);
  std::size_t other = 101;  // submit 0 uploads; from 1 on each is a frame
  while (other < used.size() && used[other] == used[100]) ++other;
  if (other == used.size())
    SKIP_SCENARIO(
        "this driver gives vkcube the same image for every frame, and so all frames submit one command "
        "buffer; "
        "the triangle's frames have their own and are exchanged below");
  fails_and_names(verify_damaged(cube(), "swap-submits:100:" + std::to_string(other)), kDifferent, "frame");
}

SCENARIO("two frames with their command buffers exchanged do not verify", "[proof]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const Recording& capture = captured({program("triangle"), "--frames", "5"}, {.checkpoints = "readback"});
  REQUIRE(capture.run.status == 0);
  fails_and_names(verify_damaged(capture, "swap-submits:2:3"), kDifferent, "submit 2");
}

SCENARIO("the compute program without its dispatches does not verify", "[proof]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  fails_and_names(verify_damaged(compute(), "drop:vkCmdDispatch#*"), kDifferent, "submit");
}

SCENARIO("the compute program with one host write dropped does not verify", "[proof]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  fails_and_names(verify_damaged(compute(), "drop:rondoHostWrite#20"), kDifferent, "submit");
}

SCENARIO("a read-back that came out the same again is compared all the same", "[proof]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const Recording& capture = captured({program("rewrite")}, {.checkpoints = "readback"});
  REQUIRE(capture.run.status == 0);
  CHECK(player({"--verify", capture.path}).status == 0);
  for (const char* write : {"0", "1", "2"})
    fails_and_names(verify_damaged(capture, std::string("drop:rondoHostWrite#") + write), kDifferent,
                    "VkDeviceMemory#");
}

// Whatever runs leave behind, in a driver or in the player: what goes wrong in the
// last run only. Each copies twice; three are timed, behind one that is not.
SCENARIO("verifying a loop compares every run", "[proof]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Recording& capture = captured({program("rewrite")}, {.checkpoints = "readback", .driver = fake});
  REQUIRE(capture.run.status == 0);
  const auto verify_loop = [&](int lost) {  // the driver does not make the copy of this number
    return player({"--verify", "--loop", "3", capture.path}, fake,
                  "fail=vkCmdCopyBuffer:" + std::to_string(lost) + ":VK_ERROR_UNKNOWN");
  };
  const Outcome last = verify_loop(7);
  fails_and_names(last, kDifferent, "in iteration 3 and not before");
  CHECK(compared(last, "memory ranges").equal < compared(last, "memory ranges").all);
  const Outcome first = verify_loop(1);
  fails_and_names(first, kDifferent, "VkDeviceMemory#");
  CHECK(first.err.find("and not before") == std::string::npos);
  const Outcome behind = verify_loop(9);  // there is no fifth run
  INFO(behind.both());
  CHECK(behind.status == 0);
}

SCENARIO("nothing is damaged unless asked", "[proof]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  CHECK(player({"--verify", compute().path}).status == 0);
  CHECK(player({"--verify", cube().path}).status == 0);
}
