// SPDX-License-Identifier: Apache-2.0
// Captures of one driver on two others: what is played is alike, and what cannot be is refused
// before anything runs. Where a replay differs by more, the program itself does so there.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

const std::vector<std::string> kOthers{lavapipe25, swiftshader};
constexpr int kPlayedFrames = 10;

const Recording& cube(const std::string& checkpoints = "submit", const std::string& driver = lavapipe) {
  const Recording& capture = captured(vkcube(kPlayedFrames), {.checkpoints = checkpoints, .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

std::string missing_here() {
  for (const std::string& driver : kOthers)
    if (!no_driver(driver).empty()) return no_driver(driver);
  return no_readback();
}

// A line each of what the device has not, and nothing was submitted.
void is_refused_by_name(const Outcome& outcome) {
  INFO(outcome.both());
  CHECK(outcome.status == kDevice);
  const std::vector<std::string> rows = lines(outcome.err);
  REQUIRE(!rows.empty());
  if (rows.size() == 1) {
    CHECK(rows[0].find("record 1: vkCreateInstance: no driver here makes an instance of Vulkan") != std::string::npos);
    return;
  }
  CHECK(rows[0].find("cannot be played here") != std::string::npos);
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i].find(" lacks: ") != std::string::npos);
}

// The same words without a recorder.
Outcome alone(const std::string& path, const std::string& driver) {
  Command command;
  command.arguments = {path};
  use_driver(command.environment, driver);
  return run(command);
}

struct Tally {
  int captured = 0, played = 0, refused = 0, different = 0;
};

// Of the programs in `directory`: each is alike there, or refused by name, or prints there without
// a recorder, too, something else than here.
Tally play_programs(const std::string& directory, const std::string& driver) {
  Tally tally;
  for (const std::string& name : programs(directory)) {
    if (name == "crash") continue;  // dies in the middle: [killed]
    const std::string path = program(directory.empty() ? name : directory + "/" + name);
    const Recording& capture = captured({path}, {.checkpoints = "submit"});
    if (capture.run.status != 0) continue;  // not a program for lavapipe, as it says itself
    ++tally.captured;
    INFO(name << " on " << driver);
    Outcome outcome = player({"--verify=psnr:30", capture.path}, driver);
    // Its work is nothing that a checkpoint sees.
    if (outcome.status == kUsage) outcome = player({capture.path}, driver);
    INFO(outcome.both());
    if (outcome.status == kDevice) {
      ++tally.refused;
      is_refused_by_name(outcome);
    } else if (outcome.status == kDifferent) {
      ++tally.different;
      const Outcome here = alone(path, lavapipe), there = alone(path, driver);
      INFO("here: " << here.both() << "\nthere: " << there.both());
      CHECK((here.status != there.status || here.out != there.out));
    } else {
      ++tally.played;
      CHECK(outcome.status == 0);
    }
  }
  return tally;
}

}  // namespace

SCENARIO("vkcube plays on the other drivers, from each to each", "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const std::vector<std::string> all{lavapipe, lavapipe25, swiftshader};
  for (const std::string& from : all) {
    const Recording& capture = cube("submit", from);
    for (const std::string& to : all) {
      INFO(from << " to " << to);
      const bool rounds_alike = (from == swiftshader) == (to == swiftshader);
      const TemporaryDirectory directory;
      const std::string report = directory.file("report.json");
      const Outcome alike = player({"--verify=psnr:40", "--report", report, capture.path}, to);
      INFO(alike.both());
      CHECK(alike.status == 0);
      CHECK(compared(alike, "images").equal == kPlayedFrames);
      CHECK(compared(alike, "images").all == kPlayedFrames);
      const Json json = Json::parse(read_file(report));
      CHECK(json.at("/verification/images/equal_by_psnr") == std::to_string(rounds_alike ? 0 : kPlayedFrames));
      CHECK(json.at("/verification/psnr_asked") == "40.0");
      CHECK((json.at("/verification/psnr") == "null") == rounds_alike);
      // Without a PSNR it is exact.
      const Outcome exact = player({"--verify", capture.path}, to);
      INFO(exact.both());
      CHECK(exact.status == (rounds_alike ? 0 : kDifferent));
      CHECK(compared(exact, "images").equal == (rounds_alike ? kPlayedFrames : 0));
    }
  }
}

