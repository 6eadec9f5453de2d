// SPDX-License-Identifier: Apache-2.0
// What the player says of the time that a span takes, and what of that is its own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

namespace {

double number(const Json& json, const std::string& pointer) {
  const std::string text = json.at(pointer);
  INFO(pointer << ": " << text);
  REQUIRE(!text.empty());
  return std::stod(text);
}

const Recording& captured_scopes() {
  const Recording& capture = captured({program("scopes")});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

// What the player and the C++ library ask for in each iteration, the first of which shows what has to be put back.
std::vector<int> allocations(const Words& span, const std::string& capture) {
  Command command;
  use_driver_for_player(command.environment, lavapipe, "");
  command.environment["LD_PRELOAD"] = build_root() + "/tests/preload/count_allocations.so";
  command.arguments = {build_root() + "/player/player", "--loop", "5"};
  command.arguments.insert(command.arguments.end(), span.begin(), span.end());
  command.arguments.push_back(capture);
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const std::string marker = "allocations ";
  const std::size_t at = outcome.err.rfind(marker);
  REQUIRE(at != std::string::npos);
  std::istringstream rest(outcome.err.substr(at + marker.size()));
  std::vector<int> counts;
  for (int n = 0; rest >> n;) counts.push_back(n);
  return counts;
}

void allocates_nothing(const Words& words, const Words& span) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP_SCENARIO("a sanitizer has its own malloc");
#endif
  const Recording& capture = captured(words);
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::vector<int> counts = allocations(span, capture.path);
  REQUIRE(counts.size() == 6);
  CHECK((counts[0] > 0 || span.front() == "--scope"));  // it counts
  for (std::size_t i = 1; i < counts.size(); ++i) CHECK(counts[i] == 0);
}

}  // namespace

SCENARIO("dispatches that are played again allocate nothing", "[timing]") {
  allocates_nothing({program("scopes")}, {"--scope", "decode"});
}
SCENARIO("draws and presents that are played again allocate nothing", "[timing]") {
  allocates_nothing(vkcube(60), {"--frames", "20:30"});
}
SCENARIO("a renderer's frames that are played again allocate nothing", "[timing]") {
  allocates_nothing(glmark2("jellyfish", 30), {"--frames", "20:22"});
}

