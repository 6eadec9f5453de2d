// SPDX-License-Identifier: Apache-2.0
// What a capture says gets to a terminal as text only: no tool prints a control character, a change of the
// direction of writing, a line that a name forged, or what is no UTF-8. The captures here have hostile texts
// for their strings (tests/fuzz/rewrite_strings.cpp), and so has the file's own name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "format/printable.h"
#include "json.h"
#include "skip.h"
#include "tests/fuzz/hostile_text.h"

using namespace scenario;

namespace {

const std::string kName = std::string(rondo::fuzz::kHostileText.substr(0, 12)) +
                          "\xc2\x9b"
                          "31m\xe2\x80\xae\xff\nFORGED: x";

// Empty, or what is wrong with it.
std::string steers(const std::string& text) {
  for (const std::string& line : lines(text)) {
    if (line.starts_with(rondo::fuzz::kForged)) return "a forged line: " + line;
    if (const std::string shown = rondo::printable(line); shown != line) return shown;
  }
  return {};
}

void is_clean(const std::string& what, const Outcome& outcome) {
  INFO(what << ": status " << outcome.status << ", stdout: " << steers(outcome.out)
            << ", stderr: " << steers(outcome.err));
  CHECK(outcome.signal == 0);
  CHECK_FALSE(outcome.timed_out);
  CHECK(steers(outcome.out).empty());
  CHECK(steers(outcome.err).empty());
}

void is_clean_jsonl(const std::string& what, const Outcome& outcome) {
  is_clean(what, outcome);
  for (const std::string& line : lines(outcome.out)) {
    INFO(what << ": " << line);
    CHECK(Json::parse(line).valid());
  }
}

void rewrite(const std::string& what, const std::string& from, const std::string& to) {
  Command command;
  command.arguments = {build_root() + "/tests/fuzz/rewrite-strings", what, from, to};
  const Outcome done = run(command);
  INFO(what << " of " << from << ": " << done.both());
  REQUIRE(done.status == 0);
}

Words kinds_of(const std::string& capture) {
  Command command;
  command.arguments = {build_root() + "/tests/fuzz/rewrite-strings", "list", capture};
  const Outcome done = run(command);
  REQUIRE(done.status == 0);
  return lines(done.out);
}

// A capture with a hostile name, and room for what tools write beside it.
struct Hostile {
  TemporaryDirectory directory;
  std::string below = directory.file(kName);
  std::string path = below + "/" + kName + ".rondo";

