// SPDX-License-Identifier: Apache-2.0
// `rondo capture` lists its captures where every temporary directory is full or read-only.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

constexpr int kNotPermitted = 77;

// The launcher with a program, in a mount namespace of its own. `before` are lines of a shell that run first,
// in the directory of the captures; what they do to /tmp and its like nobody else sees.
Outcome capture_behind(const std::string& before, const Words& words, const TemporaryDirectory& here,
                       const std::string& temporary) {
  Command command;
  command.arguments = {
      "unshare",
      "--mount",
      "sh",
      "-c",
      "mount -t tmpfs -o size=1m none \"$TMPDIR\" 2>/dev/null || exit 77\n" + before + "\nexec \"$0\" \"$@\"",
      build_root() + "/analyzers/rondo",
      "capture",
      "--"};
  if (::geteuid() != 0) command.arguments.insert(command.arguments.begin() + 1, {"--user", "--map-root-user"});
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.directory = here.path();
  command.environment["TMPDIR"] = temporary;
  // The user is 0 in a namespace of users: Mesa would look for that one's home.
  for (const char* home : {"HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}) command.environment[home] = here.path();
  return run(command);
}

const std::string kFill = "cat /dev/zero >\"$TMPDIR/fill\" 2>/dev/null; true";

// The launcher lists the one capture, which plays.
void lists_its_capture(const Outcome& outcome, const TemporaryDirectory& here) {
  INFO(outcome.both());
  if (outcome.status == kNotPermitted) SKIP_SCENARIO("a mount namespace of its own is not permitted here");
  CHECK(outcome.status == 0);
  std::string capture;
  for (const std::string& name : files_in(here.path()))
    if (name.ends_with(".rondo")) capture = name;
  REQUIRE(!capture.empty());
  REQUIRE(lines(outcome.err).size() == 1);
  CHECK(outcome.err.find(capture + ": ") != std::string::npos);
  CHECK(player({here.file(capture)}).status == 0);
}

}  // namespace

SCENARIO("the launcher lists its captures where a temporary directory is full", "[limits]") {
  const TemporaryDirectory here, temporary;
  WHEN("it is full from the start") {
    lists_its_capture(capture_behind(kFill, {program("compute")}, here, temporary.path()), here);
  }
  WHEN("it becomes full before the program makes an instance") {
    lists_its_capture(
        capture_behind("", {"sh", "-c", kFill + "; exec \"$0\"", program("compute")}, here, temporary.path()), here);
  }
  WHEN("nobody may write into any") {
    // The directory of the captures stays writable, though it may lie in one of these.
    const std::string read_only =
        "mount -o remount,bind,ro \"$TMPDIR\" && mount --bind \"$PWD\" \"$PWD\"\n"
        "for place in /tmp /var/tmp /dev/shm; do mount --rbind $place $place && mount -o remount,bind,ro "
        "$place; done\n"
        "cd \"$PWD\"; touch /tmp/rondo-written 2>/dev/null && exit 77";
    lists_its_capture(capture_behind(read_only, {program("compute")}, here, temporary.path()), here);
  }
  WHEN("the program has removed the launcher's file") {
    lists_its_capture(capture_behind("", {"sh", "-c", "\"$0\"; rm \"$RONDO_REPORT_FILE\"", program("compute")}, here,
                                     temporary.path()),
                      here);
  }
}

SCENARIO("a capture of which the launcher could not be told is not denied", "[limits]") {
  const TemporaryDirectory here, temporary;
  // Another program writes into the room that is kept for the entries.
  const Outcome outcome = capture_behind(
      "",
      {"sh", "-c",
       "{ head -c 16383 /dev/zero | tr '\\0' x; printf '\\0'; } >\"$RONDO_REPORT_FILE\"; " + kFill + "; exec \"$0\"",
       program("compute")},
      here, temporary.path());
  INFO(outcome.both());
  if (outcome.status == kNotPermitted) SKIP_SCENARIO("a mount namespace of its own is not permitted here");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("cannot tell the launcher about ") != std::string::npos);
  CHECK(outcome.err.find("No space left on device") != std::string::npos);
  CHECK(outcome.err.find("a capture was written that is not listed here") != std::string::npos);
  CHECK(outcome.err.find("no capture was written") == std::string::npos);
}