SCENARIO("each time that a scope is entered has a time of its own, and their sum is the scope's", "[timing]") {
  const Recording& capture = captured_scopes();
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome = player({"--scope", "decode", "--loop", "4", "--report", report, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  for (const char* row : {"\ndecode#0 ", "\ndecode#1 ", "\ndecode#2 ", "\nthe device's work "})
    CHECK(count(outcome.out, row) == 1);
  const Json json = Json::parse(read_file(report));
  CHECK(json.size("/iterations") == 4);
  CHECK(json.at("/span/submits") == "6");
  CHECK(json.at("/last_submit") == "null");
  for (int i = 0; i < 4; ++i) {
    const std::string iteration = "/iterations/" + std::to_string(i);
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const std::string interval = iteration + "/intervals/" + std::to_string(k);
      CHECK(json.at(interval + "/name") == "\"decode#" + std::to_string(k) + "\"");
      CHECK(number(json, interval + "/seconds") > 0);
      sum += number(json, interval + "/seconds");
    }
    CHECK(number(json, iteration + "/seconds") == Approx(sum));
    CHECK(number(json, iteration + "/span_seconds") >= sum * 0.999);
    CHECK(number(json, iteration + "/gpu_seconds") > 0);
    CHECK(number(json, iteration + "/gpu_seconds") < number(json, iteration + "/span_seconds"));
  }
}

SCENARIO("the commands of a label have a time of their own, however often they are recorded", "[timing]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25);
  if (const std::string& why = no_driver(driver); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured({program("label_times")}, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  // Recorded before the span; and in it.
  for (const std::string scope : {"kept#1", "kept", "fresh#1", "fresh"}) {
    INFO(scope);
    Words words{"--scope", scope, "--loop", "3", "--report", report, capture.path};
    const Outcome outcome = player(words, driver);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(count(outcome.out, "\nthe label's commands ") == 1);
    const Json json = Json::parse(read_file(report));
    for (const std::string iteration : {"/iterations/0", "/iterations/1", "/iterations/2"}) {
      CHECK(number(json, iteration + "/label_seconds") > 0);
      CHECK(number(json, iteration + "/label_seconds") < number(json, iteration + "/gpu_seconds"));
    }
    words.insert(words.begin(), "--verify");
    if (driver == lavapipe) words.insert(words.begin(), "--validate");
    const Outcome verified = player(words, driver);
    INFO(verified.both());
    CHECK(verified.status == 0);
  }
  const Outcome whole = player({"--submits", "1:2", "--loop", "2", capture.path}, driver);
  CHECK(count(whole.out, "the label's commands") == 0);
}

SCENARIO("a scope that is entered twice in a submit takes the submit's time once", "[timing]") {
  const Recording& capture = captured({program("label_times")}, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  for (const Words& how : {Words{"--loop", "3"}, Words{"--loop", "3", "--fresh"}}) {
    Words words{"--scope", "both", "--report", report, capture.path};
    words.insert(words.begin(), how.begin(), how.end());
    const Outcome outcome = player(words);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    const Json json = Json::parse(read_file(report));
    CHECK(json.at("/span/submits") == "5");
    for (const std::string iteration : {"/iterations/0", "/iterations/1", "/iterations/2"}) {
      CHECK(json.size(iteration + "/intervals") == 10);
      CHECK(number(json, iteration + "/seconds") <= number(json, iteration + "/span_seconds"));
    }
  }
}

SCENARIO("a program with labels in its command buffers replays bit for bit", "[timing]") {
  replays_bit_for_bit({program("label_times")}, {.submits = 5});
}

SCENARIO("a label of devices that come and go in the span has the time of those that stay", "[timing]") {
  const std::string driver = GENERATE(lavapipe, fake);
  const Recording& capture =
      captured({program("label_times"), "--devices", "1"}, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome =
      player({"--scope", "fresh", "--loop", "3", "--verify", "--report", report, capture.path}, driver);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  if (driver == lavapipe) CHECK(number(Json::parse(read_file(report)), "/iterations/2/label_seconds") > 0);
}

SCENARIO("a capture says how long the program's own submits took to the wait for them", "[timing]") {
  const Recording& capture = captured_scopes();
  const Outcome listed = rondo({"info", "--submits", "--times", "--json", capture.path});
  INFO(listed.both());
  const Json json = Json::parse(listed.out);
  CHECK(json.size("/submit_rows") == 8);
  for (int i = 0; i < 8; ++i) {
    const std::string row = "/submit_rows/" + std::to_string(i);
    CHECK(std::stoull(json.at(row + "/waited_ns")) >= std::stoull(json.at(row + "/end_ns")));
  }
  CHECK(count(rondo({"info", "--submits", "--times", capture.path}).out, "to wait ms") == 1);
}

SCENARIO("a scope that waits for other scopes' work takes their time, and not that between them", "[timing]") {
  const Recording& capture = captured_scopes();
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome = player({"--scope", "sample", "--loop", "4", "--report", report, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Json json = Json::parse(read_file(report));
  // From the first sample to the last there are two more submits, of decode.
  CHECK(json.at("/span/submits") == "5");
  CHECK(number(json, "/iterations/0/seconds") < number(json, "/iterations/0/span_seconds"));
}

SCENARIO("the player's timestamps are valid calls, and change nothing that is compared", "[timing]") {
  const std::string driver = GENERATE(lavapipe, fake, lavapipe25, swiftshader);
  if (const std::string& why = no_driver(driver); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(without_checks({program("queues")}), {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  Words words{"--loop", "3", "--verify", "--report", report, capture.path};
  const Outcome outcome = player(words, driver);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(number(Json::parse(read_file(report)), "/iterations/2/gpu_seconds") > 0);
  if (driver != lavapipe) return;
  words.insert(words.begin(), "--validate");
  const Outcome validated = player(words, driver);
  INFO(validated.both());
  CHECK(validated.status == 0);
}

SCENARIO("a span is measured by google-benchmark, with its options", "[timing]") {
  const Recording& capture = captured_scopes();
  const TemporaryDirectory directory;
  const std::string out = directory.file("benchmark.json");
  const Outcome outcome =
      player({"--scope", "decode", "--benchmark", "--benchmark_format=json", "--benchmark_min_time=0.01",
              "--benchmark_repetitions=3", "--benchmark_out=" + out, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Json json = Json::parse(outcome.out);  // and nothing else is there
  REQUIRE(json.valid());
  CHECK(Json::parse(read_file(out)).valid());
  CHECK(json.at("/context/span") == "\"scope \\\"decode\\\"\"");
  CHECK(json.at("/context/capture_digest").size() == 34);
  CHECK(json.at("/context/device") != "");
  CHECK(json.at("/benchmarks/0/time_unit") == "\"ms\"");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < json.size("/benchmarks"); ++i) {
    const std::string row = "/benchmarks/" + std::to_string(i);
    if (json.at(row + "/run_type") != "\"iteration\"") continue;
    if (json.at(row + "/repetition_index") == "0") names.push_back(json.at(row + "/run_name"));
    CHECK(number(json, row + "/real_time") > 0);
  }
  CHECK(names ==
        std::vector<std::string>{"\"replay/scope:decode/manual_time\"", "\"replay/scope:decode#0/manual_time\"",
                                 "\"replay/scope:decode#1/manual_time\"", "\"replay/scope:decode#2/manual_time\""});
  CHECK(number(json, "/benchmarks/0/submits") == 6);
  for (const char* counter : {"span_seconds", "cpu_seconds", "gpu_seconds"})
    CHECK(number(json, std::string("/benchmarks/0/") + counter) > 0);
}

SCENARIO("the report of --benchmark has the iterations that its results are of", "[timing]") {
  const Recording& capture = captured_scopes();
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome =
      player({"--scope", "decode", "--benchmark", "--benchmark_format=json", "--benchmark_min_time=0.02",
              "--benchmark_min_warmup_time=0.001", "--benchmark_repetitions=2", "--benchmark_filter=decode(#1)?/",
              "--report", report, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Json json = Json::parse(outcome.out), written = Json::parse(read_file(report));
  CHECK(number(written, "/span/bytes_put_back") > 0);
  // The mean of the report's iterations is the mean of the results.
  std::size_t next = 0;
  for (const std::string row : {"replay/scope:decode", "replay/scope:decode#1"}) {
    double reported = 0, kept = 0;
    std::size_t iterations = 0;
    for (std::size_t i = 0; i < json.size("/benchmarks"); ++i) {
      const std::string at = "/benchmarks/" + std::to_string(i);
      if (json.at(at + "/run_type") != "\"iteration\"" || json.at(at + "/run_name") != "\"" + row + "/manual_time\"")
        continue;
      const double times = number(json, at + "/iterations");
      iterations += static_cast<std::size_t>(times);
      reported += number(json, at + "/real_time") * times * 1e-3;
    }
    CHECK(iterations >= 2);
    for (std::size_t i = 0; i < iterations; ++i, ++next) {
      const std::string at = "/iterations/" + std::to_string(next);
      CHECK(written.at(at + "/row") == "\"" + row + "\"");
      CHECK(written.size(at + "/intervals") == 3);
      kept += number(written, at + (row.ends_with("#1") ? "/intervals/1/seconds" : "/seconds"));
    }
    CHECK(kept == Approx(reported));
  }
  CHECK(written.size("/iterations") == next);
}

SCENARIO("every option of google-benchmark is taken, and does what it says", "[timing]") {
  const Recording& capture = captured_scopes();
  const TemporaryDirectory directory;
  const std::string out = directory.file("benchmark.json");
  const Outcome outcome = player({"--submits",
                                  "1:2",
                                  "--benchmark",
                                  "--benchmark_list_tests=false",
                                  "--benchmark_filter=submits",
                                  "--benchmark_min_time=0.001",
                                  "--benchmark_min_warmup_time=0.001",
                                  "--benchmark_repetitions=2",
                                  "--benchmark_enable_random_interleaving=true",
                                  "--benchmark_report_aggregates_only=false",
                                  "--benchmark_display_aggregates_only=true",
                                  "--benchmark_format=csv",
                                  "--benchmark_out=" + out,
                                  "--benchmark_out_format=json",
                                  "--benchmark_color=false",
                                  "--benchmark_counters_tabular=true",
                                  "--benchmark_perf_counters=CYCLES",
                                  "--benchmark_context=who=me",
                                  "--benchmark_time_unit=us",
                                  "--v=1",
                                  capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(outcome.out, "manual_time_mean\"") == 1);
  const Json json = Json::parse(read_file(out));
  CHECK(json.at("/context/who") == "\"me\"");
  CHECK(json.at("/benchmarks/0/time_unit") == "\"us\"");
  CHECK(json.at("/benchmarks/0/repetitions") == "2");
  const Outcome listed = player({"--submits", "1:2", "--benchmark", "--benchmark_list_tests", capture.path});
  CHECK(listed.status == 0);
  CHECK(listed.out == "replay/submits:1:2/manual_time\n");
}

SCENARIO("what google-benchmark does not know is wrong usage", "[timing]") {
  const Recording& capture = captured_scopes();
  const auto says = [&](Words words, const std::string& sentence) {
    words.push_back(capture.path);
    const Outcome outcome = player(words);
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(outcome.err.find(sentence) != std::string::npos);
    CHECK(outcome.out.empty());
  };
  says({"--benchmark", "--benchmark_colour=true"}, "--benchmark_colour=true: google-benchmark has no such option");
  says({"--benchmark", "--benchmark_format=xml"}, "'xml' is none of console, json, csv");
  says({"--benchmark", "--benchmark_time_unit=weeks"}, "'weeks' is none of ns, us, ms, s");
  says({"--benchmark_filter=x"}, "--benchmark_filter=x is for --benchmark");
  says({"--benchmark", "--loop", "3"}, "not with --loop");
  says({"--benchmark", "--scope", "init"}, "begins with the capture");
  says({"--benchmark", "--benchmark_filter=nothing"}, "no row has such a name");
}

SCENARIO("a failure names the last submit, its frame, scope and record", "[timing]") {
  const Recording& capture = captured(without_checks({program("scopes")}), {.driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome = player({"--report", report, capture.path}, fake, "fail=vkQueueSubmit:4:VK_ERROR_DEVICE_LOST");
  INFO(outcome.both());
  CHECK(outcome.status == kFailed);
  CHECK(outcome.err.find("vkQueueSubmit returned VK_ERROR_DEVICE_LOST") != std::string::npos);
  CHECK(outcome.err.find("the last submit was ") != std::string::npos);
  CHECK(outcome.err.find(", scope \"") != std::string::npos);
  const Json json = Json::parse(read_file(report));
  CHECK(json.at("/last_submit/scope") != "null");
  CHECK(json.at("/last_submit/scope") != "");
  CHECK(number(json, "/last_submit/record") > 0);
}
