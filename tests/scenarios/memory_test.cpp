// SPDX-License-Identifier: Apache-2.0
// What `rondo memory` says of programs: of planted ones (tests/programs/planted/uses), which say themselves what is
// right; and of all, that its packings are right and that its peak is the driver's own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

std::uint64_t number_at(const Json& row, const std::string& pointer) { return std::stoull(row.at(pointer)); }

std::vector<Json> memory_rows(const std::string& path, Words more = {}) {
  Words words{"memory", "--format=jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(path);
  return rows_of(rondo(words));
}

struct Placed {
  std::string object;
  std::uint64_t offset, bytes, from, to;
};

// The verifier knows the rows alone: of one block, no two ranges of items overlap where their bytes do.
void check_places(const std::vector<Json>& rows) {
  using Block = std::tuple<std::string, std::string, std::string>;
  std::map<Block, std::uint64_t> sizes;
  std::map<Block, std::vector<Placed>> all;
  for (const Json& row : rows) {
    if (row.at("/row") != "\"block\"" && row.at("/row") != "\"place\"") continue;
    const Block block{row.at("/device"), row.at("/type"), row.at("/order")};
    if (row.at("/row") == "\"block\"") {
      sizes[block] = number_at(row, "/block");
      CHECK(number_at(row, "/packed") >= number_at(row, "/lower_bound"));
      continue;
    }
    if (const std::uint64_t alignment = number_at(row, "/alignment"); alignment != 0)
      CHECK(number_at(row, "/offset") % alignment == 0);
    CHECK(row.size("/live") != 0);
    for (std::size_t i = 0; i < row.size("/live"); ++i) {
      const std::string range = "/live/" + std::to_string(i);
      all[block].push_back({row.at("/object"), number_at(row, "/offset"), number_at(row, "/bytes"),
                            number_at(row, range + "/0"), number_at(row, range + "/1")});
    }
  }
  for (const auto& [block, places] : all)
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Placed& a = places[i];
      CHECK(a.from <= a.to);
      CHECK(a.offset + a.bytes <= sizes.at(block));
      for (std::size_t n = i + 1; n < places.size(); ++n) {
        const Placed& b = places[n];
        if (a.object == b.object || a.from > b.to || b.from > a.to) continue;
        INFO(a.object << " and " << b.object);
        CHECK((a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset));
      }
    }
}

void check_answers(const std::string& name, bool clean) {
  Words words{program("planted/uses"), name};
  if (clean) words.emplace_back("clean");
  words = without_checks(words);
  if (const std::string why = cannot_run(words, fake); !why.empty()) return;
  CaptureOptions options;
  options.driver = fake;
  const Recording& capture = captured(words, options);
  INFO(name << (clean ? ", clean" : ""));
  REQUIRE(capture.run.status == 0);
  std::map<std::string, std::string> classes;
  std::set<std::string> advice;
  const std::vector<Json> rows = memory_rows(capture.path, {"--classes", "--pack"});
  for (const Json& row : rows) {
    if (row.at("/row") == "\"resource\"") classes[unquoted(row.at("/object"))] = unquoted(row.at("/class"));
    if (row.at("/row") == "\"advice\"") advice.insert(unquoted(row.at("/rule")) + " " + unquoted(row.at("/object")));
  }
  check_places(rows);
  int answers = 0;
  for (const std::string& line : lines(capture.run.out)) {
    if (line.rfind("expect ", 0) != 0) continue;
    answers += 1;
    const std::string answer = line.substr(7);
    INFO(answer);
    const std::size_t space = answer.find(' '), last = answer.rfind(' ');
    const std::string kind = answer.substr(0, space);
    if (kind == "class") {
      CHECK(classes[answer.substr(space + 1, last - space - 1)] == answer.substr(last + 1));
      continue;
    }
    // All advice of the rule.
    std::set<std::string> of_rule, wanted;
    const std::string rule = kind == "none" ? answer.substr(5) : answer.substr(7, last - 7);
    if (kind == "advice") wanted.insert(answer.substr(7));
    for (const std::string& one : advice)
      if (one.rfind(rule + " ", 0) == 0) of_rule.insert(one);
    CHECK(of_rule == wanted);
    CHECK(rondo({"memory", "--fail-on", rule, capture.path}).status == (wanted.empty() ? 0 : kDifferent));
  }
  CHECK(answers > 0);
}

}  // namespace

SCENARIO("each planted use has its class or its advice, and its clean twin has not", "[memory]") {
  Command ask;
  ask.arguments = {program("planted/uses"), "--list"};
  const Outcome list = run(ask);
  REQUIRE(list.status == 0);
  for (const std::string& name : lines(list.out))
    for (const bool clean : {false, true}) check_answers(name, clean);
}

SCENARIO("the peak of allocated bytes is the driver's own", "[memory]") {
  for (const char* name : {"compute", "triangle", "images", "memory_types", "aliases"}) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("capture.rondo"), peak = directory.file("peak");
    CaptureOptions options;
    options.driver = fake;
    const Words words = without_checks({program(name)});
    if (const std::string why = cannot_run(words, fake); !why.empty()) continue;
    const Outcome outcome = run(capture_command(words, path, options));
    INFO(name << "\n" << outcome.both());
    REQUIRE(outcome.status == 0);
    // Of the program alone: the layer allocates for itself, and in other sizes.
    Command alone;
    alone.arguments = words;
    use_driver(alone.environment, fake, "peak=" + peak);
    REQUIRE(run_on(fake, alone).status == 0);
    const std::vector<std::string> peaks = lines(read_file(peak));
    REQUIRE(!peaks.empty());
    const std::vector<Json> rows = memory_rows(path);
    CHECK(rows.back().at("/allocated") == peaks.back());
    CHECK(number_at(rows.back(), "/bound") <= number_at(rows.back(), "/allocated"));
    // No two resources lie on the same bytes there.
    if (name != std::string("aliases")) CHECK(number_at(rows.back(), "/live") <= number_at(rows.back(), "/bound"));
  }
}

SCENARIO("no packing puts two resources on the same bytes at the same time", "[memory]") {
  for (const char* name : {"compute", "triangle", "passes", "indirect", "secondary", "timeline", "events", "planes",
                           "queries", "rendering", "images", "conditional", "descriptor_buffers", "suballocate",
                           "aliases", "memory", "kept_images", "sparse", "uploads"}) {
    const Words words = without_checks({program(name)});
    if (const std::string why = cannot_run(words, lavapipe); !why.empty()) continue;
    const Recording& capture = captured(words);
    INFO(name);
    REQUIRE(capture.run.status == 0);
    for (const Words& more : {Words{"--pack", "--timeline"}, Words{"--pack", "--certain"}}) {
      const std::vector<Json> rows = memory_rows(capture.path, more);
      check_places(rows);
      // The points keep the peaks.
      std::map<std::string, std::uint64_t> most;
      for (const Json& row : rows)
        if (row.at("/row") == "\"point\"")
          for (const char* what : {"allocated", "bound", "live"}) {
            std::uint64_t& one = most[row.at("/heap") + what];
            one = std::max(one, number_at(row, std::string("/") + what));
          }
      if (more.back() != "--timeline") continue;
      for (const Json& row : rows)
        if (row.at("/row") == "\"heap\"")
          for (const char* what : {"allocated", "bound", "live"})
            CHECK(most[row.at("/heap") + what] == number_at(row, std::string("/") + what));
    }
  }
}
