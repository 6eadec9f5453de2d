// SPDX-License-Identifier: Apache-2.0
// rondo gaps on plants whose gaps are known. On the fake driver, whose clock and queues take the time that their work
// is said to take. What the host does takes real time: the best of several replays counts, as machines are busy.
#include <cmath>
#include <map>

#include "profiles.h"

namespace scenario {

namespace {

constexpr double kMs = 1e6;

const Recording& planted(const Words& words, const std::string& settings) {
  CaptureOptions options;
  options.driver = fake;
  options.settings = settings;
  Words all{program("planted/gaps")};
  all.insert(all.end(), words.begin(), words.end());
  return captured(all, options);
}

std::vector<Json> gaps_of(const std::string& path, const std::string& settings, const Words& more = {}) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "gaps", "--format", "jsonl", path};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  use_driver(command.environment, fake, settings);
  return rows_of(run_on(fake, command));
}

double number(const Json& row, const std::string& pointer) {
  const std::string text = row.at(pointer);
  return text.empty() ? NAN : std::stod(text);
}

// The longest gap of this cause; an invalid one: there is none.
Json longest(const std::vector<Json>& rows, const std::string& cause) {
  Json found;
  for (const Json& row : rows)
    if (row.at("/row") == "\"gap\"" && row.at("/cause") == "\"" + cause + "\"" && row.at("/paced") == "true" &&
        (!found.valid() || number(row, "/length_ns") > number(found, "/length_ns")))
      found = row;
  return found;
}

// When the n-th call of this name began and ended, in nanoseconds.
std::pair<double, double> captured_call(const std::string& path, const std::string& name, std::size_t n) {
  const Outcome outcome = rondo({"dump", "--format=jsonl", path});
  REQUIRE(outcome.status == 0);
  for (const std::string& line : lines(outcome.out)) {
    const Json row = Json::parse(line);
    if (row.at("/command") != "\"" + name + "\"" || n-- != 0) continue;
    return {number(row, "/start_ns"), number(row, "/end_ns")};
  }
  FAIL("no such call");
  return {};
}

// Plays until a replay is near enough: within 10 %.
template <class Near>
std::vector<Json> best_of(const std::string& path, const std::string& settings, const Near& near) {
  std::vector<Json> rows;
  for (int i = 0; i < 8; ++i) {
    rows = gaps_of(path, settings);
    if (near(rows)) return rows;
  }
  return rows;
}

constexpr double kTenth = 0.1;

bool is_near(const Json& row, double length) {
  return row.valid() && std::abs(number(row, "/length_ns") - length) <= kTenth * length;
}

double unexplained_share(const std::vector<Json>& rows) {
  return number(rows.back(), "/unexplained_ns") / number(rows.back(), "/gap_ns");
}

}  // namespace

SCENARIO("a gap in which the host sleeps is the host's, and as long as in the capture", "[gaps]") {
  const Recording& recording = planted({"--sleep", "1"}, "device-clock=1");
  // The first item takes 1 ms from its submit on.
  const auto first = captured_call(recording.path, "vkQueueSubmit", 0);
  const auto second = captured_call(recording.path, "vkQueueSubmit", 1);
  const double expected = second.second - first.first - 1 * kMs;
  REQUIRE(expected >= 5 * kMs);
  const auto rows = best_of(recording.path, "device-clock=1",
                            [&](const std::vector<Json>& all) { return is_near(longest(all, "host"), expected); });
  const Json gap = longest(rows, "host");
  REQUIRE(gap.valid());
  INFO(number(gap, "/length_ns") << " " << expected);
  CHECK(is_near(gap, expected));
  CHECK(gap.at("/in_call").empty());  // in the program itself
  CHECK(gap.at("/submit_call/command") == "\"vkQueueSubmit\"");
  CHECK(unexplained_share(rows) <= 0.05);
  CHECK(rows.back().at("/clock") == "\"calibrated\"");
}

SCENARIO("a gap in which a queue waits for a semaphore names it", "[gaps]") {
  const Recording& recording = planted({"--semaphore", "1"}, "device-clock=1");
  const auto first = captured_call(recording.path, "vkQueueSubmit", 0);
  const auto before = captured_call(recording.path, "vkQueueSubmit", 1);
  // 20 ms from the first submit on, less 1 ms from the second one on.
  const double expected = 19 * kMs - (before.first - first.first);
  const auto rows = best_of(recording.path, "device-clock=1",
                            [&](const std::vector<Json>& all) { return is_near(longest(all, "semaphore"), expected); });
  const Json gap = longest(rows, "semaphore");
  REQUIRE(gap.valid());
  CHECK(is_near(gap, expected));
  CHECK(gap.at("/semaphore") == "\"VkSemaphore#0\"");
  CHECK(gap.at("/queue") != gap.at("/signal_queue"));
  CHECK(gap.at("/signal_item/submit") == "0");
  CHECK(unexplained_share(rows) <= 0.05);
}

