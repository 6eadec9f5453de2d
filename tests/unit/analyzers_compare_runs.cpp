// SPDX-License-Identifier: Apache-2.0
// rondo compare-runs: what is said of two results, or of several a side.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "analyzers/commands/commands.h"
#include "analyzers/text/json.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::printed;
using test::Printed;
using test::TemporaryFile;

std::string text_of(double value) {
  std::string text;
  JsonWriter(text).floating_value(value);
  return text;
}

// A report as player writes it, its iterations `first`, `first` + 1 % and so on.
std::string report(double first, int iterations, const std::string& more = "",
                   const std::string& device = "llvmpipe (LLVM)", const std::string& span = "frames 1:2") {
  std::string text = R"({"player": "1", "status": 0, "error": null, "capture": {"file": "x.rondo", "id": "ab12"},
    "devices": [")" + device +
                     R"("], "span": {"request": ")" + span + R"("}, "iterations": [)";
  for (int i = 0; i < iterations; ++i) {
    if (i != 0) text += ", ";
    text += R"({"seconds": )" + text_of(first * (1 + i * 0.01)) + R"(, "span_seconds": 1, "cpu_seconds": )" +
            text_of(1 / first) + (more.empty() ? "" : ", " + more) + "}";
  }
  return text + "]}";
}

std::string benchmark(const std::string& rows) {
  return R"({"context": {"date": "today", "host_name": "here", "device": "llvmpipe"}, "benchmarks": [)" + rows + "]}";
}

std::string benchmark_row(const std::string& name, double time, const std::string& unit = "ms") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name + R"(", "run_type": "iteration", "real_time": )" +
         text_of(time) + R"(, "cpu_time": 1, "time_unit": ")" + unit + R"("})";
}

// As `player --benchmark` writes a row: with its times as counters, in seconds.
std::string player_row(double time, double counters) {
  std::string row = benchmark_row("replay/scope:a/manual_time", time);
  row.pop_back();
  for (const char* counter : {"span_seconds", "cpu_seconds", "gpu_seconds", "label_seconds"})
    row += R"(, ")" + std::string(counter) + R"(": )" + text_of(counters);
  return row + R"(, "submits": 3})";
}

std::string players(double time, double counters) {
  std::string rows;
  for (int i = 0; i < 6; ++i) rows += (i == 0 ? "" : ", ") + player_row(time + i * 1e-3, counters * (1 + i * 1e-3));
  std::string text = benchmark(rows);
  return text.replace(text.find("\"date\""), 0, R"("player": "1", )");
}

struct Two {
  TemporaryFile old_file{"old.json"}, new_file{"new.json"};

