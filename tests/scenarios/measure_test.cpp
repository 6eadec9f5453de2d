// SPDX-License-Identifier: Apache-2.0
// rondo measure: two variants in turns. What is slower is a driver that is told to be, by much: a loaded
// machine changes no verdict here.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

const std::string kSlow = "RONDO_FAKE_ICD=delay-us=100000";

const std::string& recorded() {
  const Recording& capture = captured({program("states"), "--state", "contents"}, {.driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture.path;
}

Command measure(const Words& words, const std::string& driver = fake) {
  Command command;
  use_driver_for_player(command.environment, driver, "");
  command.arguments = {build_root() + "/analyzers/rondo", "measure"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return command;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

SCENARIO("of two variants that are played in turns the slower one is told", "[measure]") {
  const TemporaryDirectory directory;
  const std::string kept = directory.file("reports");
  const Outcome slower =
      run(measure({"--turns", "4", "--loop", "3", "--threshold", "50%", "--format", "json", "-o", kept, recorded(),
                   "--scope", "middle", "--", kSlow, recorded(), "--scope", "middle"}));
  INFO(slower.both());
  CHECK(slower.status == kDifferent);
  const Json json = Json::parse(slower.out);
  CHECK(json.at("/rows/0/verdict") == "\"slower\"");
  CHECK(json.at("/sample") == "\"run\"");
  CHECK(json.at("/rows/0/old_samples") == "4");
  CHECK(json.at("/rows/0/new_iterations") == "12");
  CHECK(json.at("/new_files/3") == "\"" + kept + "/new-4.json\"");
  // A B B A A B B A
  REQUIRE(files_in(kept).size() == 8);
  std::filesystem::file_time_type before = std::filesystem::file_time_type::min();
  for (const char* name : {"old-1", "new-1", "new-2", "old-2", "old-3", "new-3", "new-4", "old-4"}) {
    const auto written = std::filesystem::last_write_time(kept + "/" + name + ".json");
    CHECK(written > before);
    before = written;
  }
  // The same files, and the same verdict.
  Words again{"compare-runs", "--statistic", "fastest", "--threshold", "50%", "--format", "json"};
  for (const char* name : {"old-1", "old-2", "old-3", "old-4", "--", "new-1", "new-2", "new-3", "new-4"})
    again.push_back(std::string(name) == "--" ? name : kept + "/" + name + ".json");
  const Outcome compared = rondo(again);
  CHECK(compared.status == kDifferent);
  CHECK(Json::parse(compared.out).at("/rows/0/ratio") == json.at("/rows/0/ratio"));
  const Outcome there = run(measure({"-o", kept, recorded(), "--", recorded()}));
  CHECK(there.status == kUsage);
  CHECK(has(there.err, "is there already"));
}

SCENARIO("a variant that is faster passes, and no report is left where none was asked for", "[measure]") {
  const TemporaryDirectory directory;
  Command command = measure({"--turns", "4", "--loop", "2", "--threshold", "50%", kSlow, recorded(), "--scope",
                             "middle", "--", recorded(), "--scope", "middle"});
  command.environment["TMPDIR"] = directory.path();
  const Outcome faster = run(command);
  INFO(faster.both());
  CHECK(faster.status == 0);
  CHECK(has(faster.out, "0 slower, 1 faster"));
  CHECK(has(faster.out, " of 4 runs"));
  CHECK(faster.err == "");
  CHECK(files_in(directory.path()).empty());
}

SCENARIO("what the variants differ in is told, and is no warning", "[measure]") {
  const Recording& capture = captured({program("triangle")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = run(measure(
      {"--turns", "4", "--loop", "2", "--threshold", "900%", capture.path, "--", "--verify", capture.path}, lavapipe));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "differs: another verification: A turn 1 has none, B turn 1 has --verify\n"));
}

SCENARIO("a turn that fails ends with the player's status, and is named", "[measure]") {
  const Outcome outcome = run(measure({"--loop", "2", recorded(), "--", "/nonexistent.rondo"}));
  INFO(outcome.both());
  CHECK(outcome.status == kUnreadable);
  CHECK(outcome.out == "");
  CHECK(has(outcome.err, "player: /nonexistent.rondo"));
  CHECK(has(outcome.err, "rondo: B, turn 1 of 5: the player ended with status 3\n"));
  const Outcome junit = run(measure({"--loop", "2", "--format", "junit", "/nonexistent.rondo", "--", recorded()}));
  CHECK(junit.status == kUnreadable);
  CHECK(has(junit.out, "errors=\"1\""));
  CHECK(has(junit.out, "A, turn 1 of 5: the player ended with status 3"));
}

SCENARIO("a measurement that is interrupted keeps what it has", "[measure]") {
  const TemporaryDirectory directory;
  // Each turn takes six seconds or more.
  Process process(measure({"--turns", "4", "--loop", "60", "-o", directory.path(), kSlow, recorded(), "--scope",
                           "middle", "--", kSlow, recorded(), "--scope", "middle"}));
  while (process.running() && !std::filesystem::exists(directory.file("new-1.json"))) ::usleep(20000);
  ::sleep(3);  // into the loop of the first turn of B
  process.kill(SIGINT);
  const Outcome outcome = process.wait();  // also of the player, which has its standard error
  INFO(outcome.both());
  CHECK(outcome.signal == SIGINT);
  CHECK(has(outcome.err, "rondo: B, turn 1 of 4: interrupted; compared is what was measured: 1 turn of A"));
  CHECK(Json::parse(read_file(directory.file("old-1.json"))).size("/iterations") == 60);
  CHECK(Json::parse(read_file(directory.file("new-1.json"))).at("/interrupted") == "true");
  CHECK(has(outcome.out, "was interrupted after"));
}

SCENARIO("what cannot be measured is said in one line before anything is played", "[measure]") {
  const auto refused = [](const Words& words, const std::string& names) {
    const Outcome outcome = run(measure(words));
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(has(outcome.err, names));
  };
  refused({}, "one -- stands between");
  refused({recorded()}, "one -- stands between");
  refused({recorded(), "--"}, "B is missing");
  refused({recorded(), "--", "NAME=VALUE"}, "B is missing");
  refused({recorded(), "--", recorded(), "--", recorded()}, "one -- stands between");
  refused({"--turns", "3", recorded(), "--", recorded()}, "at least 4 turns");
  refused({"--turns", "4", "--alpha", "0.01", recorded(), "--", recorded()}, "at least 5 turns");
  refused({"--loop", "0", recorded(), "--", recorded()}, "--loop");
  refused({recorded(), "--loop=3", "--", recorded()}, "--loop=3");
  refused({recorded(), "--", recorded(), "--report", "r.json"}, "--report");
}
