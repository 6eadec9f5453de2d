// SPDX-License-Identifier: Apache-2.0
// rondo profile --counters: performance counters of the fake driver, which count what the commands ask for
// (tests/icd/counters.cpp). Every test program is held to that in profile_test.cpp.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "replays.h"

using namespace scenario;

namespace {

Outcome profiled(const std::string& path, const Words& more, const std::string& settings = {}) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--loop", "2", path};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  use_driver(command.environment, fake, "timed-work=1,counters=1" + (settings.empty() ? "" : "," + settings));
  return run_on(fake, command);
}

// No call that the specification forbids is made: the driver would say so on standard error.
std::vector<Json> counted(const std::string& path, const Words& more, const std::string& settings = {}) {
  Words words{"--format", "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = profiled(path, words, settings);
  CHECK(outcome.err.empty());
  return rows_of(outcome);
}

// A counter by item, of the rows that have it.
std::map<std::string, double> values_of(const std::vector<Json>& rows, const std::string& counter) {
  std::map<std::string, double> values;
  for (const Json& row : rows)
    if (row.at("/row") == "\"time\"" && !row.at("/counters/" + counter).empty())
      values[unquoted(row.at("/item"))] = std::stod(row.at("/counters/" + counter));
  return values;
}

using Values = std::map<std::string, double>;

}  // namespace

SCENARIO("dispatches have the counters that they are planted with", "[profile][counters]") {
  const auto rows = counted(kernels().path, {"--counters", "workgroups,BUSY"});
  CHECK(values_of(rows, "Workgroups") == Values{{"0:0", 1}, {"0:1", 2}, {"1:0", 4}, {"1:1", 8}, {"2:0", 3}});
  CHECK(values_of(rows, "Busy") == Values{{"0:0", 12.5}, {"0:1", 25}, {"1:0", 50}, {"1:1", 100}, {"2:0", 37.5}});
  CHECK(values_of(rows, "Vertices").empty());  // it was not asked for
  CHECK(rows.back().at("/commands_counted") == "5");
  CHECK(rows.back().at("/commands_uncounted") == "2");  // one command buffer executes their secondary twice
  CHECK(rows.front().at("/counters/0/name") == "\"Workgroups\"");
  CHECK(rows.front().at("/counters/0/of_row") == "\"sum\"");
  CHECK(rows.front().at("/counters/1/unit") == "\"%\"");
  CHECK(rows.front().at("/counters/1/of_row") == "\"mean\"");
  // The times are those of a replay that counts nothing.
  for (const Json& row : rows)
    if (row.at("/item") == "\"1:1\"") CHECK(std::stod(row.at("/median_ns")) == 8000);
  WHEN("rows are groups") {
    const auto labels = counted(kernels().path, {"--counters", "workgroups,busy", "--by", "label"});
    CHECK(values_of(labels, "Workgroups") ==
          Values{{"no label", 3}, {"step", 15}, {"step/x1", 1}, {"step/x2", 2}, {"step/x4", 4}, {"step/x8", 8}});
    CHECK(values_of(labels, "Busy").at("step") == (12.5 + 25 + 50 + 100) / 4);
  }
}

SCENARIO("all counters that can be counted are read, in as few replays as their passes allow", "[profile][counters]") {
  const TemporaryDirectory directory;
  const std::string log = directory.file("calls");
  const auto rows = counted(kernels().path, {"--counters", "all"}, "log=" + log);
  std::vector<std::string> names;
  for (int i = 0; !rows.front().at("/counters/" + std::to_string(i)).empty(); ++i)
    names.push_back(unquoted(rows.front().at("/counters/" + std::to_string(i) + "/name")));
  // Two are called Stalls. Of render passes, of command buffers, and in two passes: those are not read.
  CHECK(names ==
        std::vector<std::string>{"Workgroups", "Vertices", "Bytes written", "Busy", "Compute/Stalls", "Memory/Stalls"});
  for (const Json& row : rows)
    if (row.at("/item") == "\"1:1\"") {
      CHECK(std::stod(row.at("/counters/Bytes written")) == 4);
      CHECK(std::stod(row.at("/counters/Compute~1Stalls")) == -1);
      CHECK(std::stod(row.at("/counters/Memory~1Stalls")) == -2);
      CHECK(std::stod(row.at("/counters/Vertices")) == 0);
    }
  // Each counting replay takes the lock once, and gives it back.
  const std::string calls = read_file(log);
  CHECK(count(calls, "vkAcquireProfilingLockKHR") == 2);
  CHECK(count(calls, "vkReleaseProfilingLockKHR") == 2);
  CHECK(count(calls, "vkCreateDevice\n") == 4);  // without timestamps, with, and two that count
}

