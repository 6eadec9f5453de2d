// SPDX-License-Identifier: Apache-2.0
// 300 frames of vkcube: captured under an X server, replayed without one.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

const CaptureOptions kPresented{.checkpoints = "present"};

std::uintmax_t bytes_of(const Recording& recording) { return std::filesystem::file_size(recording.path); }

}  // namespace

SCENARIO("vkcube's 300 frames replay without a display and every image is equal", "[vkcube]") {
  GIVEN("a capture with a digest of every presented image") {
    const Recording& capture = captured(vkcube(), kPresented);
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);

    WHEN("it is verified") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      THEN("300 of 300 images were compared and equal") {
        CHECK(outcome.status == 0);
        CHECK(compared(outcome, "images").equal == 300);
        CHECK(compared(outcome, "images").all == 300);
      }
    }
    WHEN("it is looped") {
      const Outcome outcome = player({"--loop", "2", capture.path});
      INFO(outcome.both());
      THEN("every pass succeeds") { CHECK(outcome.status == 0); }
    }
    WHEN("it is replayed under the validation layer") {
      const Outcome outcome = player({"--validate", capture.path});
      INFO(outcome.both());
      THEN("not a message appears") { CHECK(outcome.status == 0); }
    }
    WHEN("rondo info reads it") {
      const Outcome outcome = rondo({"info", "--json", capture.path});
      const Json info = Json::parse(outcome.out);
      THEN("it counts 300 frames") {
        CHECK(info.at("/complete") == "true");
        CHECK(info.at("/frames") == "300");
      }
    }
  }
}

SCENARIO("every way of finding host writes makes the same images", "[vkcube]") {
  const Words ways = no_readback().empty() ? Words{"alias", "pagemap", "shadow", "scan", "guard"}
                                           : Words{"auto", "shadow", "scan", "guard"};
  for (const std::string& way : ways) {
    const Recording& capture = captured(vkcube(30), {.checkpoints = "present", .memory = way});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({"--verify", capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(compared(outcome, "images").equal == 30);
  }
}

SCENARIO("screenshots of every frame are written as PNG", "[vkcube]") {
  const Recording& capture = captured(vkcube(10), kPresented);
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Outcome outcome = player({"--screenshot", directory.path(), capture.path});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const std::vector<std::string> names = files_in(directory.path());
  REQUIRE(names.size() == 10);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(name.find(".png") == name.size() - 4);
    CHECK(read_file(directory.file(name)).substr(0, 8) == "\x89PNG\r\n\x1a\n");
  }
  // The cube turns: the first and the last frame are different pictures.
  CHECK(read_file(directory.file(names.front())) != read_file(directory.file(names.back())));
}

SCENARIO("vkcube's capture is small", "[vkcube]") {
  WHEN("compressed fast") {
    const Recording& capture = captured(vkcube());
    REQUIRE(capture.run.status == 0);
    THEN("300 frames take at most 56 KB") { CHECK(bytes_of(capture) <= 56 * 1024); }
  }
  WHEN("compressed high") {
    const Recording& capture = captured(vkcube(), {.compression = "high"});
    REQUIRE(capture.run.status == 0);
    THEN("300 frames take at most 40 KB, and replay") {
      CHECK(bytes_of(capture) <= 40 * 1024);
      const Outcome outcome = player({capture.path});
      INFO(outcome.both());
      CHECK(outcome.status == 0);
    }
  }
  WHEN("not compressed") {
    const Recording& capture = captured(vkcube(20), {.checkpoints = "present", .compression = "none"});
    REQUIRE(capture.run.status == 0);
    THEN("it verifies all the same") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      CHECK(outcome.status == 0);
      CHECK(compared(outcome, "images").equal == 20);
    }
  }
}

SCENARIO("a report names what was replayed", "[vkcube]") {
  const Recording& capture = captured(vkcube(10), kPresented);
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome = player({"--verify", "--report", report, capture.path});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const Json json = Json::parse(read_file(report));
  REQUIRE(json.valid());
  CHECK(json.at("/status") == "0");
}
