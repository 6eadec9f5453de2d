// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "layer/recorder/json.h"
#include "layer/recorder/output_path.h"
#include "layer/recorder/settings.h"

namespace rondo::layer {
namespace {

Settings read(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(RecorderSettings, DefaultsWithoutVariables) {
  const Settings s = read({});
  EXPECT_EQ(s.output, "%e-%p.rondo");
  EXPECT_EQ(s.compression, Compression::lz4);
  EXPECT_EQ(s.checkpoints, Checkpoints::none);
  EXPECT_EQ(s.log_level, LogLevel::warn);
  EXPECT_EQ(s.memory, "auto");
  EXPECT_FALSE(s.minimal_session);
  EXPECT_TRUE(s.children);
  EXPECT_FALSE(s.frames);
  EXPECT_TRUE(s.warnings.empty());
}

TEST(RecorderSettings, EveryVariableIsUnderstood) {
  const Settings s = read({{"RONDO_OUTPUT", "a.rondo"},
                           {"RONDO_COMPRESSION", "high"},
                           {"RONDO_CHECKPOINTS", "readback"},
                           {"RONDO_LOG", "debug"},
                           {"RONDO_FILE_CHECK", "digest"},
                           {"RONDO_MEMORY", "scan"},
                           {"RONDO_SESSION", "minimal"},
                           {"RONDO_CHILDREN", "0"},
                           {"RONDO_BACKTRACES", "1"},
                           {"RONDO_FRAMES", "2:5"}});
  EXPECT_EQ(s.output, "a.rondo");
  EXPECT_EQ(s.compression, Compression::zstd);
  EXPECT_EQ(s.checkpoints, Checkpoints::readback);
  EXPECT_EQ(s.log_level, LogLevel::debug);
  EXPECT_EQ(s.memory, "scan");
  EXPECT_EQ(s.file_check, FileCheck::digest);
  EXPECT_TRUE(s.minimal_session);
  EXPECT_FALSE(s.children);
  EXPECT_TRUE(s.backtraces);
  ASSERT_TRUE(s.frames);
  EXPECT_EQ(s.frames->first, 2u);
  EXPECT_EQ(s.frames->last, 5u);
  EXPECT_TRUE(s.warnings.empty());
}

TEST(RecorderSettings, FilesAreNamedOnlyWherePathsMayBe) {
  const std::map<std::string, FilePolicy> policies = {{"embed", FilePolicy::embed},
                                                      {"embed-all", FilePolicy::embed_all},
                                                      {"reference", FilePolicy::reference},
                                                      {"fail", FilePolicy::fail}};
  for (const auto& [word, policy] : policies) {
    EXPECT_EQ(read({{"RONDO_FILES", word}}).files, policy);
    const Settings minimal = read({{"RONDO_FILES", word}, {"RONDO_SESSION", "minimal"}});
    EXPECT_EQ(minimal.files, FilePolicy::embed);
    EXPECT_EQ(minimal.warnings.size(), word == "embed" ? 0u : 1u);
  }
}

TEST(RecorderSettings, AWrongValueIsOneLineAndTheDefault) {
  const Settings s = read({{"RONDO_COMPRESSION", "best"}, {"RONDO_CHECKPOINTS", "all"}});
  EXPECT_EQ(s.compression, Compression::lz4);
  EXPECT_EQ(s.checkpoints, Checkpoints::none);
  ASSERT_EQ(s.warnings.size(), 2u);
  EXPECT_EQ(s.warnings[0], "RONDO_COMPRESSION=best is not one of none, fast, high: using fast");
  EXPECT_EQ(s.warnings[1], "RONDO_CHECKPOINTS=all is not one of none, present, readback, submit: using none");
}

TEST(RecorderSettings, FramesThatAreNoneAreOneLineAndAllOfThem) {
  for (const std::string wrong : {"5", "9:3", "x:y"}) {
    const Settings s = read({{"RONDO_FRAMES", wrong}});
    EXPECT_FALSE(s.frames);
    ASSERT_EQ(s.warnings.size(), 1u);
    EXPECT_EQ(s.warnings[0],
              "RONDO_FRAMES=" + wrong + " is not A:B, frames from A up to, not with, B: recording all of them");
  }
  EXPECT_TRUE(read({{"RONDO_FRAMES", ""}}).warnings.empty());
}

TEST(RecorderSettings, CheckpointsIncludeTheOnesBefore) {
  EXPECT_EQ(read({{"RONDO_CHECKPOINTS", "submit"}}).checkpoints, Checkpoints::submit);
  EXPECT_LT(Checkpoints::none, Checkpoints::present);
  EXPECT_LT(Checkpoints::present, Checkpoints::readback);
  EXPECT_LT(Checkpoints::readback, Checkpoints::submit);
}

const ProcessNames kNames{"cube", 42, 1700000000, "/home/me"};

TEST(OutputPath, PatternsExpand) {
  EXPECT_EQ(expand_output("%e-%p.rondo", kNames), "/home/me/cube-42.rondo");
  EXPECT_EQ(expand_output("/tmp/%t/%e", kNames), "/tmp/20231114-221320/cube");
  EXPECT_EQ(expand_output("100%%", kNames), "/home/me/100%");
}

TEST(OutputPath, WhatIsNoPatternStays) { EXPECT_EQ(expand_output("/a%z%", kNames), "/a%z%"); }

TEST(OutputPath, ASuffixGoesBeforeTheLastDotOfTheName) {
  EXPECT_EQ(with_suffix("/d/a.rondo", "-2"), "/d/a-2.rondo");
  EXPECT_EQ(with_suffix("/d.x/a", "-2"), "/d.x/a-2");
  EXPECT_EQ(with_suffix("/d/.hidden", "-2"), "/d/.hidden-2");
}

TEST(Json, EscapesAndRepairsText) {
  EXPECT_EQ(json_string("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
  EXPECT_EQ(json_string("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(json_string("\xff"
                        "a\xc3"),
            "\"\\ufffda\\ufffd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

TEST(Json, SeparatesMembersAndElements) {
  JsonWriter json;
  json.begin_object().key("a").value(std::uint64_t{1}).key("b").begin_array().value("x").value(true).end_array();
  json.key("c").begin_object().end_object().end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":["x",true],"c":{}})");
}

}  // namespace
}  // namespace rondo::layer