SCENARIO("counters need nothing but what the device has", "[profile][counters]") {
  CHECK(values_of(counted(kernels().path, {"--counters", "workgroups"}, "lacks=performanceCounterMultipleQueryPools"),
                  "Workgroups")
            .size() == 5);
  for (const std::string without : {"counters=0", "lacks=performanceCounterQueryPools"}) {
    const auto rows = counted(kernels().path, {"--counters", "workgroups"}, without);
    CHECK(values_of(rows, "Workgroups").empty());
    CHECK(rows.back().at("/lacks_counters") == "true");
    CHECK(profiled(kernels().path, {"--counters", "workgroups"}, without)
              .out.find("this device has no performance counters (it lacks VK_KHR_performance_query): the rows "
                        "have none\n") != std::string::npos);
  }
}

SCENARIO("the validation layer has nothing to say of counters", "[profile][counters]") {
  CaptureOptions options;
  options.driver = fake;
  for (const std::string name : {"kernels", "triangle", "secondary"}) {
    const Recording& capture = captured(without_checks({program(name)}), options);
    Command command;
    command.arguments = {
        build_root() + "/analyzers/rondo", "profile", "--loop", "2", "--draws", "--counters", "all", capture.path};
    use_driver(command.environment, fake, "timed-work=1,counters=1");
    command.environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
    command.environment["VK_LOADER_DEBUG"] = "layer";
    const Outcome outcome = run_on(fake, command);
    INFO(name << ": " << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("6 counters of ") != std::string::npos);
    CHECK(count(outcome.both(), "Validation Error") == 0);
    CHECK(count(outcome.both(), "libVkLayer_khronos_validation.so") > 0);  // it was there
  }
}

SCENARIO("submits that the host times have no statistics and no counters, and that is said", "[profile][counters]") {
  const Outcome outcome = profiled(kernels().path, {"--counters", "all", "--statistics"}, "timestamps=0");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("the rows are submits, in the host's time\nsubmits have no statistics and no counters\n") !=
        std::string::npos);
  CHECK(outcome.out.find("Workgroups") == std::string::npos);
}

SCENARIO("a command buffer that is executed several times in the span has no counters", "[profile][counters]") {
  CaptureOptions options;
  options.driver = fake;
  const Recording& capture = captured(without_checks({program("items")}), options);
  const auto whole = counted(capture.path, {"--counters", "workgroups"});
  CHECK(whole.back().at("/commands_counted") == "0");
  CHECK(whole.back().at("/commands_uncounted") == "100");
  const auto one = counted(capture.path, {"--counters", "workgroups", "--submits", "2:3"});
  const Values values = values_of(one, "Workgroups");
  CHECK(values.size() == 20);
  for (int draw = 0; draw < 20; ++draw) CHECK(values.at("2:" + std::to_string(draw)) == 1 + draw % 3);
}

