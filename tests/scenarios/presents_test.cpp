// SPDX-License-Identifier: Apache-2.0
// Presents that are waited for, swapchains that are rejected and made anew: on
// the fake driver, which is told to do so.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

// The presents are those of the program: 8 of two swapchains, 2 of all images, 4 and 4 of new ones.
constexpr int kImages = 2 * 8 + 2 + 4 + 4;

const std::string kRejected =
    "fail=vkQueuePresentKHR:3:VK_ERROR_OUT_OF_DATE_KHR;vkQueuePresentKHR:5:VK_SUBOPTIMAL_KHR;"
    "vkAcquireNextImageKHR:3:VK_ERROR_OUT_OF_DATE_KHR;vkAcquireNextImageKHR:8:VK_SUBOPTIMAL_KHR";

Expectations expected() {
  return {.submits = 18,
          .driver = fake,
          .checkpoints = "present",
          .allocates_nothing_because = "it has its swapchains' images",
          .no_contents_because = "it draws to swapchain images only"};
}

void every_image_is_equal(const CaptureOptions& options, const Words& words) {
  const Recording& capture = captured(words, options);
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake, "delay-us=3000");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == kImages);
  CHECK(compared(outcome, "images").all == kImages);
}

}  // namespace

SCENARIO("presents with ids, waits for them and swapchains made each frame replay bit for bit", "[presents]") {
  replays_bit_for_bit({program("presents")}, expected());
}

SCENARIO("presents to planes of displays replay bit for bit without one", "[presents]") {
  Expectations of_displays = expected();
  of_displays.submits = 8;
  replays_bit_for_bit({program("displays")}, of_displays);
}

SCENARIO("swapchains that are out of date or suboptimal replay bit for bit", "[presents]") {
  Expectations rejected = expected();
  rejected.settings = kRejected;
  replays_bit_for_bit({program("presents"), "--rejected", "1"}, rejected);
}

SCENARIO("each image is compared, also that of a present that was rejected", "[presents]") {
  every_image_is_equal({.checkpoints = "present", .driver = fake}, {program("presents")});
  every_image_is_equal({.checkpoints = "present", .driver = fake, .settings = kRejected},
                       {program("presents"), "--rejected", "1"});
}

SCENARIO("what a wait for a present says is free is free in a slow replay", "[presents]") {
  const Recording& capture = captured({program("presents")}, {.driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(count(rondo({"dump", capture.path}).out, "vkWaitForPresentKHR") > 18);
  // Else the fake driver says that the fence is in use, which fails the scenario.
  const Outcome outcome = player({capture.path}, fake, "delay-us=20000");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

SCENARIO("ids of presents are forgotten between the iterations of a loop", "[presents]") {
  const Recording& capture = captured({program("presents")}, {.checkpoints = "present", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const auto looped = [&](const Words& more) {
    Words words{"--frames", "2:6", "--loop", "3"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(capture.path);
    Command command;
    use_driver_for_player(command.environment, fake, "delay-us=20000");
    command.arguments = {build_root() + "/player/player"};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    return run(command);
  };
  for (const Words& more : {Words{}, Words{"--verify"}}) {
    const Outcome outcome = looped(more);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(count(outcome.err, "fake driver:") == 0);
  }
  // Else it waits for none, and uses fences that are in use.
  CHECK(count(looped({"--leave-out", "presents"}).err, "fake driver: vkResetFences") > 0);
}

SCENARIO("a replay that ends with presents to wait for leaves nothing behind", "[presents]") {
  const Recording& capture = captured({program("presents")}, {.driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  // A present of two swapchains, and the wait for one of them.
  std::string until;
  for (const std::string& line : lines(rondo({"dump", capture.path}).out))
    if (until.empty() && line.find("vkWaitForPresentKHR") != std::string::npos &&
        line.find("VK_SUCCESS") != std::string::npos)
      until = std::to_string(std::stoull(line));
  // What outlives its device fails the scenario.
  const Outcome outcome = player({"--until", until, capture.path}, fake, "delay-us=3000");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

SCENARIO("a wait for a present that nothing made is refused", "[presents]") {
  const Recording& capture = captured({program("presents")}, {.driver = fake});
  const Outcome outcome = player({"--damage", "corrupt:vkWaitForPresentKHR#2:presentId=99", capture.path}, fake);
  INFO(outcome.both());
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("waits for present 99") != std::string::npos);
}
