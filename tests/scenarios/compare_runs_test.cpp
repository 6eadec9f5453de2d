// SPDX-License-Identifier: Apache-2.0
// Two replays that take the same, or not: CI's gate, on the player's own reports. What is slower is
// a driver that is told to be, by much: a loaded machine changes no verdict here.
#include <catch2/catch.hpp>
#include <fstream>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

std::string report_of(const TemporaryDirectory& directory, const std::string& name, const Words& span,
                      const std::string& settings) {
  const Recording& capture = captured({program("states"), "--state", "contents"}, {.driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::string report = directory.file(name);
  Words words{"--loop", "12", "--report", report, capture.path};
  words.insert(words.begin(), span.begin(), span.end());
  const Outcome outcome = player(words, fake, settings);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  return report;
}

// What google-benchmark prints of it, in a file.
std::string benchmark_of(const TemporaryDirectory& directory, const std::string& name, const Words& words,
                         const Recording& capture, const std::string& driver, const std::string& settings) {
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::string file = directory.file(name);
  Words all{"--benchmark", "--benchmark_format=json", "--benchmark_out=" + file, "--benchmark_repetitions=4",
            "--benchmark_min_time=0.001"};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back(capture.path);
  const Outcome outcome = player(all, driver, settings);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  return file;
}

}  // namespace

SCENARIO("what was verified on one side only, or cut short, is said", "[compare-runs]") {
  const TemporaryDirectory directory;
  const std::string path = captured({program("triangle")}, {.checkpoints = "submit"}).path;
  const std::string plain = directory.file("plain.json"), verified = directory.file("verified.json");
  REQUIRE(player({"--loop", "6", "--report", plain, path}).status == 0);
  REQUIRE(player({"--loop", "6", "--verify", "--report", verified, path}).status == 0);
  const Outcome outcome = rondo({"compare-runs", plain, verified, "--threshold", "900%"});
  INFO(outcome.both());
  CHECK(outcome.out.find("warning: another verification: " + plain + " has none, " + verified + " has --verify") !=
        std::string::npos);
  std::string cut_short = read_file(plain);
  const std::string was = "\"interrupted\": false";
  REQUIRE(cut_short.find(was) != std::string::npos);
  cut_short.replace(cut_short.find(was), was.size(), "\"interrupted\": true");
  write_file(plain, cut_short);
  CHECK(rondo({"compare-runs", plain, plain}).out.find("was interrupted after 6 iterations") != std::string::npos);
}

SCENARIO("a replay that became slower fails the gate, and the other way round passes it", "[compare-runs]") {
  const TemporaryDirectory directory;
  const Words span{"--scope", "middle"};
  const std::string quick = report_of(directory, "quick.json", span, "");
  const std::string slow = report_of(directory, "slow.json", span, "delay-us=100000");
  const Outcome slower = rondo({"compare-runs", quick, slow, "--threshold", "50%"});
  INFO(slower.both());
  CHECK(slower.status == kDifferent);
  CHECK(slower.err == "");
  CHECK(slower.out.find("1 slower, 0 faster") != std::string::npos);
  CHECK(slower.out.find("warning: another") == std::string::npos);
  const Outcome faster = rondo({"compare-runs", slow, quick, "--threshold", "50%"});
  INFO(faster.both());
  CHECK(faster.status == 0);
  CHECK(faster.out.find("0 slower, 1 faster") != std::string::npos);
  const Outcome same = rondo({"compare-runs", slow, slow, "--format", "json", "--threshold", "50%"});
  INFO(same.both());
  CHECK(same.status == 0);
  const Json json = Json::parse(same.out);
  CHECK(json.at("/rows/0/verdict") == "\"same\"");
  CHECK(json.at("/rows/0/old_samples") == "12");
}

SCENARIO("a replay that became slower fails the gate of what --benchmark wrote", "[compare-runs]") {
  const TemporaryDirectory directory;
  const Recording& capture = captured({program("states"), "--state", "contents"}, {.driver = fake});
  const std::string quick = benchmark_of(directory, "quick.json", {"--scope", "middle"}, capture, fake, "");
  const std::string slow = benchmark_of(directory, "slow.json", {"--scope", "middle"}, capture, fake, "delay-us=50000");
  for (const char* metric : {"seconds", "span_seconds"}) {
    const Outcome slower = rondo({"compare-runs", quick, slow, "--threshold", "50%", "--metric", metric});
    INFO(slower.both());
    CHECK(slower.status == kDifferent);
    const Outcome faster = rondo({"compare-runs", slow, quick, "--threshold", "50%", "--metric", metric});
    INFO(faster.both());
    CHECK(faster.status == 0);
  }
}

SCENARIO("all times of a label that --benchmark wrote are compared", "[compare-runs]") {
  const TemporaryDirectory directory;
  const Recording& capture = captured({program("label_times")}, {.checkpoints = "submit"});
  const std::string file = benchmark_of(directory, "kept.json", {"--scope", "kept#1"}, capture, lavapipe, "");
  const Outcome outcome = rondo({"compare-runs", file, file, "--format", "json", "--metric",
                                 "seconds,span_seconds,cpu_seconds,gpu_seconds,label_seconds"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json.size("/rows") == 5);
  for (std::size_t i = 0; i < json.size("/rows"); ++i)
    CHECK(json.at("/rows/" + std::to_string(i) + "/row") == "\"replay/scope:kept#1/manual_time\"");
  // The same with more than a hundred times as much of one of them: 1.2e-03 becomes 9991.2e-03.
  for (const std::string metric : {"span_seconds", "cpu_seconds", "gpu_seconds", "label_seconds"}) {
    std::string text = read_file(file);
    const std::string key = "\"" + metric + "\": ";
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) text.insert(at += key.size(), "999");
    const std::string slow = directory.file(metric + ".json");
    std::ofstream(slow, std::ios::binary) << text;
    const Outcome slower = rondo({"compare-runs", file, slow, "--metric", metric});
    INFO(slower.both());
    CHECK(slower.status == kDifferent);
  }
}

SCENARIO("replays of another span on another device are compared with a warning", "[compare-runs]") {
  const TemporaryDirectory directory;
  const std::string middle = report_of(directory, "middle.json", {"--scope", "middle"}, "");
  const std::string first = report_of(directory, "first.json", {"--submits", "0:1"}, "devices=2");
  const Outcome outcome = rondo({"compare-runs", middle, first, "--format", "github", "--threshold", "100000%"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("- warning: another span:") != std::string::npos);
  CHECK(outcome.out.find("scope \"middle\"") != std::string::npos);
  CHECK(outcome.out.find("submits 0:1") != std::string::npos);
}

SCENARIO("what is unclear passes with a line on standard error, and fails where a clear verdict is asked for",
         "[compare-runs]") {
  const TemporaryDirectory directory;
  const std::string report = report_of(directory, "report.json", {"--scope", "middle"}, "");
  // With itself: the interval is about 1, and nothing but 1 would be within a threshold of nothing.
  const Words words{"compare-runs", report, report, "--metric", "seconds", "--threshold", "0"};
  for (const std::string format : {"text", "json", "github", "junit"}) {
    Words in_format = words;
    in_format.insert(in_format.end(), {"--format", format});
    const Outcome outcome = rondo(in_format);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("unclear") != std::string::npos);
    CHECK(outcome.err.find("rondo: unclear: replay (seconds) takes ") == 0);
    CHECK(lines(outcome.err).size() == 1);
    in_format.push_back("--require-clear");
    CHECK(rondo(in_format).status == kDifferent);
  }
}

SCENARIO("what the gate cannot compare is said in one line", "[compare-runs]") {
  const TemporaryDirectory directory;
  const std::string report = report_of(directory, "report.json", {"--scope", "middle"}, "");
  const auto refused = [&](const Outcome& outcome, int status, const std::string& names) {
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(names) != std::string::npos);
  };
  const Recording& capture = captured({program("states"), "--state", "contents"}, {.driver = fake});
  refused(rondo({"compare-runs", report, capture.path}), 3, capture.path);
  refused(rondo({"compare-runs", report}), 2, "NEW.json");
  refused(rondo({"compare-runs", report, report, "--metric", "gpu_days"}), 2, "gpu_days");
}