  Printed compare(const std::string& before, const std::string& after, std::vector<std::string> more = {}) const {
    std::ofstream(old_file.path(), std::ios::trunc) << before;
    std::ofstream(new_file.path(), std::ios::trunc) << after;
    more.insert(more.begin(), {old_file.path(), new_file.path()});
    return printed(run_compare_runs, more);
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CompareRuns, TellsSlowerFasterAndTheSame) {
  const Two two;
  const Printed slower = two.compare(report(1, 8), report(1.2, 8));
  EXPECT_EQ(slower.status, 5) << slower.out << slower.error;
  EXPECT_TRUE(has(slower.out, "slower   gates\n")) << slower.out;
  EXPECT_TRUE(has(slower.out, "1 slower, 0 faster, 0 the same")) << slower.out;
  EXPECT_FALSE(has(slower.out, "warning")) << slower.out;
  const Printed faster = two.compare(report(1.2, 8), report(1, 8));
  EXPECT_EQ(faster.status, 0);
  EXPECT_TRUE(has(faster.out, "0 slower, 1 faster, 0 the same")) << faster.out;
  const Printed same = two.compare(report(1, 8), report(1, 8));
  EXPECT_EQ(same.status, 0);
  EXPECT_TRUE(has(same.out, "0 slower, 0 faster, 1 the same")) << same.out;
}

TEST(CompareRuns, AsksForBothASmallChanceAndALargeDifference) {
  const Two two;
  // No overlap at all (p < 0.001), and 1.2 times as long.
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--threshold", "19%"}).status, 5);
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--threshold", "0.19"}).status, 5);
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--threshold", "21%"}).status, 0);
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--alpha", "0.001"}).status, 5);
  EXPECT_EQ(two.compare(report(1, 8), report(1.03, 8), {"--threshold", "1%", "--alpha", "0.01"}).status, 0);
}

TEST(CompareRuns, SaysWhereIterationsAreTooFew) {
  const Two two;
  const Printed few = two.compare(report(1, 3), report(9, 3));
  EXPECT_EQ(few.status, 2);
  EXPECT_TRUE(has(few.out, "too few")) << few.out;
  EXPECT_TRUE(has(few.error, "--loop")) << few.error;
  EXPECT_EQ(two.compare(report(1, 3), report(9, 3), {"--alpha", "0.11"}).status, 5);
  EXPECT_EQ(two.compare(report(1, 8), report(9, 8), {"--alpha", "0.0001"}).status, 2);
}

TEST(CompareRuns, MetricsAreChosenAndAbsentOnesPassedOver) {
  const Two two;
  const std::string with_gpu = R"("gpu_seconds": 0.5)", without = R"("gpu_seconds": null)";
  const Printed both = two.compare(report(1, 8, with_gpu), report(1, 8, with_gpu));
  EXPECT_TRUE(has(both.out, "gpu_seconds")) << both.out;
  EXPECT_TRUE(has(both.out, "2 the same")) << both.out;
  const Printed one = two.compare(report(1, 8, with_gpu), report(1, 8, without));
  EXPECT_TRUE(has(one.out, "only in OLD: replay (gpu_seconds)")) << one.out;
  // The processor's time falls where the other rises (see report()).
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--metric", "cpu_seconds"}).status, 0);
  EXPECT_EQ(two.compare(report(1, 8), report(1.2, 8), {"--metric", "cpu_seconds,seconds"}).status, 5);
  EXPECT_EQ(two.compare(report(1.2, 8), report(1, 8), {"--metric", "cpu_seconds"}).status, 5);
  const Printed none = two.compare(report(1, 8), report(1, 8), {"--metric", "gpu_seconds"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(has(none.error, "gpu_seconds")) << none.error;
}

TEST(CompareRuns, IntervalsAreRowsOfTheirOwn) {
  const Two two;
  const auto with = [](const std::string& decode) {
    return report(1, 8,
                  R"("intervals": [{"name": "prefill", "seconds": 0.5}, {"name": "decode", "seconds": )" + decode +
                      R"(}, {"name": "decode", "seconds": 0.1}])");
  };
  const Printed printed = two.compare(with("0.25"), with("0.5"));
  EXPECT_EQ(printed.status, 0) << "parts of the span only inform";
  EXPECT_TRUE(has(printed.out, "0 slower, 0 faster, 1 the same, 0 unclear")) << printed.out;
  EXPECT_TRUE(has(printed.out, "3 rows that only inform: 1 slower, 0 faster, 2 the same, 0 unclear")) << printed.out;
  const Printed all = two.compare(with("0.25"), with("0.5"), {"--gate", "all"});
  EXPECT_EQ(all.status, 5);
  EXPECT_TRUE(has(all.out, "1 slower, 0 faster, 3 the same")) << all.out;
  EXPECT_FALSE(has(all.out, "inform")) << all.out;
  EXPECT_TRUE(has(printed.out, "replay/decode, again 1")) << printed.out;
  const std::string of_others = report(1, 8, R"("intervals": [{"name": "sample", "seconds": 1}])");
  const Printed other = two.compare(with("0.25"), of_others);
  EXPECT_EQ(other.status, 0) << "what only informs may be gone";
  EXPECT_EQ(two.compare(with("0.25"), of_others, {"--gate", "all"}).status, 5);
  for (const char* row : {"only in OLD: replay/prefill (seconds)", "only in OLD: replay/decode, again 1 (seconds)",
                          "only in NEW: replay/sample (seconds)"})
    EXPECT_TRUE(has(other.out, row)) << row << "\n" << other.out;
}

TEST(CompareRuns, OtherCircumstancesAreNamedOnBothSides) {
  const Two two;
  const Printed printed =
      two.compare(report(1, 8), report(1, 8, "", "SwiftShader Device (LLVM)", "scope \\\"prefill\\\""));
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.out, "another device: " + two.old_file.path() + " has llvmpipe (LLVM), " +
                                   two.new_file.path() + " has SwiftShader Device (LLVM)"))
      << printed.out;
  EXPECT_TRUE(has(printed.out, "frames 1:2")) << printed.out;
  EXPECT_TRUE(has(printed.out, "scope \"prefill\"")) << printed.out;
  EXPECT_EQ(printed.out.find("another capture"), std::string::npos) << printed.out;
  std::string failed = report(1, 8);
  failed.replace(failed.find("\"status\": 0, \"error\": null"), 26, R"("status": 5, "error": "it differs")");
  EXPECT_TRUE(has(two.compare(failed, report(1, 8)).out, "status 5: it differs"));
}

TEST(CompareRuns, WhatIsGoneDoesNotPass) {
  const Two two;
  const std::string with_gpu = report(1, 8, R"("gpu_seconds": 0.5)"), without = report(1, 8);
  const Printed gone = two.compare(with_gpu, without);
  EXPECT_EQ(gone.status, 5);
  EXPECT_TRUE(has(gone.out, "1 the same, 0 unclear, 1 missing in NEW (by more than 5 %, confidence 95 %)")) << gone.out;
  EXPECT_EQ(two.compare(with_gpu, without, {"--metric", "seconds"}).status, 0);
  EXPECT_EQ(two.compare(with_gpu, without, {"--allow-missing"}).status, 0);
  EXPECT_EQ(two.compare(without, with_gpu).status, 0) << "something new is no harm";
  // Nor does what came of a replay that failed.
  std::string failed = report(1, 8);
  failed.replace(failed.find("\"status\": 0, \"error\": null"), 26, R"("status": 1, "error": "the device is lost")");
  const Printed printed = two.compare(report(1, 8), failed, {"--allow-missing"});
  EXPECT_EQ(printed.status, 5);
  EXPECT_TRUE(
      has(printed.out, "failed: " + two.new_file.path() + ": the replay ended with status 1: the device is lost\n"))
      << printed.out;
  EXPECT_TRUE(has(printed.out, "; NEW failed\n")) << printed.out;
  EXPECT_EQ(two.compare(failed, report(1, 8)).status, 0);
  const auto json = JsonText::parse(two.compare(report(1, 8), failed, {"--format", "json"}).out);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size("/failures"), 1u);
}

