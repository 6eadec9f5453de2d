// SPDX-License-Identifier: Apache-2.0
// A part of a capture, cut out: what it finds there from before it is put back, kind by kind, and a cut that leaves one
// out is found out.
#include <catch2/catch.hpp>

#include "replays.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

// Seconds: where a state is left out that work waits for, there is no end.
#ifdef RONDO_SANITIZER_RUNTIME
constexpr const char* kWithout = "60";
#else
constexpr const char* kWithout = "10";
#endif

struct State {
  Words words;  // the program
  Words span;
  std::string put_back;  // as the cut calls it
  int without = 0;       // the status of a replay of a cut that leaves it out
  std::string driver = lavapipe;
  std::string settings = {};  // of the fake driver
  std::string message = {};   // of the validation layer, where a replay alone shows nothing
  bool validated = true;      // whether the validation layer here knows what it uses
};

const Words kMiddle{"--scope", "middle"};

void is_put_back(const State& state) {
  Words words = state.words;
  words[0] = program(words[0]);
  if (const std::string why = cannot_run(words, state.driver); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture =
      captured(words, {.checkpoints = "submit", .driver = state.driver, .settings = state.settings});
  INFO(state.words[0] << " " << state.words.back() << " on " << state.driver << "\n" << capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Cut whole = cut(capture, state.span, state.driver, state.settings);
  cut_verifies(whole, state.driver, state.settings);
  const std::string needless = needless_objects(whole);
  INFO(needless);
  CHECK(needless.empty());
  if (state.driver != fake && state.validated) {
    const Outcome validated = player({"--validate", whole.path}, state.driver);
    INFO(validated.both());
    CHECK(validated.status == 0);
  }
  Words less = state.span;
  less.insert(less.end(), {"--leave-out", state.put_back});
  const Cut without = cut(capture, less, state.driver, state.settings);
  INFO("left out: " << without.run.both());
  REQUIRE(without.run.status == 0);
  Command command;
  use_driver_for_player(command.environment, state.driver, state.settings);
  command.arguments = {build_root() + "/player/player", "--verify", "--timeout", kWithout, without.path};
  if (!state.message.empty()) command.arguments.push_back("--validate");
  const Outcome outcome = run(command);
  INFO("without: " << outcome.both());
  // A driver that is used wrongly may crash, too.
  CHECK((outcome.status == state.without || outcome.err.find("the driver crashed") != std::string::npos));
  if (!state.message.empty()) CHECK(outcome.err.find(state.message) != std::string::npos);
  // What no replay shows the fake driver does.
  if (state.without == 0) CHECK(count(outcome.err, "fake driver:") > 0);
}

Words states(const std::string& state) { return {"states", "--state", state}; }
Words layouts(const std::string& state) { return {"layouts", "--state", state}; }
Words kept(const std::string& kind) { return {"kept_images", "--kind", kind}; }

const std::string kLayout = "DrawState-InvalidImageLayout";

}  // namespace

SCENARIO("a cut has what its memory held", "[trim]") {
  is_put_back({states("contents"), kMiddle, "memory", kDifferent});
  is_put_back({states("contents"), kMiddle, "memory", kDifferent, fake});
}

SCENARIO("a cut has what memory held that the host cannot see", "[trim]") {
  for (const char* span : {"1:6", "3:6", "5:6"})
    is_put_back({{"memory_types"}, {"--submits", span}, "memory", kDifferent, fake});
}

SCENARIO("a cut has its descriptor sets as they were written last", "[trim]") {
  is_put_back({states("sets"), kMiddle, "sets", kDifferent});
  is_put_back({{"chapters/inline_parts"}, {"--submits", "1:2"}, "sets", kDifferent});
  is_put_back({{"chapters/resubmitted"}, {"--submits", "8:16"}, "sets", kDifferent});
}

// The player refuses a capture that submits what was never recorded.
SCENARIO("a cut has the command buffers that were recorded before it", "[trim]") {
  for (const char* state : {"recordings", "half", "secondaries"}) {
    is_put_back({states(state), kMiddle, "recordings", kUnreadable});
    is_put_back({states(state), kMiddle, "recordings", kUnreadable, fake});
  }
}

SCENARIO("a cut has its fences as they were", "[trim]") {
  is_put_back({states("signalled"), kMiddle, "fences", kUnreadable});
}

SCENARIO("a cut has its semaphores as they were", "[trim]") {
  is_put_back({states("binaries"), kMiddle, "binaries", kUnreadable});
  is_put_back({states("ticks"), kMiddle, "timelines", kFailed});
}

SCENARIO("a cut has its events set as they were, by the host, a command, and a command with its dependency", "[trim]") {
  is_put_back({states("events"), kMiddle, "events", kUnreadable});
  is_put_back({states("device-events"), kMiddle, "events", kUnreadable});
  is_put_back({{"chapters/events2"}, {"--submits", "1:2"}, "events", kUnreadable});
}

SCENARIO("a cut has its queries reset, and those that had ended available", "[trim]") {
  is_put_back({states("queries"), kMiddle, "queries", 0, fake});
  is_put_back({states("results"), kMiddle, "queries", kFailed});
}

SCENARIO("a cut has its images in the layouts that barriers and passes had left", "[trim]") {
  is_put_back({layouts("barriers"), kMiddle, "layouts", kFailed, lavapipe, "", kLayout});
  is_put_back({layouts("passes"), kMiddle, "layouts", kFailed, lavapipe, "", kLayout});
}

SCENARIO("what one queue family had given up before a cut, another takes in it", "[trim]") {
  is_put_back({layouts("owners"), kMiddle, "owners", kFailed, fake, "", "ownership"});
}

SCENARIO("a cut has what its images held: levels, layers, slices, aspects, blocks, planes", "[trim]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25, fake);
  for (const char* kind : {"mips", "layers", "3d", "depth", "stencil", "compressed", "planar", "large"}) {
    Words words = kept(kind);
    words[0] = program(words[0]);
    if (!cannot_run(words, driver).empty()) continue;
    is_put_back({kept(kind), {"--submits", "1:2"}, "images", kDifferent, driver});
  }
}

// As bytes of their memory.
SCENARIO("a cut has what linear images held, and what the host had put there", "[trim]") {
  is_put_back({kept("linear"), {"--submits", "1:2"}, "memory", kDifferent});
  is_put_back({layouts("preinitialized"), kMiddle, "memory", kDifferent});
}

SCENARIO("a cut has what images of several samples held", "[trim]") {
  is_put_back({kept("multisampled"), {"--submits", "1:2"}, "images", kDifferent});
}

SCENARIO("a cut has the images that were acquired before it", "[trim]") {
  is_put_back({{"headless"}, {"--submits", "2:12"}, "acquired", kUnreadable, lavapipe25});
  is_put_back({{"presents"}, {"--submits", "2:18"}, "acquired", kUnreadable, fake});
}

SCENARIO("a cut has its sparse resources bound to the pages that they had", "[trim]") {
  is_put_back({{"sparse_binds"}, {"--submits", "4:14"}, "sparse", kDifferent, lavapipe25});
}

SCENARIO("a cut has the acceleration structures that were built before it", "[trim]") {
  is_put_back({{"ray_pipelines"}, {"--submits", "1:4"}, "memory", kDifferent, lavapipe25});
}

SCENARIO("a cut has its indirect execution sets as they were written", "[trim]") {
  State state{{"generated_dispatches"}, {"--submits", "2:4"}, "execution-sets", kDifferent, lavapipe25};
  state.validated = false;
  is_put_back(state);
}

SCENARIO("a cut has the acceleration structures that it updates", "[trim]") {
  is_put_back({{"rays"}, {"--submits", "6:12"}, "memory", kDifferent, lavapipe25});
}

SCENARIO("a cut has the texels that its part uses on after it let them be forgotten, as the driver kept them",
         "[trim]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25);
  // The program breaks a rule: a pass loads what it lets be undefined.
  const State kept{{"undefined_kept"}, {"--submits", "3:5"}, "forgotten", kDifferent, driver, "", "", false};
  is_put_back(kept);
  if (!no_driver(driver).empty()) return;
  const Recording& capture = captured({program("undefined_kept")}, {.checkpoints = "submit", .driver = driver});
  THEN("the cut says so") {
    const Cut part = cut(capture, kept.span, driver);
    INFO(part.run.both());
    CHECK(part.run.out.find("the texels of 2 images are put back as ") != std::string::npos);
    const Outcome info = rondo({"info", part.path});
    CHECK(info.out.find("2 images that it lets be undefined begin as that driver kept them") != std::string::npos);
  }
}

SCENARIO("a cut without texels that its part forgets is the smaller one where nothing shows that they are used",
         "[trim]") {
  WHEN("the driver of the cut gives such texels values of its own") {
    const Recording& capture =
        captured(without_checks({program("undefined_kept")}), {.checkpoints = "submit", .driver = fake});
    REQUIRE(capture.run.status == 0);
    const Cut part = cut(capture, {"--submits", "3:5"}, fake);
    INFO(part.run.both());
    CHECK(part.run.status == 0);
    CHECK(part.run.out.find("the texels of") == std::string::npos);
    cut_verifies(part, fake);
  }
  WHEN("nothing is compared") {
    const Recording& capture = captured({program("undefined_kept")});
    const Cut part = cut(capture, {"--submits", "3:5"});
    INFO(part.run.both());
    CHECK(part.run.status == 0);
    CHECK(part.run.out.find("the texels of") == std::string::npos);
  }
}

SCENARIO("a program that uses on what it let be forgotten replays bit for bit", "[trim]") {
  replays_bit_for_bit({program("undefined_kept")},
                      {.submits = 5, .draws_message = "VUID-VkAttachmentDescription-format-06699"});
}