SCENARIO("the text has a column for each counter", "[profile][counters]") {
  const Outcome outcome = profiled(kernels().path, {"--counters", "workgroups,busy"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("    Workgroups      Busy [%]  item\n") != std::string::npos);
  CHECK(outcome.out.find("             8           100  1:1 vkCmdDispatch;") != std::string::npos);
  CHECK(outcome.out.find("             3         37.50  2:0 vkCmdDispatch;") != std::string::npos);
  CHECK(outcome.out.find("2 counters of 5 of 7 commands, of one iteration each, in 2 replays of their own\n") !=
        std::string::npos);
  CHECK(outcome.out.find("2 without counters: most often because they are executed more than once in the span") !=
        std::string::npos);
}

SCENARIO("the counters of a device are listed", "[profile][counters]") {
  const Outcome outcome = profiled(kernels().path, {"--list-counters"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\nWorkgroups               of commands; Compute; workgroups that were dispatched\n") !=
        std::string::npos);
  CHECK(outcome.out.find("\nMemory/Stalls [cycles]   of commands; Memory; -2 a command\n") != std::string::npos);
  CHECK(outcome.out.find("\nTiles                    of a render pass: not read; Passes; of a render pass\n") !=
        std::string::npos);
  CHECK(outcome.out.find("\nFlushes                  of a command buffer: not read;") != std::string::npos);
  CHECK(outcome.out.find("\nEverything               of a command, in several passes: not read;") != std::string::npos);
  CHECK(outcome.out.find("timestamps") == std::string::npos);  // nothing was played
  const auto rows = counted(kernels().path, {"--list-counters"});
  REQUIRE(rows.size() == 11);
  CHECK(rows[3].at("/row") == "\"counter\"");
  CHECK(rows[3].at("/name") == "\"Bytes written\"");
  CHECK(rows[3].at("/unit") == "\"bytes\"");
  CHECK(rows[3].at("/usable") == "true");
  CHECK(rows[7].at("/scope") == "\"render pass\"");
  CHECK(rows[7].at("/usable") == "false");
  CHECK(rows[9].at("/scope") == "\"command\"");
  CHECK(rows[9].at("/usable") == "false");
  CHECK(profiled(kernels().path, {"--list-counters"}, "counters=0")
            .out.find("\nno performance counters (VK_KHR_performance_query)\n") != std::string::npos);
}

SCENARIO("a counter that is not there is refused before anything is played", "[profile][counters]") {
  const auto refused = [](const std::string& names, const std::string& words, int status = 2,
                          const std::string& settings = {}) {
    const Outcome outcome = profiled(kernels().path, {"--counters", names}, settings);
    INFO(names << ": " << outcome.both());
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(words) != std::string::npos);
  };
  refused("workgroups,cache hits",
          "--counters: the device has none with 'cache hits' in its name; it has: Workgroups, "
          "Vertices, Bytes written,");
  for (const std::string name : {"tiles", "flushes", "everything"})
    refused(name, "--counters: '" + name + "' cannot be counted around single commands in one pass");
  refused("workgroups,,busy", "--counters takes names with commas between them, or all");
  refused("", "--counters takes names with commas between them, or all");
  refused("workgroups", "another program holds the profiling lock of the device", 4,
          "fail=vkAcquireProfilingLockKHR:1:VK_TIMEOUT");
  refused("workgroups", "vkAcquireProfilingLockKHR", 1, "fail=vkAcquireProfilingLockKHR:1:VK_ERROR_OUT_OF_HOST_MEMORY");
}

SCENARIO("every field of a row is in rondo help rows", "[profile]") {
  const std::string help = rondo({"help", "rows"}).out;
  const auto known = [&](const std::string& row, const std::string& field) {
    const std::size_t at = help.find("\n" + row + "\n");
    REQUIRE(at != std::string::npos);
    const std::size_t end = help.find("\n\n", at + 2);
    return help.substr(at, end - at).find("\n  " + field + " ") != std::string::npos;
  };
  for (const std::vector<Json>& rows :
       {draws_of(kernels().path), draws_of(kernels().path, {"--by", "kind"}), graph_of(kernels().path),
        uses_of(kernels().path, "VkBuffer#0"), profile_of(kernels().path, {"--draws", "--statistics"}),
        profile_of(kernels().path, {"--counters", "all"}, "counters=1"),
        profile_of(kernels().path, {"--counters", "all"}),
        profile_of(kernels().path, {"--list-counters"}, "counters=1"), profile_of(kernels().path, {"--by", "label"})})
    for (const Json& row : rows)
      for (const std::string& field : row.names("")) {
        const std::string kind = unquoted(row.at("/row"));
        INFO(kind << " " << field);
        if (field != "row")
          CHECK((known(kind, field) || known("(each row)", field) ||
                 ((kind == "time" || kind == "item" || kind == "use") && known("draw", field)) ||
                 (kind == "use" && known("item", field))));
      }
}
