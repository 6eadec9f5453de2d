// SPDX-License-Identifier: Apache-2.0
// player --window: what is presented can be seen, and changes nothing else.
#include <catch2/catch.hpp>
#include <functional>
#include <regex>

#include "fixture.h"
#include "relay.h"
#include "screen.h"

using namespace scenario;

namespace {

constexpr std::uint32_t kBackground = 0x333333;  // vkcube's
constexpr std::size_t kMostOfIt = 100'000;       // of the 250,000 pixels of its window
constexpr double kPatience = 60;

const Recording& cube() { return captured(vkcube(30), {.checkpoints = "present"}); }

Command with_window(const Words& arguments, const std::string& driver = lavapipe) {
  Command command;
  use_driver_for_player(command.environment, driver, "");
  command.arguments = {build_root() + "/player/player", "--window"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

void use_compositor(Command& command, const Compositor& compositor) {
  command.environment["XDG_RUNTIME_DIR"] = compositor.runtime_directory();
  command.environment["WAYLAND_DISPLAY"] = compositor.name();
}

bool comes_in_time(const std::function<bool()>& what) {
  for (const double until = now_s() + kPatience; now_s() < until;)
    if (what()) return true;
  return false;
}

// Images, by the summary's own count; -1: it has none.
int shown(const Outcome& outcome) {
  std::smatch match;
  if (!std::regex_search(outcome.out, match, std::regex(" ([0-9,]+) images? shown in windows"))) return -1;
  std::string number = match[1];
  std::erase(number, ',');
  return std::stoi(number);
}

void shows_all(Command command, int images, int runs) {
  const Outcome outcome = run_on(lavapipe, command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == images * runs);
  CHECK(compared(outcome, "images").all == images * runs);
  CHECK(shown(outcome) == images * runs);
  CHECK(outcome.err == "");
}

// `close(screen)` happens while it plays.
void plays_on(const std::function<void(const Screen&)>& close) {
  constexpr int kRuns = 60;
  const Screen screen;
  Command command = with_window({"--fresh", "--loop", std::to_string(kRuns), "--verify", cube().path});
  command.environment["DISPLAY"] = screen.display();
  Process process(command);
  CHECK(comes_in_time([&] { return screen.count(kBackground) > kMostOfIt || !process.running(); }));
  close(screen);
  const Outcome outcome = process.wait();
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == 30 * kRuns);
  CHECK(count(outcome.out, "the window of VkSurfaceKHR#0 was closed: playing on without it\n") == 1);
  CHECK(shown(outcome) > 0);
  CHECK(shown(outcome) < 30 * kRuns);
  CHECK(outcome.err == "");
}

void close_windows(const Screen& screen, const std::string& how) {
  Command command;
  command.arguments = {build_root() + "/tests/windows/close_windows", how};
  command.environment["DISPLAY"] = screen.display();
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

void refuses(const Command& command, int status, const std::string& why) {
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find(why) != std::string::npos);
}

// The connections end behind each part of what the server says, in the driver's first questions,
// too, whose answers Mesa takes unseen.
void ends_everywhere(Relay::Ends ends, const std::function<void(const Outcome&)>& otherwise) {
  constexpr int kMost = 1000;  // it says less
  const Recording& capture = captured(vkcube(3), {.checkpoints = "present"});
  int went_on = 0;
  for (int parts = 1; parts < kMost; ++parts) {
    const Relay relay(display(), parts, ends);
    Command command = with_window({"--verify", capture.path});
    command.environment["DISPLAY"] = relay.display();
    const Outcome outcome = run(command);
    INFO("behind part " << parts << "\n" << outcome.both());
    if (outcome.status == 2) {  // it ended while they were made
      CHECK(outcome.err.find("of DISPLAY cannot be reached\n") != std::string::npos);
      continue;
    }
    if (outcome.status != 0) {
      otherwise(outcome);
      continue;
    }
    CHECK(outcome.err == "");
    CHECK(compared(outcome, "images").equal == 3);
    if (!relay.has_cut()) {
      CHECK(shown(outcome) == 3);
      break;
    }
    ++went_on;
  }
  CHECK(went_on > 10);
}

}  // namespace

SCENARIO("what a replay presents can be seen in a window of X", "[window]") {
  const Screen screen;
  REQUIRE(screen.count(kBackground) == 0);
  Command command = with_window({"--fresh", "--loop", "1000", cube().path});
  command.environment["DISPLAY"] = screen.display();
  Process process(command);
  CHECK(comes_in_time([&] { return screen.count(kBackground) > kMostOfIt; }));
  CHECK(process.running());
  CHECK(screen.has_other_than({0, kBackground}, 0, 0, 500, 500));  // the cube
}

SCENARIO("what a replay presents can be seen in a window of Wayland", "[window]") {
  const Screen screen;
  const Compositor compositor(screen.display());
  Command command = with_window({"--fresh", "--loop", "1000", cube().path});
  use_compositor(command, compositor);
  Process process(command);
  CHECK(comes_in_time([&] { return screen.count(kBackground) > kMostOfIt; }));
  CHECK(process.running());
}

SCENARIO("each presented image is shown, and compared as without windows", "[window]") {
  const Compositor compositor;
  for (const bool wayland : {false, true}) {
    INFO((wayland ? "Wayland" : "X"));
    const auto on_screen = [&](const Words& arguments) {
      Command command = with_window(arguments);
      if (wayland)
        use_compositor(command, compositor);
      else
        command.environment["DISPLAY"] = display();
      return command;
    };
    const TemporaryDirectory pictures;
    shows_all(on_screen({"--verify", "--validate", cube().path}), 30, 1);
    shows_all(on_screen({"--verify", "--screenshot", pictures.path(), "--fresh", "--loop", "2", cube().path}), 30, 2);
    CHECK(files_in(pictures.path()).size() == 30);
    // Two windows, resized and closed, with a swapchain made anew in every frame.
    const Recording& several = captured(windows("xcb"), {.checkpoints = "present"});
    shows_all(on_screen({"--verify", "--validate", several.path}), 27, 1);
  }
}

SCENARIO("a replay goes on when its window is closed by its user", "[window]") {
  plays_on([](const Screen& screen) { close_windows(screen, "ask"); });
}

SCENARIO("a replay goes on when its window is destroyed", "[window]") {
  plays_on([](const Screen& screen) { close_windows(screen, "destroy"); });
}

SCENARIO("a replay goes on when the X server ends the connection", "[window]") {
  plays_on([](const Screen& screen) { close_windows(screen, "kill"); });
}

SCENARIO("a replay goes on wherever the X server ends the connection of its windows", "[window]") {
  ends_everywhere(Relay::Ends::first, [](const Outcome& outcome) { CHECK(outcome.status == 0); });
}

SCENARIO("a replay goes on wherever the X server goes away, or says why not", "[window]") {
  ends_everywhere(Relay::Ends::all, [](const Outcome& outcome) {
    CHECK(outcome.status == 1);
    CHECK(is_one_line(outcome, "player"));
    CHECK(outcome.err.find(": the window system went away while the driver asked it") != std::string::npos);
  });
}

SCENARIO("windows without a window system are refused by name", "[window]") {
  Command command = with_window({cube().path});
  refuses(command, 2, "--window: no window system is here: neither DISPLAY nor WAYLAND_DISPLAY is set");
  command.environment["WAYLAND_DISPLAY"] = "nobody";
  refuses(command, 2, "--window: the Wayland compositor nobody of WAYLAND_DISPLAY cannot be reached");
  command.environment["DISPLAY"] = ":9999";
  refuses(command, 2, "--window: the X server :9999 of DISPLAY cannot be reached");
}

SCENARIO("windows that no driver presents to are refused by name", "[window]") {
  Command command = with_window({captured({program("presents")}, {.driver = fake}).path}, fake);
  command.environment["DISPLAY"] = display();
  refuses(command, 4, "--window: no driver here presents to windows: none has VK_KHR_xcb_surface");
}

SCENARIO("a replay that presents nothing needs no window", "[window]") {
  const Outcome outcome = run(with_window({captured({program("compute")}).path}));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("; no windows: no image was presented") != std::string::npos);
}
