// SPDX-License-Identifier: Apache-2.0
// rondo info --draws and rondo profile: what is executed has the numbers that rondo trim takes, and the times that it
// took.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

// Draws by submit.
std::map<int, int> counts_of(const std::vector<Json>& rows) {
  std::map<int, int> counts;
  for (const Json& row : rows)
    if (row.at("/row") == "\"draw\"" && row.at("/draw") != "null") {
      int& count = counts[std::stoi(row.at("/submit"))];
      CHECK(std::stoi(row.at("/draw")) == count);  // from 0, without gaps
      ++count;
    }
  return counts;
}

// How many draws rondo trim finds in a submit.
int draws_in(const std::string& path, int submit) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      rondo({"trim", "--draws", std::to_string(submit) + ":0:1000000", path, "-o", directory.file("x.rondo")});
  INFO(outcome.both());
  CHECK(outcome.status == kUsage);
  const std::string says = "submit " + std::to_string(submit) + " has ";
  const std::size_t at = outcome.err.find(says);
  REQUIRE(at != std::string::npos);
  return std::atoi(outcome.err.c_str() + at + says.size());
}

// The median of each row "time", in nanoseconds, by the member `key` of the row.
std::map<std::string, int> times_of(const std::vector<Json>& rows, const std::string& key) {
  std::map<std::string, int> times;
  for (const Json& row : rows)
    if (row.at("/row") == "\"time\"") times[unquoted(row.at(key))] = static_cast<int>(std::stod(row.at("/median_ns")));
  return times;
}

}  // namespace

SCENARIO("kernels of known cost replay bit for bit", "[profile]") { replays_bit_for_bit({program("kernels")}); }

SCENARIO("draws have the numbers that rondo trim takes", "[profile]") {
  for (const std::string name : {"draws", "secondary", "passes", "compute", "kernels", "groups", "rendering"}) {
    INFO(name);
    const Recording& capture = captured({program(name)});
    const std::vector<Json> rows = draws_of(capture.path);
    const auto counts = counts_of(rows);
    REQUIRE(!counts.empty());
    int submits = 0;
    for (const auto& [submit, count] : counts) {
      if (++submits > 3) break;  // one cut each
      INFO("submit " << submit);
      CHECK(draws_in(capture.path, submit) == count);
    }
  }
}

SCENARIO("draws of several draws say how many vertices or indices they have together", "[profile]") {
  std::vector<std::string> counts;
  for (const Json& row : draws_of(captured({program("indirect")}).path))
    if (unquoted(row.at("/row")) == "draw" && row.at("/command").find("Multi") != std::string::npos)
      counts.push_back(unquoted(row.at("/command")) + row.at("/counts"));
  CHECK(counts == std::vector<std::string>{R"(vkCmdDrawMultiEXT{"draws":2,"instances":1,"vertices":5})",
                                           R"(vkCmdDrawMultiIndexedEXT{"draws":2,"indices":3,"instances":1})",
                                           R"(vkCmdDrawMultiIndexedEXT{"draws":2,"indices":3,"instances":1})"});
}

SCENARIO("a draw that is cut out is the draw that was listed", "[profile]") {
  const Recording& capture = captured({program("kernels")});
  const TemporaryDirectory directory;
  const std::string cut = directory.file("cut.rondo");
  REQUIRE(rondo({"trim", "--draws", "1:1:2", capture.path, "-o", cut}).status == 0);
  const auto alone = draws_of(cut);
  REQUIRE(alone.size() == 3);  // head, draw, summary
  for (const Json& row : draws_of(capture.path, {"--submits", "1"}))
    if (row.at("/row") == "\"draw\"" && row.at("/draw") == "1")
      for (const char* same : {"/command", "/counts", "/shaders"}) CHECK(alone[1].at(same) == row.at(same));
  CHECK(alone[1].at("/counts/groups_x") == "8");
}

