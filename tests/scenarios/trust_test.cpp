// SPDX-License-Identifier: Apache-2.0
// Which captures are trusted: what `rondo capture` finished here, and what tools made of that.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

// By the player's report.
bool is_trusted(const std::string& capture, const Words& options = {}, const std::string& driver = lavapipe) {
  const TemporaryDirectory directory;
  Words words{"--quiet", "--report", directory.file("report.json")};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(capture);
  const Outcome played = player(words, driver);
  INFO(played.both());
  REQUIRE(played.status == 0);
  return read_file(directory.file("report.json")).find("\"trusted\": true") != std::string::npos;
}

Outcome made(const Words& words) {
  const Outcome outcome = rondo(words);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  return outcome;
}

}  // namespace

SCENARIO("what rondo capture finished is trusted, and what tools make of it", "[trust]") {
  const TemporaryDirectory directory;
  const std::string ours = captured({program("compute")}).path;
  REQUIRE(is_trusted(ours));
  const std::string out = directory.file("out.rondo");
  WHEN("it is cut") {
    made({"trim", "--submits", "0:1", ours, "-o", out});
    CHECK(is_trusted(out));
  }
  WHEN("it is packed") {
    made({"pack", ours, "-o", out});
    CHECK(is_trusted(out));
    made({"finish", out});
    CHECK(is_trusted(out));
  }
  WHEN("it is recompressed, in place at last") {
    made({"recompress", ours, "-o", out});
    CHECK(is_trusted(out));
    made({"recompress", "--in-place", "--codec", "lz4", out});
    CHECK(is_trusted(out));
  }
}

SCENARIO("a copy is foreign, and so is what tools make of it", "[trust]") {
  const TemporaryDirectory directory;
  const std::string copy = directory.file("copy.rondo"), out = directory.file("out.rondo");
  std::filesystem::copy_file(captured({program("compute")}).path, copy);
  CHECK(!is_trusted(copy));
  CHECK(is_trusted(copy, {"--trust"}));
  CHECK(!is_trusted(copy));  // --trust is for one replay
  WHEN("it is cut") {
    made({"trim", "--submits", "0:1", copy, "-o", out});
    CHECK(!is_trusted(out));
  }
  WHEN("it is packed or recompressed") {
    made({"pack", copy, "-o", out});
    CHECK(!is_trusted(out));
    made({"recompress", "--in-place", copy});
    CHECK(!is_trusted(copy));
  }
  WHEN("it is finished") {
    made({"finish", copy});
    CHECK(!is_trusted(copy));
    made({"finish", "--trust", copy});
    CHECK(is_trusted(copy));
  }
}

SCENARIO("what is captured without the launcher is foreign", "[trust]") {
  CaptureOptions options;
  options.with_launcher = false;
  const Recording& recording = captured({program("compute")}, options);
  REQUIRE(recording.run.status == 0);
  CHECK(!is_trusted(recording.path));
}

SCENARIO("a capture that the launcher cut is trusted", "[trust]") {
  const TemporaryDirectory directory;
  Command command = capture_command({program("headless")}, directory.file("cut.rondo"), {.driver = fake});
  command.environment["RONDO_FRAMES"] = "1:2";
  const Outcome outcome = run(command);
  INFO(outcome.both());
  REQUIRE(outcome.both().find("(cut to frames 1:2)") != std::string::npos);
  CHECK(is_trusted(directory.file("cut.rondo"), {}, fake));
}
