// SPDX-License-Identifier: Apache-2.0
// The cut that a capture asks for, by a program that stands in for `rondo trim`.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzers/commands/cut.h"
#include "format/writer.h"

namespace rondo::analyzers {
namespace {

namespace fs = std::filesystem;

class AnalyzersCut : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/rondo-cut-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
    put("a.rondo", "whole");
    request_ = *parse_range("1:3", SpanRequest::Kind::frames, "");
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string file(const std::string& name) const { return directory_ / name; }
  void put(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  std::string contents(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string program(const std::string& script) const {
    put("trim", "#!/bin/sh\n" + script);
    ::chmod(file("trim").c_str(), 0700);
    return file("trim");
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {})); }
  // Of a capture with these session objects.
  std::string asked_for(const std::vector<std::string>& sessions) const {
    WriterOptions options;
    options.path = file("s.rondo");
    fs::remove(options.path);
    auto writer = CaptureWriter::create(options);
    EXPECT_TRUE(writer);
    for (const std::string& session : sessions) (*writer)->add_session(session);
    EXPECT_TRUE((*writer)->finish(Ending::exited));
    const auto request = requested_cut(options.path);
    EXPECT_TRUE(request);
    return request && *request ? (*request)->text() : "";
  }

  fs::path directory_;
  SpanRequest request_;
};

TEST_F(AnalyzersCut, TheCutOneTakesTheFilesPlace) {
  const auto done = perform_cut(file("a.rondo"), request_, program("echo \"$1 $2 $3 $4 $5\"; echo cut > \"$6\""));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(contents("a.rondo"), "cut\n");
  EXPECT_EQ(files(), 2u);
}

TEST_F(AnalyzersCut, ItIsAskedForTheFrames) {
  const auto done = perform_cut(file("a.rondo"), request_, program("echo \"$1 $2 $3 $4 $5\" > \"$6\""));
  ASSERT_TRUE(done);
  EXPECT_EQ(contents("a.rondo"), "trim --frames 1:3 " + file("a.rondo") + " -o\n");
}

TEST_F(AnalyzersCut, AFailureLeavesTheFileAndSaysWhatWasSaid) {
  const auto failed = perform_cut(file("a.rondo"), request_,
                                  program("echo half > \"$6\"; echo one >&2; echo 'rondo: because' >&2; exit 1"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "because");
  EXPECT_EQ(contents("a.rondo"), "whole");
  EXPECT_EQ(files(), 2u);
}

TEST_F(AnalyzersCut, AFailureWithoutWordsHasSome) {
  EXPECT_EQ(perform_cut(file("a.rondo"), request_, program("exit 4")).error().message,
            "`rondo trim` ended with status 4");
  EXPECT_EQ(perform_cut(file("a.rondo"), request_, program("kill -9 $$")).error().message,
            "`rondo trim` was ended by SIGKILL");
  EXPECT_EQ(perform_cut(file("a.rondo"), request_, file("none")).error().message, "`rondo trim` ended with status 127");
  EXPECT_FALSE(perform_cut(file("a.rondo"), request_, program("exit 0")));  // and wrote nothing
  EXPECT_EQ(contents("a.rondo"), "whole");
}

TEST_F(AnalyzersCut, VeryMuchThatIsSaidIsRead) {
  const auto failed =
      perform_cut(file("a.rondo"), request_, program("for i in $(seq 20000); do echo line $i >&2; done; exit 1"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "line 20000");
}

TEST_F(AnalyzersCut, TheLastRequestOfTheSessionsCounts) {
  EXPECT_EQ(asked_for({R"({"process":{"pid":1}})"}), "");
  EXPECT_EQ(asked_for({R"({"cut_request":{"frames":"1:3"}})"}), "frames 1:3");
  EXPECT_EQ(asked_for({R"({"cut_request":{"frames":"1:3"}})", R"({"cut_request":{"frames":"7:8"}})"}), "frames 7:8");
}

TEST_F(AnalyzersCut, ARequestThatNobodyUnderstandsIsNone) {
  for (const char* wrong :
       {R"({"cut_request":"1:3"})", R"({"cut_request":{"frames":5}})", R"({"cut_request":{"frames":"3:1"}})",
        R"({"cut_request":{"frames":"1:3 -o /x"}})", R"({"cut_request":{"submits":"1:3"}})"})
    EXPECT_EQ(asked_for({wrong}), "") << wrong;
}

TEST_F(AnalyzersCut, WhatIsNoCaptureIsAnError) { EXPECT_FALSE(requested_cut(file("a.rondo"))); }

}  // namespace
}  // namespace rondo::analyzers