SCENARIO("draws are listed by span, and grouped", "[profile]") {
  const std::string path = captured({program("kernels")}).path;
  CHECK(counts_of(draws_of(path)) == std::map<int, int>{{0, 2}, {1, 2}, {2, 3}});
  CHECK(counts_of(draws_of(path, {"--submits", "1:3"})) == std::map<int, int>{{1, 2}, {2, 3}});
  CHECK(counts_of(draws_of(path, {"--submits", "2"})) == std::map<int, int>{{2, 3}});
  WHEN("a label is asked for: it begins in one submit and ends in the next") {
    const auto rows = draws_of(path, {"--scope", "step"});
    CHECK(counts_of(rows) == std::map<int, int>{{0, 2}, {1, 2}});
    CHECK(rows[1].at("/labels") == R"(["step","x1"])");
  }
  WHEN("a label in a command buffer is asked for: what else is in its submit is left out") {
    const auto rows = draws_of(path, {"--scope", "x4"});
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].at("/counts/groups_x") == "4");
  }
  WHEN("they are grouped") {
    std::map<std::string, std::string> groups;
    for (const Json& row : draws_of(path, {"--by", "label"}))
      if (row.at("/row") == "\"group\"")
        groups[unquoted(row.at("/item"))] = row.at("/n") + " " + unquoted(row.at("/first"));
    CHECK(groups == std::map<std::string, std::string>{{"no label", "3 2:0"},
                                                       {"step/x1", "1 0:0"},
                                                       {"step/x2", "1 0:1"},
                                                       {"step/x4", "1 1:0"},
                                                       {"step/x8", "1 1:1"}});
  }
  WHEN("the largest are asked for") {
    const auto rows = draws_of(path, {"--top", "2"});
    CHECK(rows.size() == 4);
    CHECK(rows.back().at("/items") == "7");
    CHECK(rows.back().at("/shown") == "2");
  }
  WHEN("what is asked for is not there, or makes no sense") {
    for (const Words& wrong : {Words{"--submits", "7:9"},
                               {"--scope", "nowhere"},
                               {"--by", "colour"},
                               {"--top", "x"},
                               {"--frames"},
                               {"--times"}}) {
      Words words{"info", "--draws", path};
      words.insert(words.end(), wrong.begin(), wrong.end());
      const Outcome outcome = rondo(words);
      INFO(outcome.both());
      CHECK(outcome.status == kUsage);
      CHECK(is_one_line(outcome, "rondo"));
    }
  }
}

SCENARIO("planted kernels have the times that they cost", "[profile]") {
  const std::map<std::string, int> items{{"0:0", 1000}, {"0:1", 2000}, {"1:0", 4000}, {"1:1", 8000}, {"2:0", 3000}};
  for (const std::string mode : {"natural", "isolated"}) {
    INFO(mode);
    const auto rows = profile_of(kernels().path, {"--mode", mode});
    CHECK(times_of(rows, "/item") == items);
    const Json& summary = rows.back();
    CHECK(summary.at("/items") == "7");
    CHECK(summary.at("/timed") == "5");
    CHECK(summary.at("/repeated") == "2");  // their secondary is executed twice by one command buffer
    CHECK(summary.at("/device_without_ns").substr(0, 4) == summary.at("/device_with_ns").substr(0, 4));
    CHECK(std::stod(summary.at("/perturbation")) == 0);
    CHECK(rows[0].at("/iterations") == "3");
    CHECK(unquoted(rows[0].at("/mode")) == mode);
    CHECK(rows[1].at("/item") == "\"1:1\"");  // the longest first
    CHECK(rows[1].at("/pipeline") == "\"VkPipeline#0\"");
    CHECK(rows[1].at("/below_timer") == "false");
  }
  CHECK(times_of(profile_of(kernels().path, {"--by", "label"}), "/item") ==
        std::map<std::string, int>{{"no label", 3000},
                                   {"step", 15000},
                                   {"step/x1", 1000},
                                   {"step/x2", 2000},
                                   {"step/x4", 4000},
                                   {"step/x8", 8000}});
  CHECK(times_of(profile_of(kernels().path, {"--by", "submit"}), "/item") ==
        std::map<std::string, int>{{"submit 0", 3000}, {"submit 1", 12000}, {"submit 2", 3000}});
  CHECK(times_of(profile_of(kernels().path, {"--by", "pipeline", "--submits", "1"}), "/item") ==
        std::map<std::string, int>{{"VkPipeline#0", 12000}});
  CHECK(times_of(profile_of(kernels().path, {"--top", "1"}), "/item") == std::map<std::string, int>{{"1:1", 8000}});
}

