// SPDX-License-Identifier: Apache-2.0
// Captures of tests/scenarios/hostile and foreign, which somebody changed: whatever driver plays them, every
// tool refuses them by name or ends within its limit of time, and leaves a whole output or none.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

struct Hostile {
  std::string path;          // below tests/scenarios
  std::string span = "0:1";  // of submits, that holds what is hostile in it
  std::string refusal = {};  // of every tool; empty: it may be played
};

const std::vector<Hostile>& all_files() {
  static const std::vector<Hostile> all = {
      {"foreign/out_of_bounds"},
      {"hostile/bound_of_ids", "0:1", "is not valid SPIR-V: Invalid SPIR-V.  The id bound is larger"},
      {"hostile/multisample"},
      {"hostile/secondary", "1:2"},
      {"hostile/set_that_is_not_there", "0:1", "uses set 1 binding 0, and its pipeline layout has no set 1"},
      {"hostile/templates"},
      {"hostile/unterminated_name"},
  };
  return all;
}

// By default options, but for a time limit.
Outcome run_tool(Words words, const std::string& driver) {
  words[0] = build_root() + (words[0] == "player" ? "/player/" : "/analyzers/") + words[0];
  words.insert(words.end(), {"--timeout", "2"});
  Command command;
  command.arguments = std::move(words);
  use_driver(command.environment, driver);
  return run(command);
}

// `output`: nothing is there, unless all of it is.
void ends_well(const Hostile& file, const Outcome& outcome, const std::string& name, const std::string& output) {
  CHECK(outcome.signal == 0);
  CHECK(!outcome.timed_out);
  if (outcome.status == 0) {
    CHECK(file.refusal.empty());
    CHECK(outcome.err.empty());
    if (output.ends_with(".rondo"))
      CHECK(rondo({"info", output}).out.find("ending      complete") != std::string::npos);
    return;
  }
  CHECK(outcome.err.rfind(name + ": ", 0) == 0);
  // What a device lacks is a list.
  CHECK((outcome.status == kDevice || is_one_line(outcome, name)));
  if (!file.refusal.empty()) {
    CHECK(outcome.status == kUnreadable);
    CHECK(outcome.err.find(file.refusal) != std::string::npos);
  }
  if (outcome.status == kFailed) CHECK(outcome.err.find("the driver crashed") != std::string::npos);
  CHECK((outcome.status == kFailed || outcome.status == kUnreadable || outcome.status == kDevice ||
         outcome.status == kTimeout));
  // Where its time was over while it wrote, `extract` leaves the files that were whole.
  if (outcome.status != kTimeout || output.ends_with(".rondo")) CHECK(!std::filesystem::exists(output));
}

}  // namespace

SCENARIO("captures that somebody changed are refused by name or end in time, on any driver", "[hostile]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25, swiftshader);
  if (const std::string& none = no_driver(driver); !none.empty()) SKIP_SCENARIO(none);
  for (const Hostile& file : all_files()) {
    const std::string path = std::string(RONDO_SCENARIOS) + "/" + file.path + ".rondo";
    const TemporaryDirectory directory;
    const std::string cut = directory.file("cut.rondo"), contents = directory.file("contents");
    const auto ends = [&](const Words& words, const std::string& name, const std::string& output) {
      const Outcome outcome = run_tool(words, driver);
      INFO(driver << ": " << words[0] << " " << words[1] << ": status " << outcome.status << ", " << outcome.seconds
                  << " s\n"
                  << outcome.both());
      ends_well(file, outcome, name, output);
    };
    ends({"player", path}, "player", "");
    ends({"rondo", "trim", "--submits", file.span, path, "-o", cut}, "rondo", cut);
    ends({"rondo", "extract", "--images", "--buffers", path, "-o", contents}, "rondo", contents);
    for (const std::string& left : files_in(directory.path())) CHECK((left == "cut.rondo" || left == "contents"));
  }
}