TEST(CompareRuns, RepetitionsOfABenchmarkAreItsSamples) {
  const Two two;
  std::string before, after, elsewhere;
  for (int i = 0; i < 6; ++i) {
    before += benchmark_row("replay/frames:1:2", 2.0 + i * 0.01) + ", ";
    after += benchmark_row("replay/frames:1:2", 2600 + i, "us") + ", ";  // of another unit
    elsewhere += benchmark_row("replay/scope:b", 1) + ", ";
  }
  // An aggregate is no sample: with it the medians would be others.
  const std::string mean =
      R"({"name": "replay/frames:1:2_mean", "run_name": "replay/frames:1:2", "run_type": "aggregate",
    "real_time": 99, "cpu_time": 1, "time_unit": "ms"})";
  const Printed slower = two.compare(benchmark(before + mean), benchmark(after + elsewhere + mean));
  EXPECT_EQ(slower.status, 5) << slower.error;
  EXPECT_TRUE(has(slower.out, "2.025 ms of 6")) << slower.out;
  EXPECT_TRUE(has(slower.out, "2.602 ms of 6")) << slower.out;
  EXPECT_TRUE(has(slower.out, "only in NEW: replay/scope:b (seconds)")) << slower.out;
  const Printed aggregates = two.compare(benchmark(mean), benchmark(mean));
  EXPECT_EQ(aggregates.status, 2);
  EXPECT_TRUE(has(aggregates.out, "--benchmark_report_aggregates_only")) << aggregates.out;
  const std::string failed = R"({"name": "replay/x", "run_type": "iteration", "error_occurred": true,
    "error_message": "device lost"})";
  const Printed lost = two.compare(benchmark(before + mean), benchmark(before + failed));
  EXPECT_EQ(lost.status, 5);
  EXPECT_TRUE(has(lost.out, "replay/x failed: device lost")) << lost.out;
  EXPECT_EQ(two.compare(report(1, 8), benchmark(before + mean)).status, 2);
}

TEST(CompareRuns, ThePlayersCountersAreTimesOfABenchmark) {
  const Two two;
  for (const std::string metric : {"span_seconds", "gpu_seconds", "label_seconds"}) {
    const Printed slower = two.compare(players(2, 0.001), players(2, 0.0015), {"--metric", metric});
    EXPECT_EQ(slower.status, 5) << slower.out << slower.error;
    EXPECT_TRUE(has(slower.out, metric)) << slower.out;
    EXPECT_TRUE(has(slower.out, "1.002 ms of 6")) << slower.out;
  }
  const Printed all = two.compare(players(2, 0.001), players(2, 0.0015));
  EXPECT_EQ(all.status, 5);
  EXPECT_TRUE(has(all.out, "2 slower, 0 faster, 1 the same")) << all.out;  // of the device and the label
}