  Hostile(const std::string& what, const std::string& source) {
    std::filesystem::create_directory(below);
    rewrite(what, source, path);
  }
  std::string file(const std::string& name) const { return below + "/" + name + kName; }
};

void reads_clean(const Hostile& hostile, const std::string& other) {
  const std::string& path = hostile.path;
  is_clean("info", scenario::rondo({"info", path, "--submits", "--frames", "--scopes", "--times"}));
  is_clean("info --shaders", scenario::rondo({"info", path, "--shaders"}));
  is_clean("info --privacy", scenario::rondo({"info", path, "--privacy"}));
  Outcome fields = scenario::rondo({"info", "--short", path});
  if (fields.status == 0) CHECK(std::count(fields.out.begin(), fields.out.end(), '\t') == 8);
  std::replace(fields.out.begin(), fields.out.end(), '\t', ' ');  // those between fields
  is_clean("info --short", fields);
  is_clean_jsonl("info --short --json", scenario::rondo({"info", "--short", "--json", path}));
  const Outcome info = scenario::rondo({"info", "--json", path});
  is_clean("info --json", info);
  if (info.status == 0) CHECK(Json::parse(info.out).valid());
  is_clean("dump", scenario::rondo({"dump", path}));
  is_clean("dump --symbols", scenario::rondo({"dump", "--symbols", path}));
  is_clean_jsonl("dump --format=jsonl", scenario::rondo({"dump", "--format=jsonl", path}));
  is_clean("accesses", scenario::rondo({"accesses", path}));
  is_clean_jsonl("accesses --format=jsonl", scenario::rondo({"accesses", "--format=jsonl", path}));
  is_clean("diff", scenario::rondo({"diff", path, other}));
  is_clean("diff", scenario::rondo({"diff", other, path}));
  is_clean("diff --format=json", scenario::rondo({"diff", "--format=json", "--ignore=handles", path, other}));
  is_clean("extract --shaders", scenario::rondo({"extract", "--shaders", "-o", hostile.file("shaders"), path}));
  is_clean("recompress", scenario::rondo({"recompress", path, "-o", hostile.file("recompressed")}));
  is_clean("pack", scenario::rondo({"pack", path, "-o", hostile.file("packed")}));
  is_clean("finish", scenario::rondo({"finish", path}));
}

// `validated`: the pipelines' entry points are those of their shaders; Debian's validation layer does not
// survive others.
void plays_clean(const Hostile& hostile, bool validated = true) {
  const std::string& path = hostile.path;
  const std::string report = hostile.file("report");
  is_clean("player", player({path, "--verify", "--report", report}));
  if (std::filesystem::exists(report)) {
    const std::string json = read_file(report);
    CHECK(Json::parse(json).valid());
    CHECK(steers(json).empty());
    is_clean("compare-runs", scenario::rondo({"compare-runs", report, report}));
    is_clean("compare-runs", scenario::rondo({"compare-runs", "--format=github", report, report}));
  }
  is_clean("player --loop", player({path, "--loop", "2"}));
  if (validated) is_clean("player --validate", player({path, "--validate", "--quiet"}));
  is_clean("player --scope", player({path, "--loop", "2", "--scope", std::string(rondo::fuzz::kHostileText)}));
  is_clean("player --timeout", player({path, "--timeout", "0.000001"}));
  is_clean("player --replace", player({path, "--replace", "all@nothing=" + hostile.file("none")}));
  is_clean("player --replace", player({path, "--replace", "all@" + kName + "=" + path}));
  is_clean("player --device", player({path, "--device", kName}));
  is_clean("player --benchmark", player({path, "--benchmark", "--benchmark_min_time=0.001", "--scope",
                                         std::string(rondo::fuzz::kHostileText)}));
  is_clean("trim", scenario::rondo({"trim", "--submits", "0:1", path, "-o", hostile.file("cut")}));
  is_clean("extract", scenario::rondo({"extract", "--images", "--buffers", "-o", hostile.file("contents"), path}));
}

const Recording& recorded(const Words& words) {
  const Recording& capture = captured(words, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

}  // namespace

SCENARIO("No string of a capture steers a terminal that a tool prints to", "[terminals]") {
  for (const char* name : {"labels", "triangle", "vulkan14"}) {
    const Recording& source = recorded({program(name)});
    GIVEN(std::string("every string of the capture of ") + name) {
      const Hostile hostile("all", source.path);
      THEN("whatever reads it prints text alone") { reads_clean(hostile, source.path); }
      THEN("and so do those that play it") { plays_clean(hostile); }
    }
    GIVEN(std::string("names in the shaders of ") + name) {
      const Hostile hostile("entry-points", source.path);
      THEN("the capture plays, and nothing but text is printed") {
        CHECK(player({hostile.path, "--verify", "--trust"}).status == 0);  // the validator minds some of these names
        reads_clean(hostile, source.path);
        plays_clean(hostile);
      }
    }
    GIVEN(std::string("one kind of string after another of ") + name) {
      for (const std::string& kind : kinds_of(source.path)) {
        CAPTURE(kind);
        const Hostile hostile(kind, source.path);
        is_clean(kind, scenario::rondo({"info", hostile.path}));
        is_clean(kind, scenario::rondo({"dump", hostile.path}));
        plays_clean(hostile, /*validated=*/false);
      }
    }
  }
}

SCENARIO("Names of commands that nobody knows are text, too", "[terminals]") {
  const Hostile hostile("unknown", recorded({program("labels")}).path);
  reads_clean(hostile, hostile.path);
  plays_clean(hostile);
  is_clean("player --salvage", player({hostile.path, "--salvage"}));
}

SCENARIO("A device's name that has no terminator ends where its array ends", "[terminals]") {
  const Hostile hostile("unterminated", recorded({program("labels")}).path);
  const std::string all(256, 'N');
  for (const Outcome& outcome :
       {player({hostile.path}), scenario::rondo({"info", hostile.path}), scenario::rondo({"dump", hostile.path})}) {
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    const std::size_t at = outcome.out.find(all);
    REQUIRE(at != std::string::npos);
    const char next = outcome.out[at + all.size()];
    CHECK((next == '\n' || next == ',' || next == '"' || next == ' '));
  }
}

SCENARIO("The names of a program, of its files and of settings are text in every message", "[terminals]") {
  const TemporaryDirectory directory;
  const std::string copy = directory.file(kName);
  std::filesystem::copy_file(program("labels"), copy);
  for (const char* output : {"/nothing/here/%e-%p.rondo", "%e-%p.rondo"}) {
    CAPTURE(output);
    Command command;
    use_driver(command.environment, lavapipe);
    command.directory = directory.path();
    command.environment["RONDO_MEMORY"] = kName;  // the layer says that there is no such word
    command.environment["RONDO_LOG"] = "info";
    command.arguments = {build_root() + "/analyzers/rondo", "capture", "--output", output, "--", copy, kName};
    const Outcome run_outcome = run(command);
    is_clean("rondo capture", run_outcome);
    command.arguments = {copy, kName};
    command.environment["RONDO_CAPTURE"] = "1";
    command.environment["RONDO_OUTPUT"] = directory.file(output);
    command.environment["XDG_DATA_DIRS"] = build_root() + "/share:/usr/local/share:/usr/share";
    is_clean("the layer", run(command));
  }
  for (const std::string& file : files_in(directory.path()))
    if (file.ends_with(".rondo")) is_clean("info", scenario::rondo({"info", directory.file(file)}));
  for (const char* command : {"info", "dump", "diff", "accesses", "extract", "trim", "pack", "recompress", "finish",
                              "trigger", "compare-runs", "measure", "capture", "play", "doctor"}) {
    is_clean(command, scenario::rondo({command, kName}));
    is_clean(command, scenario::rondo({command, "--" + kName}));
  }
  is_clean("no subcommand", scenario::rondo({kName}));
  is_clean("player", player({kName}));
  is_clean("player", player({"--" + kName}));
  is_clean("player", player({"--timeout", kName}));
}

SCENARIO("A tool whose output cannot be written says so by its status", "[terminals]") {
  const std::string capture = recorded({program("labels")}).path;
  const std::string player_path = build_root() + "/player/player", rondo_path = build_root() + "/analyzers/rondo";
  const std::vector<Words> all = {{player_path, "--help"},
                                  {player_path, "--version"},
                                  {player_path, "--list-devices"},
                                  {player_path, capture},
                                  {rondo_path, "--help"},
                                  {rondo_path, "--version"},
                                  {rondo_path, "help"},
                                  {rondo_path, "help", "agents"},
                                  {rondo_path, "info", "--help"},
                                  {rondo_path, "info", capture},
                                  {rondo_path, "dump", capture},
                                  {rondo_path, "info", "--coverage"},
                                  {rondo_path, "accesses", capture},
                                  {rondo_path, "diff", capture, capture},
                                  {rondo_path, "doctor"},
                                  {rondo_path, "play", "--help"},
                                  {rondo_path, "capture", "--help"},
                                  {rondo_path, "finish", capture}};
  for (const Words& words : all) {
    Command command;
    use_driver(command.environment, lavapipe);
    command.arguments = {"sh", "-c", "exec \"$@\" >/dev/full", "sh"};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(command);
    INFO(words[0] << " " << words[1] << ": status " << outcome.status << "\n" << outcome.err);
    CHECK(outcome.status == (words[1] == "capture" ? 125 : 1));
    CHECK(outcome.err.find("standard output") != std::string::npos);
  }
}
