// SPDX-License-Identifier: Apache-2.0
#include "chapters.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "format/unverified.h"
#include "replays.h"
#include "skip.h"

namespace scenario {

namespace {

const std::vector<std::string> kDrivers = {lavapipe, lavapipe25, lavapipe26, swiftshader, fake};

Words words_on(const Chapter& chapter, const std::string& driver) {
  Words words{program("chapters/" + chapter.name)};
  if (chapter.by_core_of_1_4) words = by_core_of_1_4(words);
  return driver == fake ? without_checks(words) : words;
}

std::string settings_on(const Chapter& chapter, const std::string& driver) {
  return driver == fake ? chapter.fake_settings : "";
}

// Without a recorder; run once.
const Outcome& alone(const Chapter& chapter, const std::string& driver) {
  static std::map<std::string, Outcome> all;
  Outcome& outcome = all[chapter.name + (chapter.by_core_of_1_4 ? " by 1.4 on " : " on ") + driver];
  if (outcome.status != -1) return outcome;
  Command command;
  command.arguments = words_on(chapter, driver);
  use_driver(command.environment, driver, settings_on(chapter, driver));
  return outcome = run_on(driver, command);
}

// Why it is not run there; empty: it is.
std::string why_not(const Chapter& chapter, const std::string& driver) {
  if (const std::string& none = no_driver(driver); !none.empty()) return none;
  for (const std::string& without : chapter.without)
    if (without.rfind(driver + ": ", 0) == 0) return without.substr(driver.size() + 2);
  const Outcome& outcome = alone(chapter, driver);
  const std::string said = outcome.err.substr(0, outcome.err.find('\n'));
  // The newest Mesa changes every week, and with it what it does wrong. A chapter that it gets wrong is left out there;
  // one that no other driver runs fails then.
  if (driver == lavapipe26 && outcome.status != 0)
    return "status " + std::to_string(outcome.status) + " without a recorder: " + said;
  return outcome.status == kCannotRun ? said : "";
}

// What the validation layer says of the program itself.
std::string messages(const Chapter& chapter, const std::string& driver) {
  const TemporaryDirectory directory;
  Command command;
  command.arguments = words_on(chapter, driver);
  use_driver(command.environment, driver);
  write_file(directory.file("settings"),
             "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
             "khronos_validation.report_flags = error,warn\n");
  command.environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
  command.environment["VK_LAYER_SETTINGS_PATH"] = directory.file("settings");
  const Outcome outcome = run_on(driver, command);
  CHECK(outcome.status == 0);
  std::string found;
  for (const std::string& line : lines(outcome.both()))
    if (line.find("Validation") != std::string::npos) found += line + "\n";
  return found;
}

void captures_and_verifies(const Chapter& chapter, const std::string& driver, bool validated) {
  const Outcome& native = alone(chapter, driver);
  INFO("alone: " << native.both());
  REQUIRE(native.status == 0);
  const bool compares = no_readback(driver).empty();
  const Recording& capture = captured(
      words_on(chapter, driver),
      {.checkpoints = compares ? "submit" : "none", .driver = driver, .settings = settings_on(chapter, driver)});
  INFO("captured: " << capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(capture.run.out == native.out);
  Words arguments{capture.path};
  if (compares) arguments.push_back("--verify");
  if (validated) arguments.push_back("--validate");
  const Outcome outcome = player(arguments, driver, settings_on(chapter, driver));
  INFO("replayed: " << outcome.both());
  CHECK(outcome.status == 0);
  if (!compares) return;
  for (const char* what : {"memory ranges", "parts of buffers and images"}) {
    const Compared result = compared(outcome, what);
    INFO(what << ", by right without: " << chapter.no_contents_because << chapter.not_compared_because);
    // Where work may wait for the host the layer waits for 50 ms alone: a machine that does other things may take
    // longer.
    const bool was_slow =
        result.equal != result.all && count(outcome.both(), "differ") == 0 &&
        rondo({"dump", capture.path}).out.find(rondo::text_of(rondo::Unverified::work_may_wait)) != std::string::npos;
    if (was_slow) WARN(chapter.name << ": not all is compared: the machine was slow while it was captured");
    if (chapter.not_compared_because.empty() && !was_slow) CHECK(result.equal == result.all);
    if (chapter.no_contents_because.empty()) CHECK(result.equal > 0);
  }
}

}  // namespace

std::vector<std::string>& listed_chapters() {
  static std::vector<std::string> names;
  return names;
}

void replays_everywhere(const Chapter& chapter) {
  std::string first, missing, too_old;
  for (const std::string& driver : kDrivers) {
    const std::string why = why_not(chapter, driver);
    if (why.empty() && first.empty()) first = driver;
    if (!no_driver(driver).empty()) missing = why;
    if (why.rfind("the headers that it was built with", 0) == 0) too_old = why;
    const bool validated = driver == first && chapter.not_validated_because.empty();
    DYNAMIC_SECTION("on " << driver) {
      if (!why.empty()) {
        std::printf("left out: %s on %s: %s\n", chapter.name.c_str(), driver.c_str(), why.c_str());
        continue;
      }
      captures_and_verifies(chapter, driver, validated);
    }
  }
  if (first.empty() && !too_old.empty()) SKIP_SCENARIO(too_old);
  if (first.empty() && !missing.empty()) SKIP_SCENARIO(missing);
  REQUIRE(!first.empty());
  SECTION("under the oracle") {
    leaves_the_same_memory(words_on(chapter, first), {.driver = first,
                                                      .settings = settings_on(chapter, first),
                                                      .replay_settings = settings_on(chapter, first),
                                                      .frees_nothing_because = chapter.frees_nothing_because});
  }
  if (!chapter.not_validated_because.empty() || !chapter.alone_not_validated_because.empty()) return;
  SECTION("alone, under the validation layer") { CHECK(messages(chapter, first) == ""); }
}

}  // namespace scenario