TEST(CompareRuns, ProcessorTimeOfABenchmarkIsThePlayersOwn) {
  const Two two;
  const auto google = [](std::string text, const std::string& time) {
    const std::string part = "\"cpu_time\": 1,";
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
      text.replace(at, part.size(), "\"cpu_time\": " + time + ",");
    return text;
  };
  const std::vector<std::string> cpu{"--metric", "cpu_seconds"};
  EXPECT_EQ(two.compare(google(players(2, 0.001), "1"), google(players(2, 0.001), "5"), cpu).status, 0);
  EXPECT_EQ(two.compare(google(players(2, 0.001), "1"), google(players(2, 0.0015), "1"), cpu).status, 5);
  // Rows of single times that a scope is entered have no counters, and no such time then.
  const std::string interval = benchmark_row("replay/scope:a#0/manual_time", 1);
  std::string with = players(2, 0.001);
  with.insert(with.rfind("]}"), ", " + interval);
  EXPECT_FALSE(has(two.compare(with, with, cpu).out, "a#0"));
  // Another program has google-benchmark's alone.
  std::string rows;
  for (int i = 0; i < 6; ++i) rows += (i == 0 ? "" : ", ") + benchmark_row("fft", 1);
  EXPECT_EQ(two.compare(google(benchmark(rows), "1"), google(benchmark(rows), "5"), cpu).status, 5);
}

TEST(CompareRuns, AllFormatsSayTheSame) {
  const Two two;
  const std::string before = report(1, 8, R"("intervals": [{"name": "a|<b>_*", "seconds": 1}])", "llvmpipe");
  const std::string after = report(1.2, 8, R"("intervals": [{"name": "a|<b>_*", "seconds": 1}])", "other|device");
  const Printed json = two.compare(before, after, {"--format", "json"});
  EXPECT_EQ(json.status, 5);
  const auto parsed = JsonText::parse(json.out);
  ASSERT_TRUE(parsed) << json.out;
  EXPECT_EQ(parsed->number("/slower"), 1u);
  EXPECT_EQ(parsed->number("/judged"), 2u);
  EXPECT_EQ(parsed->string("/rows/0/verdict"), "slower");
  EXPECT_NEAR(parsed->real("/rows/0/ratio").value_or(0), 1.2, 1e-9);
  EXPECT_EQ(parsed->string("/rows/1/row"), "replay/a|<b>_*");
  EXPECT_EQ(parsed->size("/warnings"), 1u);
  EXPECT_EQ(parsed->string("/sample"), "iteration");
  EXPECT_EQ(parsed->shown("/rows/0/gates"), "true");
  EXPECT_EQ(parsed->shown("/rows/1/gates"), "false");
  const double lower = parsed->real("/rows/0/lower").value_or(0), upper = parsed->real("/rows/0/upper").value_or(0);
  EXPECT_GT(lower, 1.15);
  EXPECT_LT(lower, 1.2);
  EXPECT_NEAR(lower * upper, 1.44, 1e-9) << "the samples are alike but for the factor";
  const Printed github = two.compare(before, after, {"--format=github"});
  EXPECT_EQ(github.status, 5);
  EXPECT_TRUE(has(github.out, "| --- | --- | ---: |")) << github.out;
  EXPECT_TRUE(has(github.out, "| **slower** | gates |\n")) << github.out;
  EXPECT_TRUE(has(github.out, R"(| replay/a\|&lt;b>\_\* | seconds |)")) << github.out;
  EXPECT_TRUE(has(github.out, R"(other\|device)")) << github.out;
}

