// SPDX-License-Identifier: Apache-2.0
// What tools say when something is wrong: the reason, and what to do.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

void says(const Outcome& outcome, int status, const std::string& tool, const std::string& words) {
  INFO(outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, tool));
  CHECK(outcome.err.find(words) != std::string::npos);
}

// On lavapipe, with a shell's `limit` before it.
Outcome limited(const std::string& limit, const Words& words) {
  Command command;
  command.arguments = {"bash", "-c", limit + "\nexec \"$0\" \"$@\""};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return run(command);
}

const std::string kPlayer = build_root() + "/player/player", kRondo = build_root() + "/analyzers/rondo";

std::string copy_of(const Recording& capture, const TemporaryDirectory& directory) {
  std::filesystem::copy_file(capture.path, directory.file("copy.rondo"));
  return directory.file("copy.rondo");
}

}  // namespace

SCENARIO("a misspelt word is named with the one that is closest", "[wrong-input]") {
  const std::string& capture = captured({program("triangle")}).path;
  says(rondo({"trmi", capture}), kUsage, "rondo", "'trmi' is no subcommand; the closest is trim (see rondo --help)");
  says(rondo({"nothing-like-it"}), kUsage, "rondo", "'nothing-like-it' is no subcommand (see rondo --help)");
  says(rondo({"info", "--jsno", capture}), kUsage, "rondo",
       "--jsno is no option of rondo info; the closest is --json (see rondo info --help)");
  says(rondo({"info", capture, "more", "words"}), kUsage, "rondo",
       "'more' is one word too many for rondo info; it took '" + capture +
           "' as FILE: only --short takes several (see rondo info --help)");
  says(player({"--verfy", capture}), kUsage, "player",
       "--verfy is no option of player; the closest is --verify; see player --help");
  says(player({capture, "--unheard-of=1"}), kUsage, "player", "--unheard-of is no option of player; see player --help");
}

SCENARIO("an output that is the capture itself is named, with what to do", "[wrong-input]") {
  const TemporaryDirectory directory;
  const std::string copy = copy_of(captured({program("triangle")}), directory);
  const std::string in_place =
      copy + ": -o names the capture itself: name another file, or give --in-place instead of -o";
  says(rondo({"trim", "--submits", "0:1", copy, "-o", copy}), kUsage, "rondo", in_place);
  says(rondo({"recompress", copy, "-o", copy}), kUsage, "rondo", in_place);
  says(rondo({"pack", copy, "-o", copy}), kUsage, "rondo", copy + ": -o names the capture itself: name another file");
}

SCENARIO("a replacement that is no file of SPIR-V is not compared with captures", "[wrong-input]") {
  const std::string& capture = captured({program("triangle")}).path;
  says(player({"--replace", "VkShaderModule#0=/dev/null", capture}), kUsage, "player",
       "--replace: /dev/null: is not a regular file: name a file of SPIR-V");
  says(player({"--replace", "VkShaderModule#0=/proc", capture}), kUsage, "player",
       "--replace: /proc: is a directory: name a file of SPIR-V");
}

SCENARIO("a device that is not there is not blamed on the sandbox", "[wrong-input]") {
  const TemporaryDirectory directory;
  const Outcome outcome = player({"--device", "no such device", copy_of(captured({program("triangle")}), directory)});
  says(outcome, kDevice, "player", "no device is called 'no such device'; this machine has: 0 ");
  CHECK(outcome.err.find("--trust") == std::string::npos);
}

SCENARIO("a driver that has no version is called by its name alone", "[wrong-input]") {
  const Outcome listed = player({"--list-devices"}, fake);
  INFO(listed.both());
  REQUIRE(listed.status == 0);
  CHECK(listed.out.find(",  ") == std::string::npos);
  const Outcome played = player({captured({program("compute")}, {.driver = fake}).path}, fake);
  INFO(played.both());
  CHECK(played.status == 0);
  CHECK(played.out.find(", )") == std::string::npos);
}

SCENARIO("a driver that makes no instance of a newer version is there all the same", "[wrong-input]") {
  for (const std::string newest : {"3", "2", "1", "0"}) {
    const Outcome listed = player({"--list-devices"}, fake, "newest-instance=" + newest);
    INFO(listed.both());
    CHECK(listed.status == 0);
    CHECK(lines(listed.out).size() == 1);
  }
}

SCENARIO("a host write that comes after endless work says what did not end", "[wrong-input]") {
  const std::string settings = "delay-us=100000";
  // Long after the work ended: the capture is sure of it on a machine that stops for a while, too.
  const Recording& capture = captured({program("late_write"), "--after", "1500", "--what", "0", "--map", "0", "--fence",
                                       "0", "--alias", "0", "--rounds", "1"},
                                      {.driver = fake, .settings = settings});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--timeout", "0.3", capture.path}, fake, "delay-us=4000000");
  INFO(outcome.both());
  CHECK(outcome.status == kTimeout);
  CHECK(outcome.err.find("the 0.3 s of --timeout were over before what it waits for ended; the last submit was 0") !=
        std::string::npos);
  CHECK(outcome.err.find("returned VK_TIMEOUT") == std::string::npos);
}

