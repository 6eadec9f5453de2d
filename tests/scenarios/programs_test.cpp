// SPDX-License-Identifier: Apache-2.0
// Whole captures and replays of tests/programs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <regex>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

// Without blanks: calls are broken over lines.
std::string scenario_sources() {
  std::string text;
  const std::string directory = RONDO_DOCS "/../tests/scenarios/";
  for (const std::string& name : files_in(directory))
    if (name.size() > 9 && name.compare(name.size() - 9, 9, "_test.cpp") == 0) text += read_file(directory + name);
  text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
             text.end());
  return text;
}

}  // namespace

SCENARIO("every test program goes through all that is asked of a replay, but one", "[programs]") {
  const std::string sources = scenario_sources();
  REQUIRE(programs().size() > 50);
  for (const std::string& name : programs()) {
    INFO(name);
    const std::string words = "{program(\"" + name + "\")";
    const bool asked = sources.find("replays_bit_for_bit(" + words) != std::string::npos ||
                       sources.find("replays_bit_for_bit(without_checks(" + words) != std::string::npos;
    CHECK(asked == (name != "crash"));  // it is killed: [killed]
  }
}

SCENARIO("many submits over one persistently mapped buffer replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("compute")}, {.submits = 64});
}

SCENARIO("a program that says nothing about itself, and whose first thread has ended, replays", "[programs]") {
  replays_bit_for_bit({program("bare")}, {.submits = 4});
}

SCENARIO("an offscreen triangle with readback replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("triangle"), "--frames", "5"}, {.submits = 5});
}

SCENARIO("a cube that turns frame after frame replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("cube"), "--frames", "12", "--size", "64"}, {.submits = 12});
}

SCENARIO("products of matrices replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("multiply"), "--size", "64", "--repeat", "6"}, {.submits = 6});
}

SCENARIO("two threads that write one page and submit replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("twoqueues_threads")}, {.submits = 128});
}

SCENARIO("a program that destroys nothing replays and leaves cleanly", "[programs]") {
  replays_bit_for_bit({program("leak")}, {.submits = 8, .frees_nothing_because = "it leaks everything"});
}

SCENARIO("a program that asks for Vulkan 1.4 is captured", "[programs]") {
  replays_bit_for_bit({program("vulkan14")}, {.submits = 1});
}

SCENARIO("a read-back that comes out the same again replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("rewrite")}, {.submits = 3});
}

// What they print is what there is, and some of that is hidden from captured programs.
SCENARIO("programs that only ask what there is replay", "[programs]") {
  const Expectations expected{.submits = 0,
                              .prints_the_same = false,
                              .no_checkpoints = "nothing is read back",
                              .allocates_nothing_because = "it makes nothing but a device"};
  WHEN("they are asked for extensions") { replays_bit_for_bit({program("extensions")}, expected); }
  WHEN("they are asked for features, too") { replays_bit_for_bit({program("surface")}, expected); }
}

SCENARIO("a buffer that stays mapped and is written a little each frame replays", "[programs]") {
  const auto replays = [](const char* dense) {
    replays_bit_for_bit({program("persistent"), "--megabytes", "9", "--percent", "20", "--frames", "6", "--dense",
                         dense, "--writable", dense},
                        {.submits = 6, .prints_the_same = false});  // times
  };
  WHEN("eight bytes of a page are") { replays("0"); }
  WHEN("whole pages are") { replays("1"); }
}

SCENARIO("a captured program's memory grows by one copy of the mapped pages that it wrote", "[programs]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("sanitizers take memory for themselves");
#endif
  constexpr long kMegabytes = 128, kAllowed = 64;
  // Memory of the layer's own, and the driver's, which is zeroed.
  const std::string memory = GENERATE("auto", "pagemap");
  const bool all = GENERATE(true, false);  // of it is written
  Words words{program("persistent"), "--megabytes", std::to_string(kMegabytes), "--frames", "3"};
  const Words more = all ? Words{"--percent", "100"} : Words{"--fill", "0"};
  words.insert(words.end(), more.begin(), more.end());
  const auto pss = [](const std::string& out) {
    std::smatch match;
    REQUIRE(std::regex_search(out, match, std::regex("PSS ([0-9]+) KiB")));
    return std::stol(match[1]) / 1024;
  };
  Command alone;
  alone.arguments = words;
  use_driver(alone.environment, lavapipe);
  const Outcome native = run_on(lavapipe, alone);
  REQUIRE(native.status == 0);
  const Recording& capture = captured(words, {.memory = memory});
  REQUIRE(capture.run.status == 0);
  INFO(memory << ": " << native.out << capture.run.out);
  const long written = all ? kMegabytes : 1;
  REQUIRE(pss(native.out) > written);
  CHECK(pss(capture.run.out) - pss(native.out) <= written + kAllowed);
}

SCENARIO("ten thousand recorded draws replay", "[programs]") {
  replays_bit_for_bit({program("draws"), "--calls", "5000", "--repeat", "2"},
                      {.submits = 1,
                       .prints_the_same = false,  // times
                       .no_checkpoints = "nothing is read back"});
  GIVEN("the capture, without checkpoints") {
    const Recording& capture = captured({program("draws"), "--calls", "5000", "--repeat", "2"});
    REQUIRE(capture.run.status == 0);
    THEN("every draw is in it") {
      const Outcome dump = rondo({"dump", "--format=jsonl", "--grep", "vkCmdDraw", capture.path});
      REQUIRE(dump.status == 0);
      CHECK(count(dump.out, "\"vkCmdDraw\"") == 10001);
    }
    THEN("verifying it is an error: there is nothing to compare") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      CHECK(outcome.status != 0);
      CHECK(is_one_line(outcome, "player"));
      CHECK(outcome.err.find("checkpoint") != std::string::npos);
    }
  }
}