// The queries around submits are used again from time to time (player/measure/gpu_times.h); no submit is lost for that.
SCENARIO("the device's time of a span of very many submits is that of all of them", "[profile]") {
  CaptureOptions options;
  options.driver = fake;
  const Recording& capture =
      captured(without_checks({program("items"), "--dispatches", "2", "--submits", "2500"}), options);
  const auto rows = profile_of(capture.path, {"--top", "1"});
  CHECK(rows.back().at("/timed") == "5000");
  CHECK(std::lround(std::stod(rows.back().at("/device_without_ns"))) == 7500000);
  CHECK(std::lround(std::stod(rows.back().at("/device_with_ns"))) == 7500000);
}

// Every test program, also those with secondaries, multiview, suspended passes and several queues: a draw
// takes 100 ns for each vertex, a dispatch 1 us for each workgroup, and a pass as long as what is in it. It
// counts each vertex in each view, and 64 invocations for each workgroup. Counters count the same.
SCENARIO("every draw, dispatch and pass of the test programs has its time, its statistics and its counters",
         "[profile]") {
  CaptureOptions options;
  options.driver = fake;
  int draws = 0, dispatches = 0, passes = 0, views = 0, counted = 0, uncounted = 0, in_own_queries = 0,
      commands_counted = 0;
  for (const std::string& directory : {std::string(), std::string("chapters")}) {
    for (const std::string& name : programs(directory)) {
      // Conditions leave draws out there; what counts draws there is garbage without shaders; the fourth loses its
      // device. The fifth forks while a thread of the driver may hold a lock: its child may then wait for ever.
      if (name == "conditional" || name == "conditional_draws" || name == "counted_draws" || name == "lost" ||
          name == "forks")
        continue;
      const Words words = without_checks({program(directory.empty() ? name : directory + "/" + name)});
      if (!cannot_run(words, fake).empty()) continue;
      const Recording& capture = captured(words, options);
      if (rondo({"info", "--draws", "--top", "0", capture.path}).out.find("\n0 items") != std::string::npos) continue;
      Command command;
      command.arguments = {build_root() + "/analyzers/rondo",
                           "profile",
                           "--draws",
                           "--statistics",
                           "--counters",
                           "vertices,workgroups,busy",
                           "--format",
                           "jsonl",
                           "--loop",
                           "2",
                           capture.path};
      use_driver(command.environment, fake, "timed-work=1,counters=1");
      const Outcome outcome = run_on(fake, command);
      INFO(name << ": " << outcome.both());
      if (outcome.err.find("cannot be looped") != std::string::npos ||
          outcome.err.find("nothing to do") != std::string::npos)
        continue;
      const auto rows = rows_of(outcome);
      CHECK(outcome.err.empty());
      std::map<std::string, double> in_pass;  // of the draws of each
      std::map<std::string, double> of_pass;
      std::map<std::string, double> vertices_in_pass, vertices_of_pass, counted_in_pass, counted_of_pass;
      for (const Json& row : rows) {
        if (row.at("/row") != "\"time\"" || row.at("/host") == "true") continue;
        const double time = std::stod(row.at("/median_ns"));
        const std::string pass = row.at("/pass").empty() ? "" : row.at("/submit") + ":" + row.at("/pass");
        if (unquoted(row.at("/item")).rfind("pass", 0) == 0) {
          of_pass[pass] = time;
          if (row.at("/uncounted").empty() && !row.at("/counted").empty())
            vertices_of_pass[pass] = std::stod(row.at("/input_assembly_vertices"));
          if (row.at("/commands_uncounted").empty() && !row.at("/counters").empty())
            counted_of_pass[pass] = std::stod(row.at("/counters/Vertices"));
          ++passes;
          continue;
        }
        if (!pass.empty()) in_pass[pass] += time;
        views += row.at("/views").empty() ? 0 : 1;
        const std::string instances = row.at("/counts/instances");
        const std::string vertices = row.at("/counts/vertices") + row.at("/counts/indices");
        INFO(row.at("/item") << " " << row.at("/command"));
        const bool has_statistics = row.at("/counted") == "1";
        const bool has_counters = row.at("/commands_counted") == "1";
        commands_counted += has_counters ? 1 : 0;
        if (has_counters && !pass.empty()) counted_in_pass[pass] += std::stod(row.at("/counters/Vertices"));
        if (has_statistics && !pass.empty()) vertices_in_pass[pass] += std::stod(row.at("/input_assembly_vertices"));
        if (!vertices.empty()) {
          CHECK(time == Approx(100 * std::stod(vertices) * std::stod(instances)));
          const double drawn_for = row.at("/views").empty() ? 1 : std::stod(row.at("/views"));
          const double drawn = std::stod(vertices) * std::stod(instances) * drawn_for;
          if (has_statistics) CHECK(std::stod(row.at("/input_assembly_vertices")) == drawn);
          if (has_counters) CHECK(std::stod(row.at("/counters/Vertices")) == drawn);
          ++draws;
        } else if (unquoted(row.at("/command")).rfind("vkCmdDispatch", 0) == 0 && !row.at("/counts/groups_x").empty()) {
          CHECK(time == Approx(1000 * std::stod(row.at("/counts/groups_x")) * std::stod(row.at("/counts/groups_y")) *
                               std::stod(row.at("/counts/groups_z"))));
          if (has_statistics) CHECK(std::stod(row.at("/compute_invocations")) == Approx(64 * time / 1000));
          if (has_counters) CHECK(std::stod(row.at("/counters/Workgroups")) == Approx(time / 1000));
          ++dispatches;
        }
      }
      for (const auto& [pass, vertices] : vertices_of_pass) {
        INFO("pass " << pass);
        CHECK(vertices == vertices_in_pass[pass]);
      }
      for (const auto& [pass, vertices] : counted_of_pass) {
        INFO("pass " << pass);
        CHECK(vertices == counted_in_pass[pass]);
      }
      const auto number = [&](const char* field) {
        return rows.back().at(field).empty() ? 0 : std::stoi(rows.back().at(field));
      };
      counted += number("/counted");
      uncounted += number("/uncounted");
      in_own_queries += number("/in_own_queries");
      for (const auto& [pass, time] : in_pass) {
        INFO("pass " << pass);
        if (of_pass.count(pass) == 0) continue;
        // Draws in secondaries that are executed twice there have no times of their own.
        if (rows.back().at("/repeated") == "0")
          CHECK(of_pass[pass] == Approx(time));
        else
          CHECK(of_pass[pass] >= time);
      }
    }
  }
  CHECK(draws > 500);
  CHECK(dispatches > 300);
  CHECK(passes > 200);
  CHECK(views > 0);
  CHECK(counted > 1000);
  CHECK(commands_counted > 1000);
  CHECK(uncounted < counted / 10);
  CHECK(in_own_queries > 0);
}

