// SPDX-License-Identifier: Apache-2.0
// A span played again and again: what an iteration changed is put back, kind by
// kind, and a loop that leaves one out is found out.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

struct State {
  std::string name;      // of the program
  std::string put_back;  // as the player calls it
  int without = 0;       // the status of a loop that leaves it out
  std::string driver = lavapipe;
};

const Recording& captured_state(const State& state) {
  const Recording& capture =
      captured({program("states"), "--state", state.name}, {.checkpoints = "submit", .driver = state.driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

void loops(const State& state) {
  const Recording& capture = captured_state(state);
  constexpr int kIterations = 6;  // the first one is not timed
  const auto loop = [&](const Words& more) {
    Words words{"--scope", "middle", "--loop", std::to_string(kIterations - 1), "--verify"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(capture.path);
    return player(words, state.driver);
  };
  const Outcome once = player({"--scope", "middle", "--verify", capture.path}, state.driver);
  INFO(once.both());
  CHECK(once.status == 0);
  const Compared one = compared(once, "parts of buffers and images");
  const Outcome all = loop({});
  INFO(all.both());
  CHECK(all.status == 0);
  const Compared each = compared(all, "parts of buffers and images");
  CHECK(one.equal > 0);
  CHECK(each.equal == kIterations * one.equal);
  CHECK(each.all == kIterations * one.all);
  if (state.driver == lavapipe) {
    const Outcome validated = loop({"--validate"});
    INFO(validated.both());
    CHECK(validated.status == 0);
  }
  if (state.put_back.empty()) return;
  Command command;
  use_driver_for_player(command.environment, state.driver, "");
  command.arguments = {build_root() + "/player/player",
                       "--scope",
                       "middle",
                       "--loop",
                       "5",
                       "--verify",
                       "--timeout",
                       "10",
                       "--leave-out",
                       state.put_back,
                       capture.path};
  const Outcome without = run(command);
  INFO("without: " << without.both());
  // A driver that is used wrongly may crash, too.
  CHECK((without.status == state.without || without.err.find("the driver crashed") != std::string::npos));
  // What no replay shows the fake driver does.
  if (state.without == 0) CHECK(count(without.err, "fake driver:") > 0);
}

}  // namespace

SCENARIO("what the work of an iteration wrote is put back", "[looping]") {
  loops({"contents", "contents", kDifferent});
}
SCENARIO("descriptor sets that an iteration wrote are put back", "[looping]") { loops({"sets", "sets", kDifferent}); }
SCENARIO("command buffers that an iteration recorded anew are put back", "[looping]") {
  loops({"recordings", "recordings", kDifferent});
}
SCENARIO("command buffers that an iteration finds half recorded are put back", "[looping]") {
  loops({"half", "recordings", kDifferent});
  loops({"half", "recordings", kFailed, fake});
}
SCENARIO("secondary command buffers are put back, and what executes them", "[looping]") {
  loops({"secondaries", "recordings", kDifferent});
}
SCENARIO("fences are put back", "[looping]") { loops({"fences", "fences", kTimeout}); }
SCENARIO("events are put back", "[looping]") { loops({"events", "events", kTimeout}); }
SCENARIO("events of the device alone are put back", "[looping]") { loops({"device-events", "events", kTimeout}); }
SCENARIO("events that a command had set are set by such a command", "[looping]") {
  const Recording& capture = captured({program("chapters/events2")}, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  // A wait says with which stages its events were set: the validation layer compares.
  const Outcome outcome = player({"--submits", "1:2", "--loop", "3", "--verify", "--validate", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}
SCENARIO("binary semaphores are put back", "[looping]") { loops({"binaries", "binaries", kTimeout}); }
SCENARIO("timeline semaphores are put back", "[looping]") { loops({"timelines", "timelines", kFailed}); }
SCENARIO("queries are reset for the next iteration", "[looping]") { loops({"queries", "queries", 0, fake}); }
SCENARIO("what an iteration made and left is destroyed", "[looping]") {
  loops({"objects", ""});
  const Recording& capture = captured_state({"objects", "", 0, fake});
  const auto in_little_memory = [&](const Words& more) {
    Words words{"--scope", "middle", "--loop", "200", "--report", capture.path + ".json"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(capture.path);
    return player(words, fake, "budget=65536");
  };
  const Outcome all = in_little_memory({});
  INFO(all.both());
  CHECK(all.status == 0);
  const Outcome without = in_little_memory({"--leave-out", "objects"});
  INFO("without: " << without.both());
  CHECK(without.status == kFailed);
  CHECK(without.err.find("VK_ERROR_OUT_OF_DEVICE_MEMORY") != std::string::npos);
}
SCENARIO("what is bound in the span and made before it stays bound, to memory that is fresh", "[looping]") {
  loops({"bound", "contents", kDifferent});
  loops({"bound", "contents", kDifferent, fake});
}
SCENARIO("what was made before the span and ended in it is there for the next iteration", "[looping]") {
  loops({"freed", ""});
}
SCENARIO("labels of devices that the span makes go with these", "[looping]") { loops({"devices", ""}); }

namespace {

// What no driver here looks at, and the validation layer does.
void puts_layouts_back(const std::string& state, const std::string& driver, const std::string& message) {
  const Recording& capture =
      captured({program("layouts"), "--state", state}, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Words words{"--scope", "middle", "--loop", "3", "--validate"};
  const auto looped = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(capture.path);
    return player(all, driver);
  };
  const Outcome once = player({"--scope", "middle", "--verify", capture.path}, driver);
  const Outcome outcome = looped({"--verify"});
  INFO(once.both() << outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "parts of buffers and images").equal ==
        4 * compared(once, "parts of buffers and images").equal);
  const Outcome without = looped({"--leave-out", "layouts"});
  INFO("without: " << without.both());
  CHECK(without.status == kFailed);
  CHECK(without.err.find(message) != std::string::npos);
}

const std::string kLayout = "DrawState-InvalidImageLayout";

}  // namespace

SCENARIO("layouts that an iteration's barriers left are put back", "[looping]") {
  puts_layouts_back("barriers", lavapipe, kLayout);
  puts_layouts_back("barriers", fake, kLayout);
}
SCENARIO("layouts that an iteration's render passes left are put back", "[looping]") {
  puts_layouts_back("passes", lavapipe, kLayout);
  puts_layouts_back("passes", fake, kLayout);
}
SCENARIO("images that the host laid out are used again and again", "[looping]") {
  puts_layouts_back("preinitialized", lavapipe, kLayout);
}
SCENARIO("what one queue family gives to another goes back", "[looping]") {
  puts_layouts_back("owners", fake, "ownership");
}

// Labels reach the driver through the validation layer; an end without a begin, and lavapipe dies at the
// next begin.
SCENARIO("labels that are open where a span begins are begun again", "[looping]") {
  const Recording& capture = captured({program("liberties")});
  REQUIRE(capture.run.status == 0);
  const auto looped = [&](const Words& more) {
    Words words{"--validate", "--loop", "3", capture.path};
    words.insert(words.begin(), more.begin(), more.end());
    return player(words);
  };
  const Outcome outcome = looped({});
  INFO(outcome.both());
  CHECK(outcome.status == kFailed);  // the program takes another liberty
  CHECK(count(outcome.err, "VUID-vkCmdDispatch-groupCountX-00386") > 0);
  const Outcome without = looped({"--leave-out", "labels"});
  INFO("without: " << without.both());
  CHECK((without.status != kFailed || without.err.find("the driver crashed") != std::string::npos));
}

SCENARIO("a span that copies results of queries from before it loops, unless it changes them", "[looping]") {
  const Recording& kept = captured({program("query_copies")}, {.checkpoints = "submit"});
  for (const char* span : {"1:2", "1:3", "2:3"}) {
    const Outcome looped = player({"--submits", span, "--loop", "3", "--verify", kept.path});
    INFO(looped.both());
    CHECK(looped.status == 0);
  }
  const Recording& capture = captured({program("query_copies"), "--reset", "1"}, {.checkpoints = "submit"});
  const Outcome outcome = player({"--submits", "1:2", "--loop", "3", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == kFailed);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find("changes query 0 of VkQueryPool#0, whose value of before the span it reads") !=
        std::string::npos);
  CHECK(player({"--submits", "1:2", "--verify", capture.path}).status == 0);
}

SCENARIO("a span is refused where its work waits at an end for an event that the host sets beyond it", "[looping]") {
  const Recording& capture = captured_state({"waiting", ""});
  const Outcome begins = player({"--scope", "middle", "--loop", "3", capture.path});
  INFO(begins.both());
  CHECK(begins.status == kFailed);
  CHECK(is_one_line(begins, "player"));
  CHECK(begins.err.find("still waits for VkEvent#0 where the span begins") != std::string::npos);
  CHECK(player({"--scope", "middle", "--verify", capture.path}).status == 0);
  CHECK(player({"--loop", "3", "--verify", capture.path}).status == 0);
}

SCENARIO("a span that is not there is told from what there is", "[looping]") {
  const Recording& capture = captured_state({"contents", ""});
  const auto says = [&](const Words& words, const std::string& sentence) {
    Words all = words;
    all.push_back(capture.path);
    const Outcome outcome = player(all);
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(is_one_line(outcome, "player"));
    CHECK(outcome.err.find(sentence) != std::string::npos);
  };
  says({"--scope", "midle"}, "there is no scope \"midle\"; the nearest names are \"middle\"");
  says({"--scope", "middle#1"}, "was entered 1 time: there is no #1");
  says({"--frames", "0:1"}, "there is no frame 0: it has 0 frames");
  says({"--submits", "2:9"}, "it has 3 submits, 0:3");
  says({"--submits", "2:2"}, "it ends before it begins");
  says({"--submits", "2:x"}, "is not A:B");
  says({"--scope", "middle", "--submits", "0:1"}, "a span is either");
}

SCENARIO("frames of a program with windows loop with everything compared", "[looping]") {
  const Recording& capture = captured(vkcube(60), {.checkpoints = "present"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome =
      player({"--frames", "10:20", "--loop", "50", "--warmup", "2", "--verify", "--report", report, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == 520);
  const Json json = Json::parse(read_file(report));
  CHECK(json.at("/iterations/49/seconds") != "");
}

SCENARIO("scopes that a program marks are listed, played and looped", "[looping]") {
  const Recording& capture = captured({program("scopes")}, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome listed = rondo({"info", "--scopes", "--times", capture.path});
  INFO(listed.both());
  CHECK(listed.status == 0);
  for (const char* row : {"prefill#0", "decode#0", "decode#2", "sample#2", "beside#0", "\ninit#0", "\ndeinit#0"})
    CHECK(count(listed.out, row) == 1);
  CHECK(count(listed.out, "before everything") == 0);
  CHECK(count(listed.out, "never") == 1);
  const auto submits = [&](const std::string& name) {
    const Json info = Json::parse(rondo({"info", "--scopes", "--times", "--json", capture.path}).out);
    for (std::size_t i = 0; i < info.size("/scope_rows"); ++i) {
      const std::string row = "/scope_rows/" + std::to_string(i);
      if (info.at(row + "/scope") + "#" + info.at(row + "/occurrence") == name) return info.at(row + "/submits");
    }
    return std::string("none");
  };
  CHECK(submits("\"prefill\"#0") == "1");
  CHECK(submits("\"decode\"#1") == "2");
  CHECK(submits("\"beside\"#0") == "0");
  for (const std::string name : {"prefill", "decode", "decode#1", "sample#0"}) {
    INFO(name);
    const Outcome once = player({"--scope", name, "--verify", capture.path});
    INFO(once.both());
    CHECK(once.status == 0);
    CHECK(compared(once, "parts of buffers and images").equal > 0);
    const Outcome looped = player({"--scope", name, "--verify", "--loop", "4", capture.path});
    INFO(looped.both());
    CHECK(looped.status == 0);
    CHECK(compared(looped, "parts of buffers and images").equal ==
          5 * compared(once, "parts of buffers and images").equal);
  }
  const Outcome open = player({"--scope", "left open", capture.path});
  INFO(open.both());
  CHECK(open.status == kUsage);
  CHECK(open.err.find("never ended") != std::string::npos);
}

SCENARIO("scopes cost a program nothing but time where nothing records", "[looping]") {
  Command alone;
  alone.arguments = {program("scopes")};
  use_driver(alone.environment, lavapipe);
  const Outcome outcome = run(alone);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  Command python;
  // No script of a version manager's: its shell dies of a preloaded TSan.
  python.arguments = {"/usr/bin/python3", "-c",
                      "import sys; sys.path.insert(0, '" RONDO_DOCS
                      "/../layer/scope')\n"
                      "from rondo_scope import scope\n"
                      "with scope('a'):\n  print('in')"};
#ifdef RONDO_SANITIZER_RUNTIME
  python.environment["LD_PRELOAD"] = RONDO_SANITIZER_RUNTIME;
#endif
  python.environment["RONDO_SCOPE_LIBRARY"] = build_root() + "/layer/scope/librondo-scope.so.0";
  CHECK(run(python).out == "in\n");
  python.environment["RONDO_SCOPE_LIBRARY"] = "/nowhere.so";
  CHECK(run(python).out == "in\n");
}

SCENARIO("a program that ends what it made replays bit for bit", "[looping]") {
  replays_bit_for_bit({program("states"), "--state", "freed"}, {.submits = 4});
}

SCENARIO("a program with scopes replays bit for bit", "[looping]") {
  replays_bit_for_bit({program("scopes")}, {.submits = 8});
}

SCENARIO("a program that leaves images in other layouts and hands them on replays bit for bit", "[looping]") {
  const std::string state = GENERATE("barriers", "passes", "preinitialized", "owners");
  const std::string driver = state == "owners" ? fake : lavapipe;  // lavapipe has one family of queues
  const bool linear = state == "preinitialized";
  replays_bit_for_bit(
      {program("layouts"), "--state", state},
      {.driver = driver,
       .not_compared = linear ? 2 : 0,
       .not_compared_because = linear ? "its image's memory is smaller than a page and has no other mapping" : ""});
}
