// SPDX-License-Identifier: Apache-2.0
// Two builds, of an older and a newer registry: what one captures, the other
// plays. RONDO_TEST_OTHER_BUILD is the directory of the other (scripts/test).
#include <catch2/catch.hpp>
#include <cstdlib>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// Between them they call nearly every command, with most structures (called_commands_test.cpp).
const std::vector<std::string> kPrograms = {
    "addresses", "aliases", "core",      "dynamic",   "dynamic3",        "events",
    "feedback",  "groups",  "images",    "labels",    "libraries",       "mappings",
    "memory",    "passes",  "queries",   "rendering", "results",         "sets",
    "sparse",    "submits", "templates", "timeline",  "inline_uniforms", "host_pointers"};

std::string registry_of(const std::string& build) {
  Command command;
  command.arguments = {build + "/analyzers/rondo", "info", "--coverage", "--json"};
  return Json::parse(run(command).out).at("/registry");
}

std::string capture_with(const std::string& build, const std::string& name, const std::string& path) {
  Command command;
  command.arguments = {build + "/analyzers/rondo", "capture", "--output", path, "--checkpoints", "readback", "--",
                       build + "/tests/programs/" + name};
  const Outcome outcome = run(command);
  return outcome.status == 0 ? "" : name + ": " + outcome.both();
}

std::string verify_with(const std::string& build, const std::string& name, const std::string& path) {
  Command command;
  command.arguments = {build + "/player/player", "--verify", path};
  const Outcome outcome = run(command);
  const Compared result = compared(outcome, "[a-z -]+");
  return outcome.status == 0 && (result.equal > 0 || !no_readback().empty()) ? "" : name + ": " + outcome.both();
}

}  // namespace

SCENARIO("what a build of one registry captures, a build of another plays", "[registries]") {
  const char* there = std::getenv("RONDO_TEST_OTHER_BUILD");
  if (there == nullptr) SKIP_SCENARIO("RONDO_TEST_OTHER_BUILD names no build of another registry");
  const std::string other = there, here = build_root();
  REQUIRE(registry_of(other) != registry_of(here));
  const TemporaryDirectory directory;
  for (const std::string& name : kPrograms) {
    for (const auto& [recording, playing] : {std::pair{here, other}, std::pair{other, here}}) {
      const std::string path = directory.file(name + (recording == here ? ".here" : ".other") + ".rondo");
      INFO("captured by " << recording);
      const std::string captured = capture_with(recording, name, path);
      CHECK(captured == "");
      if (captured.empty()) CHECK(verify_with(playing, name, path) == "");
    }
  }
}