SCENARIO("a profile on a real device has the order of the costs", "[profile]") {
  const Recording& capture = captured({program("kernels"), "--loops", "4000"});
  const auto profiled = [&](const Words& more) {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format", "jsonl", capture.path};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    use_driver(command.environment, lavapipe);
    return rows_of(run(command));
  };
  // The machine may do other things meanwhile: once is enough.
  std::string found;
  bool is_as_planted = false;
  for (int attempt = 0; attempt < 3 && !is_as_planted; ++attempt) {
    const auto rows = profiled({"--mode", "isolated"});
    auto times = times_of(rows, "/item");
    double sum = 0;
    for (const auto& [item, time] : times) {
      found += item + " " + std::to_string(time) + ", ";
      sum += time;
    }
    const double without = std::stod(rows.back().at("/device_without_ns"));
    found += "without " + std::to_string(without) + "; ";
    is_as_planted = times["0:1"] > times["0:0"] && times["1:0"] > times["0:1"] && times["1:1"] > times["1:0"] &&
                    sum > 0.5 * without;  // two of seven have no time
  }
  INFO(found);
  CHECK(is_as_planted);
}

SCENARIO("a device without timestamps has the host's times of submits", "[profile]") {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format", "jsonl", kernels().path};
  use_driver(command.environment, fake, "timestamps=0");
  const auto rows = rows_of(run_on(fake, command));
  std::map<std::string, int> items;
  for (const Json& row : rows)
    if (row.at("/row") == "\"time\"") {
      CHECK(row.at("/host") == "true");
      CHECK(row.at("/by") == "\"submit\"");
      items[unquoted(row.at("/item"))] += 1;
    }
  CHECK(items == std::map<std::string, int>{{"submit 0", 1}, {"submit 1", 1}, {"submit 2", 1}});
}

