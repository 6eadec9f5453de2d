// SPDX-License-Identifier: Apache-2.0
// Nothing recorded is lost when the program dies.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// The one capture in a directory, or nothing yet.
std::string capture_in(const TemporaryDirectory& directory) {
  for (const std::string& name : files_in(directory.path()))
    if (name.find(".rondo") != std::string::npos) return directory.file(name);
  return {};
}

// Runs vkcube without end and kills it once it has presented a few frames: how long that
// takes is the machine's business.
// Returns the capture; the file's name is vkcube's process id.
std::string kill_vkcube(const TemporaryDirectory& directory, bool with_launcher, Outcome& outcome) {
  Process process(capture_command(vkcube(1000000), directory.file("%p.rondo"),
                                  {.checkpoints = "present", .with_launcher = with_launcher}));
  std::string path;
  for (int i = 0; i < 500 && path.empty(); ++i) {
    ::usleep(20000);
    path = capture_in(directory);
  }
  REQUIRE(!path.empty());
  int frames = 0;
  for (int i = 0; i < 600 && frames < 10 && process.running(); ++i) {
    ::usleep(100000);
    const Outcome info = rondo({"info", "--json", path});
    if (info.status == 0) frames = std::stoi(Json::parse(info.out).at("/frames"));
  }
  REQUIRE(frames >= 10);
  REQUIRE(process.running());
  ::kill(std::stoi(std::filesystem::path(path).stem().string()), SIGKILL);
  outcome = process.wait();
  return path;
}

void is_cut_and_salvageable(const std::string& path, const std::string& what) {
  const Outcome info = rondo({"info", path});
  INFO(info.both());
  CHECK(info.status == 0);
  CHECK(info.out.find("cut") != std::string::npos);
  CHECK(Json::parse(rondo({"info", "--json", path}).out).at("/complete") == "false");

  const Outcome refused = player({path});
  INFO(refused.both());
  CHECK(refused.status == kUnreadable);
  CHECK(is_one_line(refused, "player"));
  CHECK(refused.err.find("--salvage") != std::string::npos);
  CHECK(refused.err.find("rondo finish") != std::string::npos);

  const Outcome salvaged = player({"--salvage", "--verify", path});
  INFO(salvaged.both());
  CHECK(salvaged.status == 0);
  const Compared result = compared(salvaged, what);
  CHECK(result.all > 0);
  CHECK(result.equal == result.all);
}

void plays_and_verifies(const std::string& path, const std::string& what) {
  const Outcome verified = player({"--verify", path});
  INFO(verified.both());
  CHECK(verified.status == 0);
  const Compared result = compared(verified, what);
  CHECK(result.all > 0);
  CHECK(result.equal == result.all);
}

}  // namespace

SCENARIO("vkcube killed in the middle leaves one cut file that salvages and verifies", "[killed][vkcube]") {
  const TemporaryDirectory directory;
  Outcome outcome;
  const std::string path = kill_vkcube(directory, false, outcome);
  INFO(outcome.both());
  CHECK(outcome.signal == SIGKILL);
  CHECK(files_in(directory.path()).size() == 1);
  is_cut_and_salvageable(path, "images");

  WHEN("rondo finish closes it") {
    const Outcome finished = rondo({"finish", path});
    INFO(finished.both());
    CHECK(finished.status == 0);
    THEN("it plays and verifies like any other") { plays_and_verifies(path, "images"); }
  }
}

SCENARIO("vkcube killed under rondo capture leaves a file that plays as it is", "[killed][vkcube]") {
  const TemporaryDirectory directory;
  Outcome outcome;
  const std::string path = kill_vkcube(directory, true, outcome);
  INFO(outcome.both());
  CHECK(outcome.status == 128 + SIGKILL);
  CHECK(files_in(directory.path()).size() == 1);
  plays_and_verifies(path, "images");
}

SCENARIO("a program that kills itself between submit and wait salvages up to that submit", "[killed]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const TemporaryDirectory directory;
  const std::string path = directory.file("crash.rondo");
  const CaptureOptions by_environment{.checkpoints = "readback", .with_launcher = false};
  const Outcome outcome = run(capture_command({program("crash")}, path, by_environment));
  INFO(outcome.both());
  REQUIRE(outcome.signal == SIGKILL);
  is_cut_and_salvageable(path, "[a-z -]+");
  CHECK(Json::parse(rondo({"info", "--json", path}).out).at("/submits") == "16");
}

SCENARIO("the launcher finishes the file of a program that died", "[killed]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const TemporaryDirectory directory;
  const std::string path = directory.file("crash.rondo");
  const Outcome outcome = run(capture_command({program("crash")}, path, {.checkpoints = "readback"}));
  INFO(outcome.both());
  CHECK(outcome.status == 128 + SIGKILL);
  CHECK(outcome.err.find("crash.rondo") != std::string::npos);
  plays_and_verifies(path, "[a-z -]+");
}

SCENARIO("a program that leaves by _exit is finished by the launcher", "[killed]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const TemporaryDirectory directory;
  const std::string path = directory.file("leak.rondo");
  const Outcome outcome = run(capture_command({program("leak"), "--quick", "1"}, path, {.checkpoints = "readback"}));
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  plays_and_verifies(path, "[a-z -]+");
}

SCENARIO("finishing a finished capture changes nothing", "[killed]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "readback"});
  const TemporaryDirectory directory;
  const std::string path = directory.file("copy.rondo");
  const std::string before = read_file(capture.path);
  write_file(path, before);
  const Outcome outcome = rondo({"finish", path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(read_file(path) == before);
}
