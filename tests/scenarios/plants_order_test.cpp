// SPDX-License-Identifier: Apache-2.0
// The planted faults (tests/programs/hazards) on the fake driver, in any order that the specification allows
// (docs/testing.md): a race leaves other bits with some seed, and a program without one leaves the same with all.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "fixture.h"

using namespace scenario;

namespace {

constexpr int kFewSeeds = 10, kSeedsOfRace = 50, kSeedsOfOrder = 200;

// All 200 seeds with RONDO_TEST_ORDERS=all, and 10 without it.
int seeds_of_order() {
  const char* wanted = std::getenv("RONDO_TEST_ORDERS");
  return wanted != nullptr && std::string(wanted) == "all" ? kSeedsOfOrder : kFewSeeds;
}

// Races that cannot change bits here, and why.
const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> all{
      {"lifetime-event-reset", "if the reset comes first, the wait for the event never ends"},
      {"lifetime-queries-reset", "the plant leaves no result of a query in memory"},
      {"acquire-other-stage", "the presentation engine of the fake driver reads no image after its acquire"},
  };
  return all;
}

// True if the plant says that there is a race of this kind.
bool is_said(const Outcome& outcome, const std::string& hazard) {
  const std::vector<std::string> said = lines(outcome.out);
  return std::any_of(said.begin(), said.end(), [&](const std::string& line) {
    return line.rfind("expect race ", 0) == 0 && line.find(" " + hazard + " ") != std::string::npos;
  });
}

// What the fake driver says of calls that end or change what work still uses.
bool is_caught(const Outcome& outcome) {
  const std::vector<std::string> said = lines(outcome.err);
  return std::any_of(said.begin(), said.end(), [](const std::string& line) {
    return line.rfind("fake driver: ", 0) == 0 &&
           (line.find("pending") != std::string::npos || line.find("in use") != std::string::npos ||
            line.find("has not signaled yet") != std::string::npos);
  });
}

// One process that runs the plant with seeds from 0 on.
struct Runs {
  Outcome run;
  std::size_t number = 0;
  std::set<std::string> contents;  // of all memory at its end, by run
};

Runs run_plant(const std::string& name, int seeds) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("contents");
  Command command;
  command.arguments = {program("hazards/hazards"), "--times", std::to_string(seeds), "--eager", name};
  use_driver(command.environment, fake, "contents=" + file);
  command.environment["RONDO_FAKE_ICD_ORDER"] = "0-" + std::to_string(seeds - 1);
  command.environment["TEST_UNCHECKED"] = "1";
  Runs runs;
  runs.run = run(command);
  if (runs.run.status == kCannotRun) return runs;
  std::vector<std::string> held;  // lines of the run
  const auto end_run = [&] {
    std::sort(held.begin(), held.end());  // memory ends in no order
    std::string all;
    for (const std::string& line : held) all += line + "\n";
    if (runs.number != 0) runs.contents.insert(all);
    held.clear();
  };
  for (const std::string& line : lines(read_file(file))) {
    if (line != "instance") {
      held.push_back(line);
      continue;
    }
    end_run();
    ++runs.number;
  }
  end_run();
  return runs;
}

}  // namespace

SCENARIO("each planted race changes bits in some order, and no clean twin does in any", "[plants-order]") {
  Command ask;
  ask.arguments = {program("hazards/hazards"), "--list"};
  const Outcome list = run(ask);
  REQUIRE(list.status == 0);
  int races = 0, ends = 0, others = 0;
  for (const auto& [name, reason] : exceptions()) {
    INFO(name << ": " << reason);
    CHECK(list.out.find(name + "\n") != std::string::npos);
  }
  for (const std::string& name : lines(list.out)) {
    if (name == "lifetime-event-reset") continue;
    int seeds = kFewSeeds;
    Runs runs = run_plant(name, seeds);
    const auto run_again = [&](int more) {
      if (more > seeds) runs = run_plant(name, seeds = more);
    };
    if (runs.run.status == kCannotRun) continue;
    if (is_said(runs.run, "LIFETIME")) {
      if (!is_caught(runs.run)) run_again(kSeedsOfRace);
      INFO(name << "\n" << runs.run.both());
      CHECK(is_caught(runs.run));
      ++ends;
      continue;
    }
    const bool is_race =
        is_said(runs.run, "RAW") || is_said(runs.run, "WAR") || is_said(runs.run, "WAW") || is_said(runs.run, "OWNER");
    if (is_race && runs.contents.size() == 1) run_again(kSeedsOfRace);
    if (!is_race) run_again(seeds_of_order());
    INFO(name << " with " << seeds << " seeds\n" << runs.run.both());
    CHECK(runs.run.status == 0);
    CHECK(count(runs.run.err, "fake driver:") == 0);
    CHECK(runs.number == static_cast<std::size_t>(seeds));
    if (const auto exception = exceptions().find(name); exception != exceptions().end()) {
      INFO("It is an exception (" << exception->second << "), and changes bits: remove it from the list");
      CHECK(runs.contents.size() == 1);
    } else if (is_race) {
      INFO("The race changes no bit");
      CHECK(runs.contents.size() > 1);
      ++races;
    } else {
      INFO("The program has no race, and leaves other bits with other seeds");
      CHECK(runs.contents.size() == 1);
      ++others;
    }
  }
  CHECK(races >= 75);
  CHECK(ends >= 26);
  CHECK(others >= 200);
}
