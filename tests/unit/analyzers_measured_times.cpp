// SPDX-License-Identifier: Apache-2.0
// The times that other analyses take from the rows of `rondo profile --format jsonl`.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "analyzers/analysis/measured_times.h"
#include "analyzers/analysis/rows.h"

namespace rondo::analyzers {
namespace {

constexpr const char* kDigest = "00112233445566778899aabbccddeeff";

class MeasuredTimesFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/rondo-times-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static std::string head(const std::string& digest = kDigest, std::uint64_t schema = kRowSchema,
                          const std::string& command = "profile") {
    return R"({"row":"analysis","schema":)" + std::to_string(schema) + R"(,"command":")" + command +
           R"(","file":"a.rondo","capture_digest":")" + digest +
           R"(","devices":["one","two"],"mode":"natural","span":"frames 3 to 4"})" + "\n";
  }
  static std::string time(std::uint64_t record, std::uint64_t submit, const std::string& median,
                          const std::string& more = "") {
    return R"({"row":"time","by":"command","item":"1:0","submit":)" + std::to_string(submit) + R"(,"record":)" +
           std::to_string(record) + R"(,"begin_ns":5.5,"n":1,"min_ns":100,"median_ns":)" + median +
           R"(,"below_timer":false,"host":false)" + more + "}\n";
  }
  Result<MeasuredTimes> read(const std::string& rows) const {
    const std::string path = directory_ + "/p.jsonl";
    std::ofstream(path) << rows;
    return MeasuredTimes::read(path, kDigest);
  }
  void expect_error(const std::string& rows, Status status, const std::string& words) const {
    const auto got = read(rows);
    ASSERT_FALSE(got) << rows;
    EXPECT_EQ(got.error().status, status) << got.error().message;
    EXPECT_NE(got.error().message.find(words), std::string::npos) << got.error().message;
    EXPECT_NE(got.error().message.find("p.jsonl"), std::string::npos) << got.error().message;
  }

  const std::string end_ = "{\"row\":\"summary\"}\n";
  std::string directory_;
};

TEST_F(MeasuredTimesFile, KnowsExecutionsApart) {
  const auto times =
      read(head() + time(7, 2, "250.5") + time(7, 3, "300") + time(7, 3, "400", R"(,"primary":1)") + end_);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->size(), 3U);
  EXPECT_EQ(times->devices(), "one, two");
  EXPECT_EQ(times->mode(), "natural");
  EXPECT_EQ(times->span(), "frames 3 to 4");
  WorkItem item;
  item.record = 7;
  item.submit = 2;
  ASSERT_NE(times->of(item), nullptr);
  EXPECT_EQ(times->of(item)->median, 250.5);
  EXPECT_EQ(times->of(item)->begin, 5.5);
  item.submit = 3;
  EXPECT_EQ(times->of(item)->median, 300);
  item.primary = 1;
  EXPECT_EQ(times->of(item)->median, 400);
  item.primary = 2;
  EXPECT_EQ(times->of(item), nullptr);
}

TEST_F(MeasuredTimesFile, RefusesWhatIsNoProfileOfTheCapture) {
  expect_error("", Status::unreadable, "empty");
  expect_error("no JSON\n", Status::unreadable, "line 1");
  expect_error(head() + "{\n" + end_, Status::unreadable, "line 2");
  expect_error(time(7, 2, "1") + end_, Status::unreadable, "first row");
  expect_error(head(kDigest, kRowSchema, "sync") + end_, Status::usage, "rondo sync");
  expect_error(head(kDigest, kRowSchema + 1) + end_, Status::usage, "schema");
  expect_error(head("ff") + end_, Status::usage, "another capture");
  expect_error(head() + time(7, 2, "1"), Status::unreadable, "cut");
  expect_error(head() + time(7, 2, "-1") + end_, Status::unreadable, "median_ns");
  expect_error(head() + time(7, 2, "\"x\"") + end_, Status::unreadable, "median_ns");
  expect_error(head() + "{\"row\":\"time\",\"by\":\"pipeline\",\"item\":\"VkPipeline#1\",\"host\":false}\n" + end_,
               Status::usage, "--by");
  expect_error(head() + "{\"row\":\"time\",\"by\":\"submit\",\"item\":\"0\",\"host\":true}\n" + end_, Status::usage,
               "host's time");
}

TEST_F(MeasuredTimesFile, RefusesWhatCannotBeRead) {
  for (const std::string& path : {directory_, directory_ + "/absent"}) {
    const auto got = MeasuredTimes::read(path, kDigest);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().status, Status::unreadable);
    EXPECT_NE(got.error().message.find(path), std::string::npos) << got.error().message;
  }
}

}  // namespace
}  // namespace rondo::analyzers
