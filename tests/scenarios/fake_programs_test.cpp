// SPDX-License-Identifier: Apache-2.0
// Every program of tests/programs on the fake driver, whose draws and dispatches
// show all that they were given (docs/testing.md).
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

// Programs that are something else there, and why.
const std::map<std::string, const char*>& left_out() {
  static const std::map<std::string, const char*> all{
      {"crash", "dies in the middle: [killed]"},
      {"draws", "makes ten thousand draws; triangle and dynamic make the same"},
      {"forks", "two threads' dispatches write one buffer, each another part: here each writes all of it"},
      {"given_back", "is of memory that a driver on the CPU takes from private pages: [undisturbed]"},
      {"meanwhile", "a thread writes all the while: what is compared is chance"},
      {"one_page", "the host writes beside what dispatches read: here each reads all of it"},
      {"parted", "as given_back"},
      {"persistent", "is a benchmark: writes 64 MiB for sixty frames; rewrite and mappings write less"},
      {"pool_resets", "as forks"},
      {"twoqueues_threads", "as forks"},
  };
  return all;
}

// What they print depends on whether there is a recorder: extensions and memory types are counted.
bool prints_what_there_is(const std::string& name) {
  return name == "extensions" || name == "surface" || name == "memory_types";
}

// Why its work cannot be looped, in the player's words; empty: it can.
std::string cannot_be_looped(const std::string& name) {
  if (name == "sync_fds" || name == "two_devices") return "as a sync fd";
  if (name == "shared_memory") return "belongs to one image or buffer alone";
  return "";
}

// Why the oracle does not compare its memory; empty: it does.
std::string not_for_the_oracle(const std::string& name) {
  if (name == "extensions" || name == "surface" || name == "headless" || name == "presenters" || name == "presents" ||
      name == "displays")
    return "it allocates nothing";
  if (name == "queues" || name == "shared_memory") return "it has taken all queues that could read its memory";
  return {};
}

CaptureOptions options_of(const std::string& name) {
  CaptureOptions options{.checkpoints = "readback", .driver = fake};
  // Else its memory is the driver's own, where nothing tells host and device apart.
  if (name == "addresses") options.settings = "lacks=bufferDeviceAddressCaptureReplay";
  if (name == "headless" || name == "presenters" || name == "presents" || name == "displays")
    options.checkpoints = "present";
  if (name == "extensions" || name == "surface") options.checkpoints = "none";  // nothing is read back
  if (name == "suballocate") {
    options.checkpoints = "none";
    options.settings = "unified=1";  // its images are in mapped memory
  }
  return options;
}

}  // namespace

SCENARIO("every program replays bit for bit on a driver that shows what it is given", "[fake]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  for (const auto& [name, why] : left_out()) CHECK(std::filesystem::exists(program(name)));
  for (const std::string& name : programs()) {
    if (left_out().count(name) != 0) continue;
    DYNAMIC_SECTION(name) {
      const Words words = without_checks({program(name)});
      const CaptureOptions options = options_of(name);
      Command alone;
      alone.arguments = words;
      use_driver(alone.environment, fake, options.settings);
      const Outcome native = run(alone);
      INFO("alone: " << native.both());
      if (native.status == kCannotRun) continue;  // says itself what this driver or these headers lack
      REQUIRE(native.status == 0);
      CHECK(count(native.err, "fake driver:") == 0);

      const Recording& capture = captured(words, options);
      INFO("captured: " << capture.run.both());
      REQUIRE(capture.run.status == 0);
      if (!prints_what_there_is(name)) CHECK(capture.run.out == native.out);
      CHECK(count(capture.run.err, "fake driver:") == 0);

      const bool verified = options.checkpoints != "none";
      Words replay{"--loop", "3", capture.path};
      if (verified) replay.push_back("--verify");
      const std::string why = cannot_be_looped(name);
      if (!why.empty()) {
        const Outcome refused = player(replay, fake, options.settings);
        INFO("looped: " << refused.both());
        CHECK(refused.status == 1);
        CHECK(refused.err.find(why) != std::string::npos);
        replay.push_back("--fresh");
      }
      const Outcome outcome = player(replay, fake, options.settings);
      INFO("replayed: " << outcome.both());
      CHECK(outcome.status == 0);
      CHECK(count(outcome.err, "fake driver:") == 0);
      if (verified) CHECK(compared(outcome, "[a-z -]+").equal > 0);

      if (not_for_the_oracle(name).empty()) {
        Expectations expected{.driver = fake, .settings = options.settings, .replay_settings = options.settings};
        if (name == "midway") expected.frees_nothing_because = "it ends before";
        if (name == "leak") expected.frees_nothing_because = "it leaks everything";
        leaves_the_same_memory(words, expected);
      }
    }
  }
}
