// SPDX-License-Identifier: Apache-2.0
// The newest Mesa, of Debian's sid: what runs on it without a recorder runs the same with one, and its capture
// replays bit for bit. Programs that fail there by themselves are left out by name: sid changes every day.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

constexpr int kNothingToCompare = 2;

// Programs that are not run there at all, and why.
const std::map<std::string, std::string> kWithout{
    {"crash", "it is killed in its middle, which [killed] is about"},
    {"forks", "the driver waits for ever in the exit handlers of a child, for threads that the child does not have"},
};
// They print times or lists of what the driver has, of which some is hidden.
const std::map<std::string, std::string> kOtherOutput{
    {"draws", "times"}, {"extensions", "extensions"}, {"persistent", "times"}, {"surface", "extensions"}};

Command command_of(const Words& words) {
  Command command;
  command.arguments = words;
  use_driver(command.environment, lavapipe26);
  return command;
}

// Returns how many ranges and parts of resources were compared.
int captures_and_verifies(const std::string& name, const Outcome& alone) {
  const TemporaryDirectory directory;
  const std::string capture = directory.file("x.rondo");
  const CaptureOptions options{.checkpoints = no_readback(lavapipe26).empty() ? "submit" : "none",
                               .driver = lavapipe26};
  const Outcome captured = run(capture_command({program(name)}, capture, options));
  INFO(name << " captured: " << captured.both());
  CHECK(captured.status == alone.status);
  if (kOtherOutput.count(name) == 0) CHECK(captured.out == alone.out);
  Words arguments{capture};
  if (options.checkpoints != "none") arguments.insert(arguments.begin(), "--verify");
  const Outcome replayed = player(arguments, lavapipe26);
  INFO(name << " replayed: " << replayed.both());
  if (replayed.status == kNothingToCompare) {
    CHECK(replayed.err.find("nothing to compare") != std::string::npos);
    return 0;
  }
  CHECK(replayed.status == 0);
  int equal = 0;
  for (const char* what : {"memory ranges", "parts of buffers and images"})
    equal += std::max(compared(replayed, what).equal, 0);
  return equal;
}

}  // namespace

SCENARIO("what a capture enables by an extension's name of today, an older driver has by its first name",
         "[newest-driver]") {
  for (const std::string& driver : {lavapipe25, lavapipe26})
    if (const std::string why = no_driver(driver); !why.empty()) SKIP_SCENARIO(why);
  const Words words{program("chapters/null_descriptors")};
  const Recording& capture = captured(words, {.driver = lavapipe26});
  REQUIRE(capture.run.status == 0);
  const Outcome info = rondo({"info", capture.path});
  REQUIRE(info.out.find("VK_KHR_robustness2") != std::string::npos);
  const Outcome played = player({capture.path}, lavapipe25);
  INFO(played.both());
  CHECK(played.status == 0);
}

SCENARIO("every test program that runs on the newest lavapipe is captured and replays there bit for bit",
         "[newest-driver]") {
  if (const std::string why = no_driver(lavapipe26); !why.empty()) SKIP_SCENARIO(why);
  int captured = 0, verified = 0;
  for (const std::string& name : programs()) {
    const auto without = kWithout.find(name);
    const Outcome alone = without != kWithout.end() ? Outcome{} : run(command_of({program(name)}));
    if (alone.status != 0) {
      const std::string said = alone.both();
      std::printf("left out: %s on %s: %s\n", name.c_str(), lavapipe26.c_str(),
                  without != kWithout.end()
                      ? without->second.c_str()
                      : ("status " + std::to_string(alone.status) + ": " + said.substr(0, said.find('\n'))).c_str());
      continue;
    }
    ++captured;
    if (captures_and_verifies(name, alone) > 0) ++verified;
  }
  CHECK(captured > 60);
  if (no_readback(lavapipe26).empty()) CHECK(verified > 55);
}