TEST(CompareRuns, AnIntervalThatReachesOverTheThresholdIsUnclear) {
  const Two two;
  // Iterations from 1 to 1.07, and 6 % more: the interval of the ratio is about 1.03 to 1.09.
  const Printed unclear = two.compare(report(1, 8), report(1.06, 8), {"--threshold", "8%"});
  EXPECT_EQ(unclear.status, 0);
  EXPECT_TRUE(has(unclear.out, "0 slower, 0 faster, 0 the same, 1 unclear")) << unclear.out;
  const Printed github = two.compare(report(1, 8), report(1.06, 8), {"--threshold", "8%", "--format", "github"});
  EXPECT_TRUE(has(github.out, "| **unclear** | gates |\n")) << github.out;
  EXPECT_TRUE(has(github.out, "- **unclear**: replay (seconds) takes 1.0")) << github.out;
  EXPECT_TRUE(has(github.out, "--require-clear makes this status 5")) << github.out;
  EXPECT_EQ(two.compare(report(1, 8), report(1.06, 8), {"--threshold", "8%", "--require-clear"}).status, 5);
  EXPECT_EQ(two.compare(report(1, 8), report(1.06, 8), {"--threshold", "15%", "--require-clear"}).status, 0)
      << "the same";
  EXPECT_EQ(two.compare(report(1.2, 8), report(1, 8), {"--require-clear"}).status, 0) << "faster is clear";
  // Parts of the span have to be clear only where they gate.
  const auto with = [](double part) {
    return report(1, 8, R"("intervals": [{"name": "a", "seconds": )" + text_of(part) + "}]");
  };
  EXPECT_EQ(two.compare(with(1), with(2), {"--require-clear"}).status, 0);
}

TEST(CompareRuns, JUnitFailsWhatGatesAndSkipsWhatInforms) {
  const Two two;
  const auto with = [](double first, double part) {
    return report(first, 8, R"("intervals": [{"name": "a", "seconds": )" + text_of(part) + "}]");
  };
  const Printed informs = two.compare(with(1, 1), with(1, 2), {"--format", "junit"});
  EXPECT_EQ(informs.status, 0);
  EXPECT_TRUE(has(informs.out, "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"")) << informs.out;
  EXPECT_TRUE(
      has(informs.out, "informs only: slower: 1 s before, 2 s now, 2.000 times as long; 95 % interval 2.000 to 2.000"))
      << informs.out;
  const Printed gates = two.compare(with(1, 1), with(1, 2), {"--format", "junit", "--gate", "all"});
  EXPECT_EQ(gates.status, 5);
  EXPECT_TRUE(has(gates.out, "failures=\"1\" errors=\"0\" skipped=\"0\"")) << gates.out;
  const std::vector<std::string> unclear{"--format", "junit", "--threshold", "8%"};
  EXPECT_TRUE(
      has(two.compare(report(1, 8), report(1.06, 8), unclear).out, "failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_TRUE(
      has(two.compare(report(1, 8), report(1.06, 8), {"--format", "junit", "--threshold", "8%", "--require-clear"}).out,
          "failures=\"1\" errors=\"0\" skipped=\"0\""));
}

TEST(CompareRuns, PartsOfABenchmarkOfThePlayerInformAndOtherBenchmarksGate) {
  const Two two;
  const auto with = [](double part) {
    std::string rows, text = players(2, 0.001);
    for (int i = 0; i < 6; ++i) rows += ", " + benchmark_row("replay/scope:a#0/manual_time", part + i * 1e-3);
    return text.insert(text.rfind("]}"), rows);
  };
  EXPECT_EQ(two.compare(with(1), with(2)).status, 0);
  EXPECT_EQ(two.compare(with(1), with(2), {"--gate", "all"}).status, 5);
  std::string before, after;
  for (int i = 0; i < 6; ++i) {
    before += (i == 0 ? "" : ", ") + benchmark_row("fft", 1) + ", " + benchmark_row("sort", 1);
    after += (i == 0 ? "" : ", ") + benchmark_row("fft", 1) + ", " + benchmark_row("sort", 2);
  }
  EXPECT_EQ(two.compare(benchmark(before), benchmark(after)).status, 5);
}

TEST(CompareRuns, SeveralFilesStandOnBothSidesOfDashes) {
  std::deque<TemporaryFile> files;
  std::vector<std::string> olds, news, all;
  for (int i = 0; i < 8; ++i) {
    files.emplace_back("r" + std::to_string(i) + ".json");
    std::ofstream(files.back().path()) << report((i < 4 ? 1 : 1.2) * (1 + 0.01 * (i % 4)), 3);
    (i < 4 ? olds : news).push_back(files.back().path());
  }
  const auto compared = [](std::vector<std::string> words, const std::vector<std::string>& more,
                           const std::vector<std::string>& most = {}) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), most.begin(), most.end());
    return printed(run_compare_runs, words);
  };
  const std::vector<std::string> dashes{"--"};
  std::vector<std::string> of_new = dashes;
  of_new.insert(of_new.end(), news.begin(), news.end());
  const Printed slower = compared(olds, of_new);
  EXPECT_EQ(slower.status, 5) << slower.error;
  // Medians of runs: 1.01 times 1, 1.01, 1.02 and 1.03.
  EXPECT_TRUE(has(slower.out, "1.025 s of 4 runs")) << slower.out;
  EXPECT_TRUE(has(slower.out, "1.165 to 1.236")) << slower.out;
  EXPECT_FALSE(has(slower.out, "one run a side")) << slower.out;
  // Values of options are no files, on either side.
  const Printed among = compared({"--alpha", "0.05", olds[0], olds[1], "--threshold=5%", olds[2], olds[3]}, of_new,
                                 {"--metric", "seconds"});
  EXPECT_EQ(among.status, 5);
  EXPECT_EQ(among.out, slower.out);
  const auto json = JsonText::parse(compared(olds, of_new, {"--format", "json"}).out);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->string("/sample"), "run");
  EXPECT_EQ(json->size("/old_files"), 4u);
  EXPECT_EQ(json->string("/new_files/3"), news[3]);
  EXPECT_EQ(json->number("/rows/0/old_samples"), 4u);
  EXPECT_EQ(json->number("/rows/0/old_iterations"), 12u);
  // Runs are the samples, whatever the number of their iterations. Of 3 and 4 p is at least 2 / 35.
  const Printed few = compared({olds[0], olds[1], olds[2]}, of_new);
  EXPECT_EQ(few.status, 2);
  EXPECT_TRUE(has(few.error, "takes 4 files on each side")) << few.error;
  const struct {
    std::vector<std::string> words;
    const char* names;
  } wrong[] = {{{}, "OLD.json"},
               {{olds[0]}, "NEW.json"},
               {{olds[0], olds[1], olds[2]}, "several of each with -- between"},
               {{"--", olds[0]}, "OLD.json"},
               {{olds[0], "--"}, "NEW.json"},
               {{olds[0], "--", olds[1], "--", olds[2]}, "two --"}};
  for (const auto& [words, names] : wrong) {
    const Printed p = printed(run_compare_runs, words);
    EXPECT_EQ(p.status, 2) << names;
    EXPECT_TRUE(has(p.error, names)) << p.error;
  }
}

