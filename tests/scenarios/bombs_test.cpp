// SPDX-License-Identifier: Apache-2.0
// Small captures that ask for much memory or for endless work: tools end within their budgets, and say so.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "trims.h"

using namespace scenario;

namespace {

// `what` of a capture of a small program, in a directory of its own.
struct Bomb {
  TemporaryDirectory directory;
  std::string path = directory.file("bomb.rondo");

  explicit Bomb(const std::string& what, const std::string& name = "vulkan14") {
    const Recording& source = captured({program(name)}, {.checkpoints = "none"});
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
    CHECK(small.err.find("bomb.rondo: needs more memory than the budget of 32 MiB: raise it with --memory-budget") !=
          std::string::npos);
#endif
    const Outcome late = rondo(with(words, {"--timeout", "0.001", bomb.path}));
    INFO(late.err);
    CHECK(late.status == kTimeout);
    CHECK(late.err.find("bomb.rondo: no end within 0.001 s (--timeout)") != std::string::npos);
  }
  CHECK(rondo({"diff", "--timeout", "0.001", bomb.path, bomb.path}).status == kTimeout);
  for (const char* option : {"--timeout", "--memory-budget"})
    for (const char* value : {"0", "-1", "x", "1e99"}) {
      const Outcome wrong = rondo({"info", option, value, bomb.path});
      INFO(wrong.err);
      CHECK(wrong.status == 2);
      CHECK(wrong.err.find(option) != std::string::npos);
    }
}

#ifndef RONDO_SANITIZER_RUNTIME  // which maps more than any budget
SCENARIO("A good capture is never called damaged for want of memory", "[bombs]") {
  const Recording& capture = captured(without_checks({program("undefined_kept")}), {.driver = fake});
  REQUIRE(capture.run.status == 0);
  int too_small = 0;
  for (const Words& words : readers())
    for (const Words& time : {Words{}, Words{"--timeout", "100"}})
      for (const char* budget : {"1", "2", "4", "8", "16"}) {
        const Outcome outcome = rondo(with(words, with(time, {"--memory-budget", budget, capture.path})));
        INFO(words[0] << " with " << budget << " MiB: status " << outcome.status << "\n" << outcome.err);
        if (outcome.status == 0) continue;
        too_small += 1;
        CHECK(outcome.status == kUnreadable);
        CHECK(outcome.err.find(std::string("needs more memory than the budget of ") + budget + " MiB") !=
              std::string::npos);
        CHECK(is_one_line(outcome, "rondo"));
      }
  CHECK(too_small > 0);
}
#endif

SCENARIO("Work of hours is given up in time, and leaves nothing", "[bombs]") {
  const Bomb bomb("groups", "compute");  // a hundred submits of minutes each
  const auto is_given_up = [&](const Outcome& outcome, const std::string& tool, const std::string& says) {
    INFO("status " << outcome.status << ", " << outcome.seconds << " s\n" << outcome.both());
    CHECK(outcome.status == kTimeout);
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(is_one_line(outcome, tool));
  };
  const std::string output = bomb.directory.file("out"), late = "bomb.rondo: no end within 0.5 s (--timeout)";
  is_given_up(player({"--timeout", "0.5", bomb.path}), "player", "the 0.5 s of --timeout were over");
  is_given_up(player({"--timeout", "0.5", "--loop", "2", bomb.path}), "player", "the 0.5 s of --timeout were over");
  is_given_up(rondo({"trim", "--timeout", "0.5", "--submits", "5:6", bomb.path, "-o", output}), "rondo", late);
  is_given_up(rondo({"extract", "--timeout", "0.5", "--buffers", bomb.path, "-o", output}), "rondo", late);
  CHECK(files_in(bomb.directory.path()).size() == 1);
}

SCENARIO("The replays that a cut checks itself by are within its time limit", "[bombs]") {
  const Recording& capture = captured(without_checks({program("undefined_kept")}),
                                      {.checkpoints = "submit", .driver = fake, .settings = "keeps=1"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Words span{"--submits", "3:5"};
  const TemporaryDirectory directory;
  const std::string log = directory.file("calls");
  const auto submits = [&](const Words& words) {
    std::filesystem::remove(log);
    const Cut part = cut(capture, words, fake, "keeps=1,log=" + log);
    INFO(part.run.both());
    REQUIRE(part.run.status == 0);
    return count(read_file(log), "vkQueueSubmit");
  };
  const int all = submits(span), without_check = submits(with(span, {"--leave-out", "forgotten"}));
  REQUIRE(all > without_check + 1);
  // Each takes a tenth of a second: all of them cannot end in less, however fast the machine is.
  const double limit = (all + without_check) / 2 * 0.1;
  const Cut part = cut(capture, with(span, {"--timeout", std::to_string(limit)}), fake, "keeps=1,delay-us=100000");
  INFO(all << " submits, " << without_check << " without the check; " << part.run.both());
  CHECK(part.run.status == kTimeout);
  CHECK(is_one_line(part.run, "rondo"));
  CHECK(files_in(part.directory->path()).empty());
}
