// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` says of planted faults and their clean twins (tests/programs/hazards), which say themselves what is
// right.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

constexpr const char* kRules = "race,ineffective,superfluous,too-wide,replaceable";
constexpr const char* kHazards[] = {"RAW", "WAR", "WAW", "OWNER", "LIFETIME"};  // in the order of what plants print

// The label of a command; "host": a call; else its Vulkan command.
std::string label_of(const Json& row, const std::string& of) {
  const std::size_t labels = row.size(of + "/labels");
  if (labels != 0) return unquoted(row.at(of + "/labels/" + std::to_string(labels - 1)));
  return row.at(of + "/submit") == "null" ? "host" : unquoted(row.at(of + "/command"));
}

// By their records: "vkWaitForFences#2" is the second call of the command that the capture has.
std::map<std::string, std::string> calls_of(const std::string& path) {
  std::map<std::string, std::string> all;
  std::map<std::string, int> counts;  // by command
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", path}).out)) {
    const Json row = Json::parse(line);
    if (row.at("/row") != "\"record\"") continue;
    const std::string command = unquoted(row.at("/command"));
    all[row.at("/sequence")] = command + "#" + std::to_string(++counts[command]);
  }
  return all;
}

// The calls that a row without labels is about, submits or others of the host: "vkQueueSubmit#1".
std::vector<std::string> calls_in(const Json& row, const std::map<std::string, std::string>& calls) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& record) {
    const auto call = calls.find(record);
    all.push_back(call != calls.end() ? call->second : "record " + record);
  };
  add(row.at("/record"));
  for (std::size_t i = 0; i < row.size("/other_records"); ++i) add(row.at("/other_records/" + std::to_string(i)));
  return all;
}

// "race RAW WAW A B", "superfluous barrier1", each once: a pass has several commands of one label.
std::set<std::string> found_in(const std::string& path) {
  std::set<std::string> all;
  std::map<std::string, std::string> calls;
  std::map<std::string, std::set<std::string>> hazards;  // by both labels
  for (const Json& row : rows_of(rondo({"sync", "--format=jsonl", "--rules", kRules, path}))) {
    if (row.at("/row") != "\"sync\"") continue;
    const std::string rule = unquoted(row.at("/rule"));
    if (rule != "race" && row.size("/labels") != 0) {
      all.insert(rule + " " + label_of(row, ""));
      continue;
    }
    if (rule != "race") {
      if (calls.empty()) calls = calls_of(path);
      for (const std::string& call : calls_in(row, calls)) all.insert(rule + " " + call);
      continue;
    }
    const std::string words = unquoted(row.at("/hazards"));
    std::set<std::string>& kinds = hazards[label_of(row, "/from") + " " + label_of(row, "/to")];
    for (const char* kind : kHazards)
      if (words.find(kind) != std::string::npos) kinds.insert(kind);
  }
  for (const auto& [labels, kinds] : hazards) {
    std::string said = "race";
    for (const char* kind : kHazards)
      if (kinds.count(kind) != 0) said.append(" ").append(kind);
    all.insert(said + " " + labels);
  }
  return all;
}

// The lines of an output that begin with a word, without it.
std::set<std::string> said(const std::string& output, const std::string& word) {
  std::set<std::string> all;
  for (const std::string& line : lines(output))
    if (line.rfind(word + " ", 0) == 0) all.insert(line.substr(word.size() + 1));
  return all;
}

// The parts of a text between separators.
std::vector<std::string> parts(const std::string& text, const std::string& separator) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return all;
}

// Takes the findings of a line "X and Y or Z" out of `found`. False if they are neither X and Y nor Z alone.
bool take_alternative(const std::string& line, std::set<std::string>& found) {
  std::vector<std::set<std::string>> alternatives;
  std::set<std::string> taken;
  for (const std::string& alternative : parts(line, " or ")) {
    const std::vector<std::string> together = parts(alternative, " and ");
    alternatives.emplace_back(together.begin(), together.end());
    for (const std::string& one : together)
      if (found.erase(one) != 0) taken.insert(one);
  }
  return std::find(alternatives.begin(), alternatives.end(), taken) != alternatives.end();
}

// On lavapipe; on the fake driver where that is not enough: it has one queue, and presents to no headless surface.
const Recording& captured_plant(const std::string& name) {
  const Words words{program("hazards/hazards"), name};
  const Recording& capture = captured(words);
  return capture.run.status == kCannotRun ? captured(words, {.driver = fake}) : capture;
}

}  // namespace

