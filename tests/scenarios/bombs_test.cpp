// SPDX-License-Identifier: Apache-2.0
// Small captures that ask for much memory or for endless work: tools end within their budgets, and say so.
#include <catch2/catch.hpp>
#include <filesystem>
#include <utility>

#include "fixture.h"

using namespace scenario;

namespace {

enum { kUnreadable = 3, kTimeout = 7 };

// `what` of a capture of a small program, in a directory of its own.
struct Bomb {
  TemporaryDirectory directory;
  std::string path = directory.file("bomb.rondo");

  explicit Bomb(const std::string& what) {
    const Recording& source = captured({program("vulkan14")}, {.checkpoints = "none"});
    REQUIRE(source.run.status == 0);
    Command command;
    command.arguments = {build_root() + "/tests/fuzz/bombs", what, source.path, path};
    const Outcome made = run(command);
    INFO(made.both());
    REQUIRE(made.status == 0);
  }
};

// Runs in an address space of `mebibytes`, with nothing of it used yet.
Outcome rondo_within(int mebibytes, const Words& words) {
  Command command;
  command.arguments = {"sh",
                       "-c",
                       "ulimit -v $1; shift; exec \"$@\"",
                       "sh",
                       std::to_string(mebibytes * 1024),
                       build_root() + "/analyzers/rondo"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return run(command);
}

const std::vector<Words>& readers() {
  static const std::vector<Words> all = {
      {"info"}, {"info", "--json"}, {"dump"}, {"dump", "--format=jsonl"}, {"accesses"}};
  return all;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

SCENARIO("A session that no recorder writes is not unpacked", "[bombs]") {
  const Bomb bomb("session");
  REQUIRE(std::filesystem::file_size(bomb.path) < 200'000);
  for (const Words& words : readers()) {
    const Outcome outcome = rondo_within(400, with(words, {bomb.path}));
    INFO(words[0] << ": status " << outcome.status << ", " << outcome.seconds << " s\n" << outcome.err);
    CHECK(outcome.status == kUnreadable);
    CHECK(outcome.err.find("the session has more than 16 MiB") != std::string::npos);
  }
  for (const Outcome& outcome :
       {player({bomb.path}), rondo({"trim", "--submits", "0:1", bomb.path, "-o", bomb.path + ".cut"}),
        rondo({"diff", bomb.path, bomb.path})}) {
    INFO(outcome.both());
    CHECK(outcome.status == kUnreadable);
    CHECK(outcome.err.find("the session has more than 16 MiB") != std::string::npos);
  }
}

SCENARIO("What reads a capture keeps to its budgets of memory and time", "[bombs]") {
  const Bomb bomb("objects");
  REQUIRE(std::filesystem::file_size(bomb.path) < 2'000'000);
  for (const Words& words : readers()) {
    CAPTURE(words[0]);
    const Outcome whole = rondo(with(words, {"--memory-budget", "4096", bomb.path}));
    CHECK(whole.status == 0);
#ifndef RONDO_SANITIZER_RUNTIME  // which maps more than any budget
    const Outcome small = rondo_within(400, with(words, {"--memory-budget", "32", bomb.path}));
    INFO(small.err);
    CHECK(small.status == kUnreadable);
    CHECK(small.err.find(
              "bomb.rondo: needs more memory than the budget of 32 MiB: raise it with --memory-budget") !=
          std::string::npos);
#endif
    const Outcome late = rondo(with(words, {"--timeout", "0.05", bomb.path}));
    INFO(late.err);
    CHECK(late.status == kTimeout);
    CHECK(late.err.find("bomb.rondo: no end within 0.05 s (--timeout)") != std::string::npos);
  }
  CHECK(rondo({"diff", "--timeout", "0.05", bomb.path, bomb.path}).status == kTimeout);
  for (const char* option : {"--timeout", "--memory-budget"})
    for (const char* value : {"0", "-1", "x", "1e99"}) {
      const Outcome wrong = rondo({"info", option, value, bomb.path});
      INFO(wrong.err);
      CHECK(wrong.status == 2);
      CHECK(wrong.err.find(option) != std::string::npos);
    }
}

SCENARIO("Draws and dispatches of billions end in time, and leave nothing", "[bombs]") {
  for (const auto& [name, span] :
       {std::pair("multisample", "0:1"), {"secondary", "1:2"}, {"templates", "0:1"}}) {
    const std::string source = std::string(RONDO_SCENARIOS) + "/hostile/" + name + ".rondo";
    const TemporaryDirectory directory;
    const std::string output = directory.file("out");
    const std::vector<Words> all = {{"trim", "--submits", span, source, "-o", output + ".rondo"},
                                    {"extract", "--images", "--buffers", "-o", output, source}};
    for (const Words& words : all) {
      const Outcome outcome = rondo(with(words, {"--timeout", "2"}));
      INFO(name << ": " << words[0] << ": status " << outcome.status << ", " << outcome.seconds << " s\n"
                << outcome.both());
      CHECK(outcome.seconds < 20);
      CHECK(outcome.signal == 0);
      CHECK((outcome.status == kTimeout || outcome.status == kUnreadable));
      CHECK(is_one_line(outcome, "rondo"));
    }
    for (const std::string& file : files_in(directory.path())) {
      CAPTURE(file);
      CHECK(file == "out");
    }
  }
}