SCENARIO("a profile says which shaders were replaced", "[profile]") {
  const TemporaryDirectory directory;
  const std::string shaders = directory.file("shaders");
  REQUIRE(rondo({"extract", "--shaders", kernels().path, "-o", shaders}).status == 0);
  std::string shader;
  for (const auto& entry : std::filesystem::directory_iterator(shaders))
    if (entry.path().extension() == ".spv") shader = entry.path().string();
  REQUIRE(!shader.empty());
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", "--replace", "VkPipeline#0.compute=" + shader,
                       kernels().path};
  use_driver(command.environment, fake, "timed-work=1");
  const Outcome outcome = run_on(fake, command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(outcome.out, "in the place of") == 1);
  command.arguments.insert(command.arguments.begin() + 2, {"--format", "jsonl"});
  const auto rows = rows_of(run_on(fake, command));
  REQUIRE(!rows.empty());
  CHECK(rows.front().size("/replaced") == 1);
  // A page says so, too.
  Command report;
  report.arguments = {
      build_root() + "/analyzers/rondo", "report",      "--replace", "VkPipeline#0.compute=" + shader, "-o",
      directory.file("page.html"),       kernels().path};
  use_driver(report.environment, fake, "timed-work=1");
  CHECK(run_on(fake, report).status == 0);
  CHECK(count(read_file(directory.file("page.html")), "in the place of") == 1);
  // The page takes the place of no shader.
  const std::string before = read_file(shader);
  report.arguments[5] = shader;
  const Outcome refused = run_on(fake, report);
  INFO(refused.both());
  CHECK(refused.status == 2);
  CHECK(refused.err.find(shader + ": would overwrite the shader " + shader + ": name another file") !=
        std::string::npos);
  CHECK(read_file(shader) == before);
}