SCENARIO("a gap in which a barrier drains the queue names the barrier, and is exact", "[gaps]") {
  const std::string settings = "device-clock=1,barrier-us=5000";
  const auto rows = gaps_of(planted({"--barrier", "1"}, settings).path, settings);
  const Json gap = longest(rows, "barrier");
  REQUIRE(gap.valid());
  CHECK(number(gap, "/length_ns") == Approx(5 * kMs));
  CHECK(gap.at("/barrier_command") == "\"vkCmdPipelineBarrier\"");
  CHECK(std::stoull(gap.at("/barrier")) > std::stoull(gap.at("/after/record")));
  CHECK(std::stoull(gap.at("/barrier")) < std::stoull(gap.at("/before/record")));
  CHECK(unexplained_share(rows) <= 0.05);
}

SCENARIO("a gap in which the program presents is the host's, in that call", "[gaps]") {
  const std::string settings = "device-clock=1,present-us=5000";
  const Recording& recording = planted({"--present", "1"}, settings);
  const auto first = captured_call(recording.path, "vkQueueSubmit", 0);
  const auto second = captured_call(recording.path, "vkQueueSubmit", 1);
  const double expected = second.second - first.first - 1 * kMs;
  // The replay has no window system to wait for: what the program did there is in the capture.
  const auto rows = best_of(recording.path, "device-clock=1",
                            [&](const std::vector<Json>& all) { return is_near(longest(all, "host"), expected); });
  const Json gap = longest(rows, "host");
  REQUIRE(gap.valid());
  INFO(number(gap, "/length_ns") << " " << expected);
  CHECK(is_near(gap, expected));
  CHECK(gap.at("/in_call/command") == "\"vkQueuePresentKHR\"");
  CHECK(unexplained_share(rows) <= 0.05);
}

SCENARIO("clean twins of these have no such gap", "[gaps]") {
  const std::map<std::string, std::string> causes{
      {"--sleep", "host"}, {"--semaphore", "semaphore"}, {"--barrier", "barrier"}, {"--present", "host"}};
  for (const auto& [plant, cause] : causes) {
    const std::string settings = "device-clock=1,barrier-us=5000,present-us=5000";
    const Recording& recording = planted({plant, "1", "--clean", "1"}, settings);
    // A busy machine may hold a submit back for long, but not each time.
    double least = 1e300;
    for (int i = 0; i < 8 && least > kTenth * 5 * kMs; ++i) {
      double length = 0;
      for (const Json& row : gaps_of(recording.path, settings))
        if (row.at("/row") == "\"gap\"" && row.at("/cause") == "\"" + cause + "\"" && !row.at("/after").empty() &&
            row.at("/paced") == "true")
          length = std::max(length, number(row, "/length_ns"));
      least = std::min(least, length);
    }
    INFO(plant);
    CHECK(least <= kTenth * 5 * kMs);
  }
}

SCENARIO("a device without calibrated timestamps has its clock bounded by submits and waits", "[gaps]") {
  const std::string settings = "device-clock=1,lacks=VK_EXT_calibrated_timestamps";
  const Recording& recording = planted({"--sleep", "1"}, settings);
  const auto rows = gaps_of(recording.path, settings);
  CHECK(rows.back().at("/clock") == "\"bounded\"");
  CHECK(number(rows.back(), "/uncertainty_ns") > 0);
  CHECK(longest(rows, "host").valid());
}

SCENARIO("gaps as text say what the rows say, and wrong use is refused", "[gaps]") {
  const std::string settings = "device-clock=1,barrier-us=5000";
  const Recording& recording = planted({"--barrier", "1"}, settings);
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "gaps", recording.path};
  use_driver(command.environment, fake, settings);
  const Outcome outcome = run_on(fake, command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(outcome.out, "barrier: vkCmdPipelineBarrier") == 1);
  CHECK(count(outcome.out, "unexplained, ") == 1);
  CHECK(count(outcome.out, "clocks: by calibrated timestamps") == 1);
  command.arguments = {build_root() + "/analyzers/rondo", "gaps", "--loop", "0", recording.path};
  CHECK(run_on(fake, command).status == 2);
  command.arguments = {build_root() + "/analyzers/rondo", "gaps", "--max", "x", recording.path};
  CHECK(run_on(fake, command).status == 2);
  use_driver(command.environment, fake, "timestamps=0");
  command.arguments = {build_root() + "/analyzers/rondo", "gaps", recording.path};
  const Outcome untimed = run_on(fake, command);
  INFO(untimed.both());
  CHECK(untimed.status == 4);
  CHECK(count(untimed.err, "no item can be timed on this device") == 1);
}

SCENARIO("a paced replay takes as long as the program did", "[gaps]") {
  const Recording& recording = planted({"--sleep", "1"}, "device-clock=1");
  const TemporaryDirectory directory;
  Command command;
  command.arguments = {build_root() + "/player/player", "--paced", "--report", directory.file("r.json"),
                       recording.path};
  use_driver(command.environment, fake, "device-clock=1");
  const Outcome outcome = run_on(fake, command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(outcome.out, "paced: ") == 1);
  const Json report = Json::parse(read_file(directory.file("r.json")));
  CHECK(number(report, "/paced_seconds/0") >= 0.99 * number(report, "/captured_seconds"));
  command.arguments.insert(command.arguments.begin() + 1, "--benchmark");
  CHECK(run_on(fake, command).status == 2);
}

}  // namespace scenario
