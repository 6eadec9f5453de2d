// SPDX-License-Identifier: Apache-2.0
// rondo profile --statistics: what a device counts is what the commands ask for. The fake driver counts
// exactly (docs/testing.md); every test program is held to that in profile_test.cpp.
#include <catch2/catch.hpp>
#include <map>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "replays.h"

using namespace scenario;

namespace {

// A statistic by item, of the rows that have it.
std::map<std::string, int> counts_of(const std::vector<Json>& rows, const std::string& statistic) {
  std::map<std::string, int> counts;
  for (const Json& row : rows)
    if (row.at("/row") == "\"time\"" && !row.at("/" + statistic).empty())
      counts[unquoted(row.at("/item"))] = std::stoi(row.at("/" + statistic));
  return counts;
}

std::vector<Json> on_lavapipe(const std::string& path, const Words& more = {}) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo",
                       "profile",
                       "--draws",
                       "--statistics",
                       "--format",
                       "jsonl",
                       "--loop",
                       "1",
                       path};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  use_driver(command.environment, lavapipe);
  return rows_of(run_on(lavapipe, command));
}

}  // namespace

SCENARIO("a command buffer that is submitted many times replays bit for bit", "[profile]") {
  replays_bit_for_bit({program("items")});
}

SCENARIO("dispatches have the statistics that they are planted with", "[profile]") {
  const auto rows = profile_of(kernels().path, {"--statistics"});
  CHECK(counts_of(rows, "compute_invocations") ==
        std::map<std::string, int>{{"0:0", 64}, {"0:1", 128}, {"1:0", 256}, {"1:1", 512}, {"2:0", 192}});
  CHECK(rows.back().at("/counted") == "5");
  CHECK(rows.back().at("/uncounted") == "2");  // their secondary is executed twice by one command buffer
  CHECK(rows.back().at("/in_own_queries") == "0");
  CHECK(counts_of(profile_of(kernels().path, {"--statistics", "--by", "label"}), "compute_invocations") ==
        std::map<std::string, int>{
            {"no label", 192}, {"step", 960}, {"step/x1", 64}, {"step/x2", 128}, {"step/x4", 256}, {"step/x8", 512}});
  CHECK(counts_of(profile_of(kernels().path, {"--statistics", "--by", "submit"}), "compute_invocations") ==
        std::map<std::string, int>{{"submit 0", 192}, {"submit 1", 768}, {"submit 2", 192}});
  // The times are those of a replay without these queries.
  for (const Json& row : rows)
    if (row.at("/item") == "\"1:1\"") CHECK(std::stod(row.at("/median_ns")) == 8000);
  CHECK(counts_of(profile_of(kernels().path), "compute_invocations").empty());
}

SCENARIO("a command buffer that is executed several times has statistics each time", "[profile]") {
  CaptureOptions options;
  options.driver = fake;
  const Recording& capture = captured(without_checks({program("items")}), options);
  const auto rows = profile_of(capture.path, {"--statistics"});
  const auto counts = counts_of(rows, "compute_invocations");
  CHECK(counts.size() == 100);
  for (int submit = 0; submit < 5; ++submit)
    for (int draw = 0; draw < 20; ++draw)
      CHECK(counts.at(std::to_string(submit) + ":" + std::to_string(draw)) == 64 * (1 + draw % 3));
  CHECK(rows.back().at("/counted") == "100");
  CHECK(rows.back().at("/uncounted") == "0");
  WHEN("fewer rows are asked for") {
    const auto few = profile_of(capture.path, {"--statistics", "--top", "3", "--submits", "2:4"});
    std::vector<std::string> items;
    for (const Json& row : few)
      if (row.at("/row") == "\"time\"")
        items.push_back(unquoted(row.at("/item")) + " " + row.at("/compute_invocations") + " " +
                        row.at("/counts/groups_x"));
    CHECK(items == std::vector<std::string>{"2:2 192 3", "2:5 192 3", "2:8 192 3"});
    CHECK(few.back().at("/items") == "40");
    CHECK(few.back().at("/shown") == "3");
  }
}

SCENARIO("statistics of a real device are what the commands ask for", "[profile]") {
  WHEN("workgroups are dispatched") {
    CHECK(counts_of(on_lavapipe(captured({program("kernels")}).path), "compute_invocations") ==
          std::map<std::string, int>{{"0:0", 1}, {"0:1", 2}, {"1:0", 4}, {"1:1", 8}, {"2:0", 3}});
    int dispatches = 0;
    for (const Json& row : on_lavapipe(captured({program("multiply")}).path))
      if (row.at("/command") == "\"vkCmdDispatch\"") {
        CHECK(std::stoi(row.at("/compute_invocations")) ==
              16 * 16 * std::stoi(row.at("/counts/groups_x")) * std::stoi(row.at("/counts/groups_y")));
        ++dispatches;
      }
    CHECK(dispatches > 0);
  }
  WHEN("a cube of 36 vertices is drawn in each frame") {
    const auto rows = on_lavapipe(captured(vkcube(20)).path, {"--frames", "3:6"});
    const auto vertices = counts_of(rows, "input_assembly_vertices");
    CHECK(vertices.size() == 6);  // draws and passes
    for (const auto& [item, count] : vertices) CHECK(count == 36);
    for (const auto& [item, count] : counts_of(rows, "input_assembly_primitives")) CHECK(count == 12);
  }
  WHEN("a draw covers 256 pixels, and others are in a statistics query of the program's own") {
    const auto rows = on_lavapipe(captured({program("queries")}).path);
    const auto fragments = counts_of(rows, "fragment_invocations");
    CHECK(fragments.size() == 2);  // the draw and its pass
    for (const auto& [item, count] : fragments) {
      CHECK(count >= 256);
      CHECK(count <= 400);
    }
    CHECK(rows.back().at("/uncounted") == "2");
    CHECK(rows.back().at("/in_own_queries") == "2");
  }
}

SCENARIO("a device without pipeline statistics has rows without them", "[profile]") {
  for (const std::string format : {"jsonl", "text"}) {
    Command command;
    command.arguments = {
        build_root() + "/analyzers/rondo", "profile", "--statistics", "--format", format, kernels().path};
    use_driver(command.environment, fake, "timed-work=1,lacks=pipelineStatisticsQuery");
    const Outcome outcome = run_on(fake, command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    if (format == "text") {
      CHECK(outcome.out.find("this device counts no pipeline statistics (it lacks pipelineStatisticsQuery): "
                             "the rows have none\n") != std::string::npos);
      continue;
    }
    const auto rows = rows_of(outcome);
    CHECK(counts_of(rows, "counted").empty());
    CHECK(counts_of(rows, "median_ns").size() == 5);
    CHECK(rows.back().at("/lacks_statistics") == "true");
  }
}
