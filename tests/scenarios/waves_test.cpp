// SPDX-License-Identifier: Apache-2.0
// Waves and longest paths of real programs: against networkx, and of programs whose answer is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& waved(const std::string& name) { return captured(without_checks({program(name)})); }

std::vector<Json> waves_of(const std::string& path, const Words& more = {}) {
  Words words{"waves", "--format=jsonl", path};
  words.insert(words.end(), more.begin(), more.end());
  return rows_of(rondo(words));
}

std::uint64_t number_of(const Json& row, const std::string& pointer) { return std::stoull(row.at(pointer)); }

std::vector<Json> rows_named(const std::vector<Json>& all, const std::string& name) {
  std::vector<Json> some;
  for (const Json& row : all)
    if (row.at("/row") == "\"" + name + "\"") some.push_back(row);
  return some;
}

// What networkx says against rondo waves; empty: the same. `profile`: rows of it; empty: each item counts 1.
std::string differences(const TemporaryDirectory& folder, const std::string& capture, const std::string& profile = "") {
  const auto keep = [&](const std::string& name, const Words& words) {
    const Outcome outcome = rondo(words);
    CHECK(outcome.status == 0);
    write_file(folder.path() + "/" + name, outcome.out);
  };
  Words waves{"waves", "--format=jsonl", capture};
  if (!profile.empty()) waves.insert(waves.end(), {"--profile", profile});
  keep("graph.graphml", {"graph", "--format=graphml", capture});
  keep("graph.jsonl", {"graph", "--format=jsonl", capture});
  keep("waves.jsonl", waves);
  Command python;
  // The python3 of Debian, which has networkx.
  python.arguments = {"/usr/bin/python3", std::string(RONDO_SCENARIOS) + "/longest_path.py"};
  for (const char* name : {"graph.graphml", "graph.jsonl", "waves.jsonl"})
    python.arguments.push_back(folder.path() + "/" + name);
  if (!profile.empty()) python.arguments.push_back(profile);
  const Outcome outcome = run(python);
  return outcome.status == 0 ? std::string() : outcome.both();
}

}  // namespace

SCENARIO("the longest paths of the data are those that networkx finds", "[waves]") {
  std::size_t compared = 0;
  for (const char* name :
       {"aliases",   "blocks",     "compute",  "conditional", "constants", "core",      "cube",
        "described", "draws",      "dynamic",  "events",      "fences",    "geometry",  "groups",
        "images",    "indexing",   "indirect", "kernels",     "layouts",   "multiply",  "multisample",
        "passes",    "persistent", "planes",   "queries",     "queues",    "rendering", "samplers",
        "secondary", "sets",       "submits",  "suballocate", "timeline",  "triangle",  "uploads"}) {
    const std::vector<std::string> all = programs();
    if (std::find(all.begin(), all.end(), name) == all.end()) continue;
    if (!cannot_run({program(name)}, lavapipe).empty()) continue;
    const Recording& capture = waved(name);
    INFO(name);
    REQUIRE(capture.run.status == 0);
    const TemporaryDirectory folder;
    CHECK(differences(folder, capture.path) == "");
    compared += 1;
  }
  CHECK(compared >= 20);
}

SCENARIO("the longest paths of measured times are those that networkx finds", "[waves]") {
  const Recording& capture = kernels();
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format=jsonl", "--loop=3", capture.path};
  use_driver(command.environment, fake, "timed-work=1");
  const Outcome profile = run_on(fake, command);
  REQUIRE(profile.status == 0);
  const TemporaryDirectory folder;
  const std::string rows = folder.path() + "/profile.jsonl";
  write_file(rows, profile.out);
  CHECK(differences(folder, capture.path, rows) == "");
  const std::vector<Json> waves = waves_of(capture.path, {"--profile", rows});
  CHECK(waves.back().at("/unit") == "\"ns\"");
  CHECK(number_of(waves.back(), "/work") > 0);
  CHECK(number_of(waves.back(), "/data") <= number_of(waves.back(), "/work"));
  CHECK(rondo({"waves", "--profile", rows, capture.path}).out.find("; T1 ") != std::string::npos);
  // Times of another capture are no times of this one.
  const Outcome other = rondo({"waves", "--profile", rows, waved("compute").path});
  CHECK(other.status == kUsage);
  CHECK(other.err.find("is of another capture") != std::string::npos);
}

SCENARIO("waves of a span count what is in it", "[waves]") {
  const Recording& capture = waved("compute");
  const std::vector<Json> all = waves_of(capture.path), first = waves_of(capture.path, {"--submits", "0"});
  CHECK(number_of(first.back(), "/items") < number_of(all.back(), "/items"));
  CHECK(number_of(first.back(), "/items") > 0);
  const Outcome none = rondo({"waves", "--submits", "99999", capture.path});
  CHECK(none.status == kUsage);
  const std::vector<Json> few = waves_of(capture.path, {"--max", "1"});
  CHECK(rows_named(few, "wave").size() == 1);
  CHECK(few.back().at("/waves") == all.back().at("/waves"));
}

SCENARIO("a run of device work ends where the host must come in between", "[waves]") {
  const Recording& capture = waved("compute");
  const std::vector<Json> rows = waves_of(capture.path, {"--partition"});
  const std::vector<Json> runs = rows_named(rows, "partition");
  REQUIRE(!runs.empty());
  CHECK(runs.back().at("/end") == "\"end\"");
  std::uint64_t items = 0, before = 0;
  for (const Json& run : runs) {
    items += number_of(run, "/items");
    CHECK(number_of(run, "/first_item") >= before);
    before = number_of(run, "/last_item");
  }
  CHECK(items == number_of(rows.back(), "/items"));
  CHECK(rows_named(waves_of(capture.path), "partition").empty());
}

SCENARIO("a group between the program's own barriers takes as long as its items", "[waves]") {
  std::size_t several = 0;
  for (const char* name : {"constants", "templates", "queries"}) {
    if (!cannot_run({program(name)}, lavapipe).empty()) continue;
    const Recording& capture = waved(name);
    INFO(name);
    REQUIRE(capture.run.status == 0);
    // The fake driver works at one item after the other, and its timestamps tell the work that it did.
    std::map<std::string, std::uint64_t> times;
    for (const Json& row : rows_named(profile_of(capture.path), "time"))
      times[row.at("/record") + "@" + row.at("/submit")] = number_of(row, "/median_ns");
    const std::vector<Json> groups = rows_named(profile_of(capture.path, {"--mode=waves"}), "time");
    REQUIRE(!groups.empty());
    for (const Json& group : groups) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < group.size("/names"); ++i)
        sum += times.at(unquoted(group.at("/names/" + std::to_string(i))));
      CHECK(group.at("/by") == "\"wave\"");
      CHECK(number_of(group, "/median_ns") == sum);
      CHECK(number_of(group, "/n") == group.size("/names"));
      several += group.size("/names") > 1 && sum != 0 ? 1 : 0;
    }
  }
  CHECK(several > 0);
  const Outcome grouped = rondo({"profile", "--mode=waves", "--by=label", waved("constants").path});
  CHECK(grouped.status == kUsage);
}
