// SPDX-License-Identifier: Apache-2.0
// What `rondo capture` leaves behind: its captures, and nothing else, wherever files for a while are put.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

namespace {

// Home, temporary files and the directory it runs in are rooms of its own.
struct Rooms {
  TemporaryDirectory home, temporary, here;

  Command command(const Words& options, const Words& words) const {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "capture"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.push_back("--");
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.directory = here.path();
    command.environment["HOME"] = home.path();
    command.environment["MESA_SHADER_CACHE_DISABLE"] = "true";  // the driver's
    command.environment["TMPDIR"] = temporary.path();
    return command;
  }
};

// It ends with the status, and leaves so many captures: no more, anywhere.
void leaves(const Rooms& rooms, const Words& options, const Words& words, int status, std::size_t captures) {
  const std::size_t before = files_in(rooms.here.path()).size();
  const Outcome outcome = run(rooms.command(options, words));
  INFO(outcome.both());
  CHECK(outcome.status == status);
  const std::vector<std::string> names = files_in(rooms.here.path());
  CHECK(names.size() == before + captures);
  CHECK(std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".rondo"); }));
  CHECK(files_in(rooms.temporary.path()).empty());
  CHECK(files_in(rooms.home.path()).empty());
}

// In a namespace of its own, where the shared places are empty, captures are made; what is there at the end.
// The status 77: that is not allowed here.
const std::string kAlone = R"(
  for place in /tmp /var/tmp /dev/shm; do mount -t tmpfs none $place || exit 77; done 2>/dev/null
  mkdir /tmp/here && cd /tmp/here
  for i in 1 2 3 4 5 6 7 8 9 10; do
    for more in "" --replay --verify; do
      "$1" capture $more -- true
      "$1" capture $more -- "$2"
      "$1" capture $more -- "$3"
    done
  done >/dev/null 2>&1
  for i in $(seq 70); do "$1" capture -- true; done 2>/dev/null
  find /tmp /var/tmp /dev/shm -mindepth 1 | sort
)";

constexpr int kOwnError = 125, kNothingToCompare = 2;

}  // namespace

SCENARIO("a hundred captures of programs without Vulkan leave nothing behind", "[capture-checks]") {
  const Rooms rooms;
  for (int i = 0; i < 100; ++i) leaves(rooms, {}, {"true"}, 0, 0);
  for (const char* more : {"--replay", "--verify"})
    for (int i = 0; i < 10; ++i) leaves(rooms, {more}, {"true"}, kOwnError, 0);
}

SCENARIO("captures leave their files and nothing else", "[capture-checks]") {
  if (kSanitized) SKIP_SCENARIO("a sanitizer's reports are files of its own");
  const Rooms rooms;
  const Words quick{program("vulkan14")}, killed{program("crash")}, nothing{program("surface")};
  for (int i = 0; i < 5; ++i) {
    leaves(rooms, {}, quick, 0, 1);
    leaves(rooms, {"--replay"}, quick, 0, 1);
    leaves(rooms, {"--verify"}, nothing, kNothingToCompare, 1);
    if (no_readback().empty()) leaves(rooms, {"--verify"}, quick, 0, 1);
    leaves(rooms, {}, killed, 128 + SIGKILL, 1);
    leaves(rooms, {"--replay"}, killed, 128 + SIGKILL, 1);
    leaves(rooms, {"--verify"}, killed, 128 + SIGKILL, 1);
    // Refused before it runs.
    leaves(rooms, {}, {"no-such-program"}, 127, 0);
    leaves(rooms, {"--output", "none/x.rondo"}, quick, kOwnError, 0);
  }
}

SCENARIO("a capture whose launcher is interrupted leaves its file and nothing else", "[capture-checks]") {
  if (kSanitized) SKIP_SCENARIO("a sanitizer's reports are files of its own");
  const Rooms rooms;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGIO, SIGPROF, SIGRTMIN + 3}) {
    const std::size_t captures = files_in(rooms.here.path()).size();
    Process process(rooms.command({}, {program("compute"), "--submits", "100000000"}));
    for (int i = 0; i < 1000 && files_in(rooms.here.path()).size() == captures; ++i) ::usleep(10000);
    process.kill(signal);
    const Outcome outcome = process.wait();
    INFO(outcome.both());
    CHECK(outcome.status == 128 + signal);
    CHECK(files_in(rooms.here.path()).size() == captures + 1);
    CHECK(files_in(rooms.temporary.path()).empty());
  }
}

SCENARIO("what a launcher leaves that is killed the next one removes", "[capture-checks]") {
  const Rooms rooms;
  Process other(rooms.command({}, {"sleep", "60"}));
  for (int i = 0; i < 1000 && files_in(rooms.temporary.path()).empty(); ++i) ::usleep(10000);
  const std::vector<std::string> running = files_in(rooms.temporary.path());
  REQUIRE(running.size() == 1);
  Process killed(rooms.command({}, {"sleep", "5"}));
  for (int i = 0; i < 1000 && files_in(rooms.temporary.path()).size() < 2; ++i) ::usleep(10000);
  killed.kill(SIGKILL);
  static_cast<void>(killed.wait());
  const std::vector<std::string> left = files_in(rooms.temporary.path());
  CHECK(left.size() == 2);
  std::string elsewhere = left.front() == running.front() ? left.back() : left.front();
  std::string boot = read_file("/proc/sys/kernel/random/boot_id");
  boot.pop_back();
  REQUIRE(elsewhere.find(boot) != std::string::npos);
  char& digit = elsewhere[elsewhere.find(boot)];  // of another machine that has the same directory
  digit = digit == '0' ? '1' : '0';
  write_file(rooms.temporary.file(elsewhere), "");
  CHECK(run(rooms.command({}, {"true"})).status == 0);
  CHECK(std::filesystem::remove(rooms.temporary.file(elsewhere)));
  CHECK(files_in(rooms.temporary.path()) == running);
  other.kill(SIGTERM);
  CHECK(other.wait().status == 128 + SIGTERM);
  CHECK(files_in(rooms.temporary.path()).empty());
}

SCENARIO("captures leave nothing in the machine's temporary directories and shared memory", "[capture-checks]") {
  if (kSanitized) SKIP_SCENARIO("a sanitizer's reports are files of its own");
  if (build_root().rfind("/tmp/", 0) == 0) SKIP_SCENARIO("the build lies in /tmp");
  Command command;
  command.arguments = {
      "unshare",           "--mount",       "sh", "-c", kAlone, "sh", build_root() + "/analyzers/rondo",
      program("vulkan14"), program("crash")};
  if (::geteuid() != 0) command.arguments.insert(command.arguments.begin() + 1, {"--user", "--map-root-user"});
  command.environment["HOME"] = "/tmp/nobody";  // in the namespace: nobody else can have made it
  command.environment["MESA_SHADER_CACHE_DISABLE"] = "true";
  command.environment.erase("TMPDIR");
  command.environment.erase("XDG_STATE_HOME");  // the list of trusted captures: without a home there is none
  const Outcome outcome = run(command);
  INFO(outcome.both());
  if (outcome.status != 0) SKIP_SCENARIO("a mount namespace of its own is not permitted here");
  const std::vector<std::string> found = lines(outcome.out);
  CHECK(found.size() == 1 + 60);  // and the directory they are in
  for (const std::string& name : found)
    CHECK((name == "/tmp/here" || (name.rfind("/tmp/here/", 0) == 0 && name.ends_with(".rondo"))));
}
