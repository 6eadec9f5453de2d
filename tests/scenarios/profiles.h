// SPDX-License-Identifier: Apache-2.0
// Rows of analysis, and profiles that the fake driver gives.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fixture.h"
#include "json.h"

namespace scenario {

inline std::string unquoted(const std::string& text) {
  return text.size() < 2 || text.front() != '"' ? text : text.substr(1, text.size() - 2);
}

inline std::vector<Json> rows_of(const Outcome& outcome) {
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  std::vector<Json> rows;
  for (const std::string& line : lines(outcome.out)) {
    rows.push_back(Json::parse(line));
    CHECK(rows.back().valid());
  }
  REQUIRE(rows.size() >= 2);
  CHECK(rows.front().at("/row") == "\"analysis\"");
  CHECK(rows.front().at("/schema") == "2");
  CHECK(rows.back().at("/row") == "\"summary\"");
  return rows;
}

// Played on the fake driver, whose timestamps tell the work that it did.
inline std::vector<Json> profile_of(const std::string& path, const Words& more = {}, const std::string& settings = {}) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format", "jsonl", "--loop", "3", path};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  use_driver(command.environment, fake, "timed-work=1" + (settings.empty() ? "" : "," + settings));
  return rows_of(run_on(fake, command));
}

// The rows of rondo info --draws.
inline std::vector<Json> draws_of(const std::string& path, const Words& more = {}) {
  Words words{"info", "--draws", "--json", path};
  words.insert(words.end(), more.begin(), more.end());
  return rows_of(rondo(words));
}

inline std::vector<Json> graph_of(const std::string& path, const Words& more = {}) {
  Words words{"graph", "--format=jsonl", path};
  words.insert(words.end(), more.begin(), more.end());
  return rows_of(rondo(words));
}

inline std::vector<Json> uses_of(const std::string& path, const std::string& resource) {
  return rows_of(rondo({"who", "--format=jsonl", path, resource}));
}

inline const Recording& kernels() {
  CaptureOptions options;
  options.driver = fake;
  return captured(without_checks({program("kernels")}), options);
}

}  // namespace scenario
