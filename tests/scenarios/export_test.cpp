// SPDX-License-Identifier: Apache-2.0
// Files for other tools, read by readers that share nothing with their writers (tests/export).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

const std::string readers = RONDO_DOCS "/../tests/export/";

// What a reader says of a file, as JSON.
Json read_by(const std::string& reader, const Words& words) {
  Command command;
  command.arguments = {"python3", readers + reader};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  return Json::parse(outcome.out);
}

// A profile that the fake driver gives, as a file.
std::string profile_file(const std::string& capture, const std::string& directory) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format", "jsonl", "--loop", "3", capture};
  use_driver(command.environment, fake, "timed-work=1");
  const Outcome outcome = run_on(fake, command);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  std::ofstream(directory + "/p.jsonl") << outcome.out;
  return directory + "/p.jsonl";
}

}  // namespace

SCENARIO("a profiled capture becomes a trace of Perfetto and one of Chrome with the same work", "[export]") {
  const TemporaryDirectory directory;
  const std::string capture = kernels().path;
  const std::string profile = profile_file(capture, directory.path());
  const std::string trace = directory.path() + "/t.pftrace", events = directory.path() + "/t.json";
  const Outcome made = rondo({"export", "--profile", profile, "--perfetto", trace, "--chrome", events, capture});
  INFO(made.both());
  REQUIRE(made.status == 0);
  const Json perfetto = read_by("trace_reader.py", {"--perfetto", trace});
  const Json chrome = read_by("trace_reader.py", {"--chrome", events});
  const std::size_t stages = perfetto.size("/stages");
  CHECK(stages > 0);
  CHECK(perfetto.at("/flows") == std::to_string(stages));
  CHECK(chrome.at("/device") == std::to_string(stages));
  CHECK(chrome.at("/flows") == std::to_string(stages));
  CHECK(chrome.at("/host") == perfetto.at("/calls"));
  CHECK(perfetto.at("/about/mode") == "\"natural\"");
  // The median of each row is a length of the trace.
  for (std::size_t i = 0; i < stages; ++i) {
    const std::string stage = "/stages/" + std::to_string(i);
    CHECK(std::stoull(perfetto.at(stage + "/end")) > std::stoull(perfetto.at(stage + "/begin")));
    CHECK(!unquoted(perfetto.at(stage + "/extra/record")).empty());
  }
}

SCENARIO("a capture becomes a Chakra trace that both feeders issue whole", "[export]") {
  const TemporaryDirectory directory;
  for (const char* name : {"compute", "triangle", "passes", "secondary", "timeline", "events", "queries"}) {
    if (const std::string why = cannot_run({program(name)}, lavapipe); !why.empty()) continue;
    const Recording& capture = captured(without_checks({program(name)}));
    REQUIRE(capture.run.status == 0);
    const std::string graph = directory.path() + "/graph.jsonl";
    std::ofstream(graph) << rondo({"graph", "--format=jsonl", capture.path}).out;
    std::uint64_t work = 0;
    for (const Json& row : graph_of(capture.path))
      if (row.at("/row") == "\"item\"")
        work += row.at("/kind") == "\"work\"" || row.at("/kind") == "\"pass\"" || row.at("/kind") == "\"transition\"";
    for (const bool host : {false, true}) {
      INFO(name);
      Words words{"export", "--chakra", directory.path() + "/" + name, capture.path};
      if (host) words.push_back("--host");
      const Outcome made = rondo(words);
      INFO(made.both());
      REQUIRE(made.status == 0);
      const Json said = read_by("chakra_reader.py", {directory.path() + "/" + name + ".0.et"});
      CHECK(said.at("/issued") == said.at("/nodes"));
      CHECK(said.at("/dense") == "true");
      CHECK(said.at("/forward") == "0");
      if (!host) CHECK(said.at("/nodes") == std::to_string(work));
      if (!host) CHECK(said.at("/cpu") == "0");
      if (host) CHECK(std::stoull(said.at("/cpu")) > 0);
      const Json same = read_by("chakra_closure.py", {graph, directory.path() + "/" + name + ".0.et"});
      CHECK(same.at("/bad") == "0");
      CHECK(same.at("/wrong") == "0");
    }
  }
}

SCENARIO("a capture becomes a database whose keys hold", "[export]") {
  const TemporaryDirectory directory;
  const std::string capture = kernels().path, file = directory.path() + "/t.db";
  const std::string profile = profile_file(capture, directory.path());
  const Outcome made = rondo({"export", "--profile", profile, "--sqlite", file, capture});
  INFO(made.both());
  REQUIRE(made.status == 0);
  const Json said = read_by("database_reader.py", {file});
  const std::vector<Json> rows = graph_of(capture);
  CHECK(said.at("/items") == rows.back().at("/items"));
  CHECK(said.at("/needs") == rows.back().at("/needs"));
  CHECK(std::stoull(said.at("/records")) > 0);
  CHECK(std::stoull(said.at("/profile")) > 0);
  CHECK(said.at("/broken_keys") == "0");
}

SCENARIO("no capture is written over, and without an output nothing is done", "[export]") {
  const TemporaryDirectory directory;
  const std::string capture = kernels().path, copy = directory.path() + "/copy.rondo";
  std::filesystem::copy_file(capture, copy);
  for (const Words& words : {Words{"--perfetto", copy}, {"--chrome", copy}, {"--sqlite", copy}}) {
    Words all{"export", capture};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome refused = rondo(all);
    INFO(refused.both());
    CHECK(refused.status == 2);
    CHECK(refused.err.find(copy + ": " + words[0] + " names another capture") != std::string::npos);
    all[1] = copy;
    CHECK(rondo(all).err.find("names the capture itself") != std::string::npos);
  }
  CHECK(std::filesystem::file_size(copy) == std::filesystem::file_size(capture));
  CHECK(rondo({"export", capture}).status == 2);
  CHECK(rondo({"export", "--perfetto", "-", capture}).status == 2);
  CHECK(rondo({"export", "--perfetto", "/dev/full/t", capture}).status == 1);
}