SCENARIO("rondo sync finds each planted fault, and nothing in its clean twin", "[sync]") {
  const std::string hazards = program("hazards/hazards");
  Command ask;
  ask.arguments = {hazards, "--list"};
  const Outcome list = run(ask);
  REQUIRE(list.status == 0);
  std::size_t clean = 0;
  for (const std::string& name : lines(list.out)) {
    const Recording& capture = captured_plant(name);
    INFO(name << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const std::set<std::string> expected = said(capture.run.out, "expect"), allowed = said(capture.run.out, "allow"),
                                either = said(capture.run.out, "either");
    std::set<std::string> found = found_in(capture.path);
    for (const std::string& one : allowed)
      if (expected.count(one) == 0) found.erase(one);
    for (const std::string& line : either) CHECK(take_alternative(line, found));
    CHECK(found == expected);
    clean += expected.empty() && either.empty() ? 1 : 0;
  }
  CHECK(lines(list.out).size() >= 310);
  CHECK(clean >= 148);
}

SCENARIO("a finding can fail a build, and says in text what to do", "[sync]") {
  const std::string hazards = program("hazards/hazards");
  const Recording& racy = captured({hazards, "dispatch-raw"});
  const Recording& wide = captured({hazards, "wide-stages"});
  REQUIRE(racy.run.status == 0);
  CHECK(rondo({"sync", racy.path}).status == 0);
  CHECK(rondo({"sync", "--fail-on", "race", racy.path}).status == 5);
  CHECK(rondo({"sync", "--fail-on", "superfluous,too-wide", racy.path}).status == 0);
  CHECK(rondo({"sync", "--fail-on", "too-wide", wide.path}).status == 5);
  CHECK(rondo({"sync", "--fail-on", "races", racy.path}).status == 2);
  CHECK(rondo({"sync", "--fail-on", "", racy.path}).status == 2);
  CHECK(rondo({"sync", "--rules", "", racy.path}).status == 2);

  const std::string text = rondo({"sync", racy.path}).out;
  INFO(text);
  CHECK(text.find("race, possible: RAW of VkBuffer#") != std::string::npos);
  CHECK(text.find("VkMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL, "
                  "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, "
                  "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT};") !=
        std::string::npos);
  CHECK(rondo({"sync", "--rules", "too-wide", racy.path}).out.find("race, possible") == std::string::npos);
  CHECK(rondo({"sync", "--max", "0", racy.path}).out.find("race, possible") == std::string::npos);
  const std::string all = rondo({"sync", "--all", captured({hazards, "dispatch-raw-clean"}).path}).out;
  INFO(all);
  CHECK(all.find("needed: vkCmdPipelineBarrier") != std::string::npos);
  CHECK(all.find("only it orders vkCmdDispatch") != std::string::npos);
  // The same cause has the same name in another capture.
  const std::size_t id = text.find('[');
  CHECK(rondo({"sync", captured({hazards, "dispatch-raw"}, {.driver = swiftshader}).path})
            .out.find(text.substr(id, 14)) != std::string::npos);
}

SCENARIO("findings of a span are those of what it executes", "[sync]") {
  // The second submit reads what the first one writes.
  const std::string path = captured({program("hazards/hazards"), "two-submits"}).path;
  const auto counted = [&](const std::string& file, const Words& span, const char* what) {
    Words words{"sync", "--format=jsonl", file};
    words.insert(words.end(), span.begin(), span.end());
    return std::stoull(rows_of(rondo(words)).back().at(what));
  };
  CHECK(counted(path, {}, "/race") == 1);
  CHECK(counted(path, {"--submits", "0"}, "/race") == 0);
  CHECK(counted(path, {"--submits", "1"}, "/race") == 1);
  CHECK(rondo({"sync", "--submits", "0", "--fail-on", "race", path}).status == 0);
  CHECK(rondo({"sync", "--submits", "1", "--fail-on", "race", path}).status == 5);
  CHECK(rondo({"sync", "--submits", "9", path}).status == 2);
  // Each synchronization command counts in one frame: the one that executes it first.
  const std::string frames = captured(vkcube(6), {.checkpoints = "present"}).path;
  std::uint64_t sum = 0;
  for (int frame = 0; frame < 6; ++frame) sum += counted(frames, {"--frames", std::to_string(frame)}, "/operations");
  const std::uint64_t all = counted(frames, {}, "/operations"),
                      six = counted(frames, {"--frames", "0:6"}, "/operations");
  CHECK(sum == six);
  CHECK(six > 6);
  CHECK(six <= all);
}

SCENARIO("rondo why names the shortest reasons from one item to another", "[sync]") {
  const std::string hazards = program("hazards/hazards");
  // Both dispatches, by their records.
  const auto dispatches = [](const std::string& path) {
    std::vector<std::string> records;
    for (const Json& row : graph_of(path))
      if (row.at("/command") == "\"vkCmdDispatch\"") records.push_back(row.at("/record"));
    return records;
  };
  for (const bool clean : {true, false}) {
    const Recording& capture = captured({hazards, clean ? "dispatch-raw-clean" : "dispatch-raw"});
    REQUIRE(capture.run.status == 0);
    const std::vector<std::string> records = dispatches(capture.path);
    REQUIRE(records.size() == 2);
    const std::string text = rondo({"why", capture.path, records[0], records[1]}).out;
    INFO(text);
    CHECK(text.find(records[1] + "@0 needs " + records[0] + "@0: RAW VkBuffer#") != std::string::npos);
    CHECK((text.find("the program orders the first before the second\n    vkCmdPipelineBarrier") !=
           std::string::npos) == clean);
    CHECK((text.find("synchronization: nothing") != std::string::npos) == !clean);
    // In whichever order they are given.
    CHECK(rondo({"why", capture.path, records[1], records[0]}).out == text);
    const std::vector<Json> rows = rows_of(rondo({"why", "--format=jsonl", capture.path, records[0], records[1]}));
    CHECK(rows.back().at("/data") == "true");
    CHECK(rows.back().at("/synchronization") == (clean ? "\"all\"" : "\"none\""));
    CHECK(rondo({"why", capture.path, records[0], records[0]}).status == 2);
    CHECK(rondo({"why", capture.path, records[0], "999999"}).status == 2);
    CHECK(rondo({"why", capture.path, "first", records[0]}).status == 2);
  }
  // Ordered, though the second needs nothing of the first; and neither.
  const Recording& independent = captured({hazards, "before-independent"});
  const std::vector<std::string> all = dispatches(independent.path);
  REQUIRE(all.size() >= 2);
  const std::string text = rondo({"why", independent.path, all[0], all[1]}).out;
  INFO(text);
  CHECK(text.find("data: nothing") != std::string::npos);
}

SCENARIO("rondo why says that what is ordered is not visible, and which barrier lacks what", "[sync]") {
  const std::string hazards = program("hazards/hazards");
  struct Case {
    const char* plant;
    const char* visible;  // null: the second sees nothing of the first
    std::vector<const char*> lacks;
  };
  for (const Case& one : std::vector<Case>{
           {"no-visibility", "none", {"lacks COMPUTE_SHADER (SHADER_STORAGE_READ) in its second scope"}},
           {"no-availability", "none", {"lacks COMPUTE_SHADER (SHADER_STORAGE_WRITE) in its first scope"}},
           {"no-visibility-clean", "all", {}},
           {"unused-buffer", "none", {"is for another resource"}},
           // One of two buffers.
           {"other-buffer",
            "some",
            {"lacks COMPUTE_SHADER (SHADER_STORAGE_WRITE) in its first scope",
             "lacks COMPUTE_SHADER (SHADER_STORAGE_READ) in its second scope"}},
           {"dispatch-raw", nullptr, {}},
           {"dispatch-raw-clean", "all", {}}}) {
    const Recording& capture = captured({hazards, one.plant});
    REQUIRE(capture.run.status == 0);
    std::vector<std::string> records;
    for (const Json& row : graph_of(capture.path))
      if (row.size("/labels") == 1 && row.at("/command") == "\"vkCmdDispatch\"") records.push_back(row.at("/record"));
    REQUIRE(records.size() >= 2);
    const Outcome text = rondo({"why", capture.path, records[0], records[1]});
    const std::vector<Json> rows = rows_of(rondo({"why", "--format=jsonl", capture.path, records[0], records[1]}));
    INFO(one.plant << "\n" << text.both());
    const Json& last = rows.back();
    CHECK(unquoted(last.at("/visibility")) == (one.visible != nullptr ? one.visible : ""));
    CHECK((text.out.find("visibility: ") != std::string::npos) == (one.visible != nullptr));
    CHECK((text.out.find("\n    VkBuffer#0 0:2048: COMPUTE_SHADER (SHADER_STORAGE_WRITE) of vkCmdDispatch ") !=
           std::string::npos) == !one.lacks.empty());
    REQUIRE(last.size("/lacks") == one.lacks.size());
    for (std::size_t i = 0; i < one.lacks.size(); ++i)
      CHECK(last.at("/lacks/" + std::to_string(i) + "/text").find(one.lacks[i]) != std::string::npos);
    for (const Json& row : rows)
      if (row.at("/row") == "\"reason\"" && row.at("/reason") == "\"data\"") {
        REQUIRE(row.size("/kinds") >= 1);
        CHECK(row.at("/kinds/0") == "\"RAW\"");
      }
  }
}

SCENARIO("player --validate=sync switches synchronization validation on", "[sync]") {
  const std::string hazards = program("hazards/hazards");
  for (const char* name : {"dispatch-raw", "two-submits"}) {
    for (const bool clean : {false, true}) {
      const Recording& capture = captured({hazards, name + std::string(clean ? "-clean" : "")});
      REQUIRE(capture.run.status == 0);
      const Outcome played = player({"--validate=sync", capture.path});
      INFO(played.both());
      CHECK(played.status == (clean ? 0 : 1));
      CHECK((played.both().find("SYNC-HAZARD-READ-AFTER-WRITE") != std::string::npos) == !clean);
      CHECK(player({"--validate", capture.path}).status == 0);
    }
  }
  CHECK(player({"--validate=all", captured({hazards, "dispatch-raw"}).path}).status == 2);
}