TEST(CompareRuns, WhatIsNoSuchResultIsRefusedByNameAndPlace) {
  const Two two;
  const std::string good = report(1, 8);
  const struct {
    std::string bytes;
    const char* names;
  } cases[] = {
      {"", "offset 0"},
      {R"({"iterations": [1, 2)", "offset 20"},
      {"RONDO\r\n", "offset 0"},
      {"[1, 2]", "offset 0"},
      {R"({"iterations": 4})", "neither a report"},
      {R"({"iterations": [{"seconds": 1e999}]})", "number"},
      {R"({"iterations": [{"seconds": 1}, {"seconds": "fast"}]})", "/iterations/1/seconds"},
      {R"({"iterations": [{"seconds": -1}]})", "/iterations/0/seconds"},
      {R"({"iterations": [{"seconds": 1, "intervals": [{"seconds": 1}]}]})", "/iterations/0/intervals/0/name"},
      {R"({"benchmarks": [{"real_time": 1}]})", "/benchmarks/0/name"},
      {R"({"benchmarks": [{"name": "a", "real_time": 1, "time_unit": "weeks"}]})", "/benchmarks/0/time_unit"},
      {std::string(100, '['), "offset 64"},
  };
  for (const auto& [bytes, names] : cases) {
    SCOPED_TRACE(bytes);
    for (const bool first : {true, false}) {
      const Printed p = first ? two.compare(bytes, good) : two.compare(good, bytes);
      EXPECT_EQ(p.status, 3);
      EXPECT_EQ(p.out, "");
      EXPECT_TRUE(has(p.error, first ? two.old_file.path() : two.new_file.path())) << p.error;
      EXPECT_TRUE(has(p.error, names)) << p.error;
    }
  }
  for (const std::string& path : {two.old_file.directory(), two.old_file.directory() + "/missing.json"}) {
    const Printed p = printed(run_compare_runs, {path, path});
    EXPECT_EQ(p.status, 3);
    EXPECT_TRUE(has(p.error, path)) << p.error;
  }
  // No iteration: nothing that could be compared, and no error of the file.
  EXPECT_EQ(two.compare(report(1, 0), good).status, 2);
}

}  // namespace
}  // namespace rondo::analyzers
