// SPDX-License-Identifier: Apache-2.0
// What rondo graph, who, why and sync have in common: their first rows, and what they say of a capture that could be
// read only in part.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "profiles.h"

using namespace scenario;

namespace {

// Two dispatches with a barrier between them.
const std::string& two_dispatches() {
  const Recording& capture = captured({program("hazards/hazards"), "dispatch-raw-clean"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture.path;
}

// The commands that look at `path`. `records`: of two items of it.
std::vector<Words> analyses(const std::string& path, const std::vector<std::string>& records) {
  return {{"graph", path},
          {"graph", "--has", path},
          {"graph", "--both", path},
          {"who", path, "VkBuffer#1"},
          {"why", path, records.at(0), records.at(1)},
          {"sync", path}};
}

Words as_rows(Words words) {
  words.push_back("--format=jsonl");
  return words;
}

std::vector<std::string> dispatches(const std::string& path) {
  std::vector<std::string> records;
  for (const Json& row : graph_of(path))
    if (row.at("/command") == "\"vkCmdDispatch\"") records.push_back(row.at("/record"));
  return records;
}

}  // namespace

SCENARIO("the first row of each analysis names the devices of the capture", "[graph]") {
  const std::string& path = two_dispatches();
  const std::string device = Json::parse(rondo({"info", "--json", path}).out).at("/devices/0/name");
  REQUIRE(device.size() > 2);
  std::vector<Words> all = analyses(path, dispatches(path));
  for (Words& words : all) words = as_rows(words);
  all.push_back({"info", "--draws", "--json", path});
  all.push_back({"info", "--draws", "--json", "--submits", "0", path});
  for (const Words& words : all) {
    const std::vector<Json> rows = rows_of(rondo(words));
    INFO(words.front());
    REQUIRE(rows.front().size("/captured_devices") == 1);
    CHECK(rows.front().at("/captured_devices/0/name") == device);
    CHECK(rows.front().at("/captured_devices/0/object") == "\"VkPhysicalDevice#0\"");
  }
}