SCENARIO("a profile that is interrupted gives no times, and no page", "[profile]") {
  const TemporaryDirectory directory;
  const std::string page = directory.file("page.html");
  write_file(page, "before");
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const Words& words : {Words{"profile"}, Words{"profile", "--format", "jsonl"}, Words{"report", "-o", page}}) {
      const std::string log = directory.file("calls");
      write_file(log, "");
      Command command;
      command.arguments = {build_root() + "/analyzers/rondo"};
      command.arguments.insert(command.arguments.end(), words.begin(), words.end());
      command.arguments.insert(command.arguments.end(), {"--loop", "1000000000", kernels().path});
      use_driver(command.environment, fake, "timed-work=1,log=" + log);
      Process process(command);
      // Until the span was played many times. A process that does not get there is ended all the same.
      constexpr int kPatience = 600, kTenth = 100'000, kSubmits = 50;
      for (int i = 0; i < kPatience && count(read_file(log), "vkQueueSubmit") < kSubmits; ++i) ::usleep(kTenth);
      process.kill(signal);
      const Outcome outcome = process.wait();
      INFO(words[0] << ", signal " << signal << ": " << outcome.both());
      CHECK(outcome.signal == signal);
      CHECK(outcome.out.empty());
      CHECK(outcome.err.find(": interrupted: there are no times\n") != std::string::npos);
      CHECK(read_file(page) == "before");
    }
  }
}

// lavapipe draws at the end of a render pass: what a profile of pipelines says is no part of the truth alone.
SCENARIO("a profile of pipelines has a row for what render passes take outside of their draws", "[profile]") {
  const auto sum_of = [](const Words& words) {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "profile", "--format", "jsonl", captured(vkcube(20)).path};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    use_driver(command.environment, lavapipe);
    std::map<std::string, double> medians;
    double share = 0;
    for (const Json& row : rows_of(run_on(lavapipe, command)))
      if (row.at("/row") == "\"time\"") {
        medians[unquoted(row.at("/item"))] = std::stod(row.at("/median_ns"));
        share += std::stod(row.at("/share"));
      }
    CHECK(share == Approx(1));
    return medians;
  };
  const std::string rest = "render passes, outside of their draws";
  for (const Words& words : {Words{"--by", "pipeline"}, Words{"--by", "shader"}, Words{"--by", "label", "--draws"},
                             Words{"--by", "kind", "--draws"}}) {
    const auto medians = sum_of(words);
    CHECK(medians.size() == 2);
    CHECK(medians.at(rest) > 0);
  }
  CHECK(sum_of({"--by", "kind", "--draws"}).count("vkCmdDraw") == 1);
  CHECK(sum_of({"--by", "pass"}).count(rest) == 0);
  // On the fake driver all of a pass is in its draws.
  CaptureOptions options;
  options.driver = fake;
  for (const Json& row :
       profile_of(captured(without_checks({program("triangle")}), options).path, {"--by", "pipeline"}))
    CHECK(unquoted(row.at("/item")) != rest);
}

SCENARIO("options of a profile that mean nothing are refused in plain words", "[profile]") {
  const auto refused = [](const Words& words, const std::string& message) {
    Words all{"profile"};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back(kernels().path);
    const Outcome outcome = rondo(all);
    INFO(outcome.both());
    CHECK(outcome.status == 2);
    CHECK(outcome.err == "rondo: " + message + "\n");
  };
  refused({"--mode", "natural", "--mode", "isolated"}, "--mode is given more than once (see rondo profile --help)");
  refused({"--loop", "99999999999999999999"}, "--loop: '99999999999999999999' is too large");
  refused({"--top", "-3"}, "--top: '-3' is less than 0");
  refused({"--top", "3x"}, "--top: '3x' is no whole number");
  refused({"--loop", "0"}, "--loop: at least 1 (see rondo profile --help)");
}

SCENARIO("a capture that is cut is called damaged by a profile, as by a replay", "[profile]") {
  const TemporaryDirectory directory;
  const std::string cut = directory.file("cut.rondo"), whole = read_file(kernels().path);
  write_file(cut, whole.substr(0, whole.size() / 2));
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "profile", cut};
  use_driver(command.environment, fake, "timed-work=1");
  const Outcome outcome = run_on(fake, command);
  INFO(outcome.both());
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("damaged") != std::string::npos);
}
