// SPDX-License-Identifier: Apache-2.0
// player --verify --difference: pictures of what another driver draws otherwise.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "pictures.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& cube_with_contents() {
  const Recording& capture = captured(vkcube(3), {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

using Rgb = std::array<int, 3>;

}  // namespace

SCENARIO("each image that differs is shown beside what the capture has", "[difference-pictures]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  const Recording& capture = cube_with_contents();
  const TemporaryDirectory directory;
  const std::string out = directory.file("not/there"), report = directory.file("report.json");
  const Outcome outcome = player({"--verify", "--difference", out, "--report", report, capture.path}, swiftshader);
  INFO(outcome.both());
  REQUIRE(outcome.status == kDifferent);
  const Words files = files_in(out);
  REQUIRE_FALSE(files.empty());
  const Json told = Json::parse(read_file(report));
  CHECK(told.size("/verification/pictures") == files.size());
  bool color = false;
  for (const std::string& file : files) {
    INFO(file);
    CHECK(file.rfind("difference-", 0) == 0);
    const bool said = outcome.out.find(file + ": captured, replayed, difference: ") != std::string::npos;
    CHECK(said);
    if (file.find("VkSwapchainKHR-0-image0") == std::string::npos) continue;
    color = true;
    const PngPicture picture = read_png(out + "/" + file);
    REQUIRE(picture.width == 500 * 3 + 16);
    REQUIRE(picture.height == 500);
    // The background is the same. Somewhere the difference is white in one color, for it is stretched to that, and
    // there the two pictures are not the same.
    CHECK(picture.at(5, 5) == picture.at(508 + 5, 5));
    CHECK(picture.at(1016 + 5, 5) == Rgb{0, 0, 0});
    int greatest = 0, equal = 0;
    for (std::size_t y = 0; y < 500; ++y)
      for (std::size_t x = 0; x < 500; ++x) {
        const Rgb one = picture.at(1016 + x, y);
        for (const int c : one) greatest = std::max(greatest, c);
        if ((one == Rgb{0, 0, 0}) != (picture.at(x, y) == picture.at(508 + x, y))) ++equal;
      }
    CHECK(greatest == 255);
    CHECK(equal == 0);
  }
  CHECK(color);
}

SCENARIO("no picture is written of what is equal, or near enough", "[difference-pictures]") {
  const Recording& capture = cube_with_contents();
  const TemporaryDirectory directory;
  const std::string out = directory.file("out");
  const Outcome equal = player({"--verify", "--difference", out, capture.path});
  INFO(equal.both());
  CHECK(equal.status == 0);
  CHECK(files_in(out).empty());
}

SCENARIO("a line says why there is no picture of a difference", "[difference-pictures]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  const Recording& capture = captured(vkcube(3), {.checkpoints = "present"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Outcome outcome = player({"--verify", "--difference", directory.file("out"), capture.path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
  CHECK(files_in(directory.file("out")).empty());
  CHECK(outcome.out.find("no picture difference-") != std::string::npos);
  CHECK(outcome.out.find("the capture has its digest alone (RONDO_CHECKPOINTS=submit keeps contents)") !=
        std::string::npos);
}

SCENARIO("pictures of differences go with --verify, and say why they cannot be written", "[difference-pictures]") {
  const Recording& capture = cube_with_contents();
  const TemporaryDirectory directory;
  const Outcome alone = player({"--difference", directory.file("out"), capture.path});
  CHECK(alone.status == kUsage);
  CHECK(alone.err == "player: --difference shows what --verify finds: it goes with --verify\n");
  const Outcome nowhere = player({"--verify", "--difference", "/proc/not/there", capture.path});
  CHECK(nowhere.status == kUsage);
  CHECK(nowhere.err ==
        "player: /proc/not/there: no directory for pictures can be made there: No such file or directory\n");
}
