// SPDX-License-Identifier: Apache-2.0
// Programs with real windows: captured under an X server or a Wayland
// compositor, replayed without either.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

// The images that the program presents, by its own count.
constexpr int kImages = 27;

Expectations expected() {
  return {.submits = 18,
          .checkpoints = "present",
          .allocates_nothing_because = "it has its swapchains' images",
          .no_contents_because = "it draws to swapchain images only"};
}

void every_image_is_equal(const Words& words, int images) {
  const Recording& capture = captured(words, {.checkpoints = "present"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == images);
  CHECK(compared(outcome, "images").all == images);
}

// What the server said of the resized window stands in the capture.
void has_results_of_a_resize(const Words& words) {
  const Outcome dump = rondo({"dump", captured(words, {.checkpoints = "present"}).path});
  INFO(dump.both());
  int results = 0;
  for (const std::string& line : lines(dump.out))
    if (line.find("vkAcquireNextImageKHR") != std::string::npos || line.find("vkQueuePresentKHR") != std::string::npos)
      results += count(line, "= VK_SUBOPTIMAL_KHR") + count(line, "= VK_ERROR_OUT_OF_DATE_KHR");
  CHECK(results > 0);
}

Words vanishing(const std::string& system) {
  Words words = windows(system);
  words.insert(words.begin() + 1, {"--vanish", "1"});
  return words;
}

Expectations of_vanishing() {
  Expectations e = expected();
  e.submits = -1;  // until the server says so
  return e;
}

}  // namespace

SCENARIO("windows of xcb, resized, minimized and closed, replay bit for bit", "[windows]") {
  replays_bit_for_bit(windows("xcb"), expected());
}

SCENARIO("windows of Xlib, resized, minimized and closed, replay bit for bit", "[windows]") {
  replays_bit_for_bit(windows("xlib"), expected());
}

SCENARIO("windows of Wayland, resized, minimized and closed, replay bit for bit", "[windows]") {
  replays_bit_for_bit(windows("wayland"), expected());
}

SCENARIO("images that a program makes of a swapchain replay bit for bit", "[windows]") {
  const Words words{build_root() + "/tests/windows/swapchain_images"};
  every_image_is_equal(words, 8);
  replays_bit_for_bit(words, {.submits = 8});
}

SCENARIO("a window of xcb that vanishes under its swapchain ends neither capture nor replay", "[windows]") {
  replays_bit_for_bit(vanishing("xcb"), of_vanishing());
}

SCENARIO("a window of Xlib that vanishes under its swapchain ends neither capture nor replay", "[windows]") {
  replays_bit_for_bit(vanishing("xlib"), of_vanishing());
}

SCENARIO("a program sees that its window has vanished, and so does its capture", "[windows]") {
  for (const std::string system : {"xcb", "xlib"}) {
    INFO(system);
    every_image_is_equal(vanishing(system), 6);
    const std::string dump = rondo({"dump", captured(vanishing(system), {.checkpoints = "present"}).path}).out;
    CHECK(count(dump, "= VK_ERROR_SURFACE_LOST_KHR") + count(dump, "= VK_ERROR_OUT_OF_DATE_KHR") > 0);
  }
}

SCENARIO("each image that was presented to a window is compared", "[windows]") {
  for (const std::string system : {"xcb", "xlib", "wayland"}) {
    INFO(system);
    every_image_is_equal(windows(system), kImages);
  }
}

SCENARIO("a program sees that its window was resized, and so does its capture", "[windows]") {
  for (const std::string system : {"xcb", "xlib"}) {
    INFO(system);
    has_results_of_a_resize(windows(system));
  }
}

SCENARIO("vkcube on Wayland replays without a compositor and every image is equal", "[windows]") {
  every_image_is_equal(vkcube_wayland(30), 30);
}