SCENARIO("an image that is less alike than asked is named with its PSNR", "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const Outcome outcome = player({"--verify=psnr:80", cube().path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find("10 of 10 images differ; the first at record ") != std::string::npos);
  CHECK(outcome.err.find(": image 0 of VkSwapchainKHR#0: its PSNR is ") != std::string::npos);
  CHECK(outcome.err.find(" dB, and 80 are asked for; pixel (") != std::string::npos);
  CHECK(compared(outcome, "images").equal == 0);
}

SCENARIO("a damaged replay is not alike", "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const Outcome outcome = player({"--verify=psnr:25", "--damage", "drop:vkCmdDraw#0", cube().path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
  CHECK(outcome.err.find("its PSNR is") != std::string::npos);
}

SCENARIO("images whose contents a capture lacks are not called alike", "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = cube("present");
  const Outcome outcome = player({"--verify=psnr:10", capture.path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find("needs RONDO_CHECKPOINTS=submit") != std::string::npos);
  CHECK(outcome.out.find("0 of 10 images compared and equal (10 could not be compared)") != std::string::npos);
  // Where the digests are equal nothing more is needed.
  const Outcome same = player({"--verify=psnr:10", capture.path}, lavapipe25);
  INFO(same.both());
  CHECK(same.status == 0);
  CHECK(compared(same, "images").equal == kPlayedFrames);
}

SCENARIO("OpenGL on Vulkan plays on the newer driver, and is refused by name on one with fewer features",
         "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  for (const std::string benchmark : {"shadow", "texture"}) {
    INFO(benchmark);
    constexpr int kFew = 4;
    const Recording& capture = captured(glmark2(benchmark, kFew), {.checkpoints = "submit"});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome newer = player({"--verify=psnr:40", capture.path}, lavapipe25);
    INFO(newer.both());
    CHECK(newer.status == 0);
    CHECK(compared(newer, "images").equal == kFew);
    CHECK(compared(newer, "parts of buffers and images").equal > 0);
    const Outcome fewer = player({"--verify=psnr:40", capture.path}, swiftshader);
    is_refused_by_name(fewer);
    CHECK(fewer.err.find("lacks: feature VkPhysicalDeviceFeatures2::geometryShader") != std::string::npos);
  }
}

SCENARIO("test programs play on other drivers or are refused by name", "[other-devices]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const Tally newer = play_programs("", lavapipe25), other = play_programs("", swiftshader);
  INFO(newer.played << ", " << newer.refused << ", " << newer.different << " and " << other.played << ", "
                    << other.refused << ", " << other.different << " of " << other.captured);
  CHECK(newer.captured > 60);
  CHECK(newer.played >= newer.captured - 2);
  CHECK(newer.different == 0);
  CHECK(other.played > 40);
  CHECK(other.refused > 10);
}

SCENARIO("programs of the specification's chapters play on other drivers or are refused by name",
         "[chapters-elsewhere]") {
  if (const std::string why = missing_here(); !why.empty()) SKIP_SCENARIO(why);
  const Tally newer = play_programs("chapters", lavapipe25), other = play_programs("chapters", swiftshader);
  INFO(newer.played << ", " << newer.refused << ", " << newer.different << " and " << other.played << ", "
                    << other.refused << ", " << other.different << " of " << other.captured);
  CHECK(newer.captured > 60);
  CHECK(newer.played > 60);
  CHECK(other.played > 30);
  CHECK(other.refused > 10);
}