SCENARIO("a replay that is killed leaves a report that says so, and none of an earlier one", "[wrong-input]") {
  const Recording& capture = captured({program("triangle")});
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  REQUIRE(player({"--report", report, capture.path}).status == 0);
  REQUIRE(Json::parse(read_file(report)).at("/status") == "0");
  Command command;
  command.arguments = {"sh",
                       "-c",
                       "\"$0\" \"$@\" & sleep 1; kill -KILL $!; wait $!",
                       build_root() + "/player/player",
                       "--quiet",
                       "--loop",
                       "100000000",
                       "--report",
                       report,
                       capture.path};
  use_driver(command.environment, lavapipe);
  const Outcome killed = run(command);
  INFO(killed.both());
  CHECK(killed.status == 128 + 9);
  const Json left = Json::parse(read_file(report));
  CHECK(left.at("/status") == "1");
  CHECK(left.at("/error").find("has not ended") != std::string::npos);
}

SCENARIO("a reader that goes away is no failure of a replay", "[wrong-input]") {
  Command command;
  command.arguments = {"bash",   "-c", "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}", build_root() + "/player/player",
                       "--loop", "20", captured({program("triangle")}).path};
  use_driver(command.environment, lavapipe);
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}

SCENARIO("a loop whose time is over says how far it came", "[wrong-input]") {
  const Outcome outcome = player({"--timeout", "2", "--loop", "100000000", captured({program("triangle")}).path});
  INFO(outcome.both());
  CHECK(outcome.status == kTimeout);
  CHECK(lines(outcome.err).size() == 1);
  CHECK(outcome.err.find(" of 100000000 iterations had ended") != std::string::npos);
  CHECK(outcome.err.find("the 2 s of --timeout were over; ") != std::string::npos);
  CHECK(outcome.out.find("first submit to last wait") != std::string::npos);
}

SCENARIO("a picture that finds no room says why", "[wrong-input]") {
#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
  SKIP_SCENARIO("a sanitizer's or coverage's runtime writes files of its own");
#endif
  const TemporaryDirectory directory;
  Command command;
  command.arguments = {"bash",
                       "-c",
                       "ulimit -f 0\nexec \"$0\" \"$@\"",
                       kPlayer,
                       "--quiet",
                       "--screenshot",
                       directory.path(),
                       captured({program("headless")}, {.driver = fake}).path};
  use_driver(command.environment, fake);
  says(run(command), kFailed, "player",
       "frame-000000.png: cannot be written: File too large: no file may have more than 0 bytes here (ulimit "
       "-f)");
}

SCENARIO("a launcher that cannot write the list of trusted captures says so once", "[trust]") {
  const TemporaryDirectory directory;
  Command command = capture_command({program("compute")}, directory.file("a.rondo"));
  command.environment["XDG_STATE_HOME"] = "/proc/nowhere";
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(lines(outcome.err).size() == 2);
  CHECK(count(outcome.err, "/proc/nowhere/rondo/trusted: the list of trusted captures cannot be written: ") == 1);
  CHECK(count(outcome.err, "--trust says that it is yours") == 1);
}

// Landlock's rules are made by opening what they are for.
SCENARIO("too few descriptors are named, and not taken for rights that are missing", "[wrong-input]") {
  const TemporaryDirectory directory;
  const std::string copy = copy_of(captured({program("triangle")}), directory);
  for (const char* most : {"4", "5", "6", "7", "8"})
    for (const Words& words : {Words{kPlayer, "--quiet", copy},
                               {kRondo, "trim", "--submits", "0:1", copy, "-o", directory.file("cut.rondo")}}) {
      const Outcome outcome = limited(std::string("ulimit -n ") + most, words);
      INFO("ulimit -n " << most << ": " << words[1] << "\n" << outcome.both());
      CHECK(outcome.signal == 0);
      CHECK(outcome.err.find("Permission denied") == std::string::npos);
      if (outcome.status != 0 && outcome.err.find("while loading shared libraries") == std::string::npos)
        CHECK(outcome.err.find("(ulimit -n)") != std::string::npos);
    }
  const Outcome captured_run =
      limited("ulimit -n 4", {kRondo, "capture", "--output", directory.file("a.rondo"), "--", program("triangle")});
  INFO(captured_run.both());
  CHECK(captured_run.err.find("machine 0") == std::string::npos);
}
