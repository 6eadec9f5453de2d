// SPDX-License-Identifier: Apache-2.0
// Chakra traces of captures that are written by hand, read by a reader of their own (tests/export).
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "analyzers/analysis/rows.h"
#include "analyzers/commands/commands.h"
#include "analyzers/export/chakra_graph.h"
#include "format/file_digest.h"
#include "tests/unit/graph_scene.h"

namespace rondo::test {
namespace {

using analyzers::JsonText;
using analyzers::ReducedDependencies;

// What a program prints; `status` is its exit status.
std::string output_of(const std::string& words, int& status) {
  FILE* const pipe = ::popen(words.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string all;
  char bytes[4096];
  for (std::size_t got; (got = ::fread(bytes, 1, sizeof(bytes), pipe)) != 0;) all.append(bytes, got);
  const int ended = ::pclose(pipe);
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return all;
}

class ChakraFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/rondo-export-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
    memory_ = scene_.memory(0x900, 1 << 20);
    scene_.begin(scene_.commands);
    last_ = scene_.commands;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  VkBuffer buffer(std::uint64_t bytes) {
    const VkBuffer made = scene_.buffer(0x10000 + used_, bytes);
    scene_.bind(made, memory_, used_);
    used_ += bytes;
    return made;
  }
  // Exports the recorded work with micros[i] as the time of item `i`, and returns what the reader prints.
  JsonText exported(const std::vector<std::uint64_t>& micros, std::vector<std::string> more = {}) {
    scene_.submit(last_);
    scene_.capture.finish();
    auto walk = analyzers::GraphWalk::open(scene_.file.path());
    EXPECT_TRUE(walk);
    KeptGraph kept(*walk);
    EXPECT_TRUE(walk->run(kept));
    EXPECT_EQ(kept.items.size(), micros.size());
    const std::string profile = directory_ + "/p.jsonl";
    std::ofstream rows(profile);
    rows << R"({"row":"analysis","schema":)" << analyzers::kRowSchema << R"(,"command":"profile","capture_digest":")"
         << to_string(*digest_of_file(scene_.file.path()))
         << "\",\"devices\":[\"one\"],\"mode\":\"natural\",\"span\":\"the capture\"}\n";
    for (std::size_t i = 0; i < micros.size() && i < kept.items.size(); ++i)
      rows << R"({"row":"time","by":"command","item":"0:-","submit":)" << kept.items[i].work.submit << R"(,"record":)"
           << kept.items[i].work.record << R"(,"begin_ns":0,"min_ns":1,"median_ns":)" << 1000 * micros[i]
           << ",\"below_timer\":false,\"host\":false}\n";
    rows << "{\"row\":\"summary\"}\n";
    rows.close();
    std::vector<std::string> words{scene_.file.path(), "--profile", profile, "--chakra", directory_ + "/t"};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = analyzers::run_export(words);
    EXPECT_TRUE(done) << done.error().message;
    return read();
  }
  JsonText read(const std::string& options = "") const {
    int status = 0;
    const std::string said =
        output_of("python3 " RONDO_TEST_READERS "/chakra_reader.py " + options + directory_ + "/t.0.et 2>&1", status);
    EXPECT_EQ(status, 0) << said;
    const auto parsed = JsonText::parse(said.substr(0, said.find('\n')));
    EXPECT_TRUE(parsed) << said;
    return parsed ? *parsed : JsonText();
  }

  GraphScene scene_;
  VkDeviceMemory memory_{};
  VkCommandBuffer last_{};  // that is recorded
  std::uint64_t used_ = 0;
  std::string directory_;
};

TEST_F(ChakraFile, AChainTakesTheSumOfItsNodes) {
  const VkBuffer a = buffer(64), b = buffer(64);
  for (int i = 0; i < 1000; ++i) scene_.copy(scene_.commands, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, {0, 0, 64});
  const JsonText said = exported(std::vector<std::uint64_t>(1000, 10));
  EXPECT_EQ(said.number("/nodes"), 1000U);
  EXPECT_EQ(said.number("/issued"), 1000U);
  EXPECT_EQ(said.number("/total_ns"), 10'000'000U);
  // Each needs what the one before wrote; all else follows from that.
  EXPECT_EQ(said.number("/data"), 999U);
  EXPECT_EQ(said.number("/control"), 0U);
}

TEST_F(ChakraFile, ADiamondTakesItsLongestSide) {
  const VkBuffer a = buffer(64), b = buffer(64), c = buffer(64), d = buffer(64);
  scene_.copy(scene_.commands, a, b, {0, 0, 64});
  scene_.copy(scene_.commands, b, c, {0, 0, 32});
  scene_.copy(scene_.commands, b, c, {0, 32, 32});
  scene_.copy(scene_.commands, c, d, {0, 0, 64});
  const JsonText said = exported({10, 20, 50, 10});
  EXPECT_EQ(said.number("/total_ns"), 70'000U);
  EXPECT_EQ(said.number("/data"), 4U);
  EXPECT_EQ(said.number("/control"), 0U);
}

TEST_F(ChakraFile, NodesThatShareNothingHaveNoDependencies) {
  for (int i = 0; i < 3; ++i) scene_.copy(scene_.commands, buffer(64), buffer(64), {0, 0, 64});
  const JsonText said = exported({10, 30, 20});
  EXPECT_EQ(said.number("/total_ns"), 30'000U);
  EXPECT_EQ(said.number("/data"), 0U);
  EXPECT_EQ(said.number("/control"), 0U);
}

TEST_F(ChakraFile, WhatIsWrittenOverWaitsWithoutData) {
  const VkBuffer a = buffer(64), b = buffer(64), c = buffer(64);
  scene_.copy(scene_.commands, a, b, {0, 0, 64});
  scene_.copy(scene_.commands, c, a, {0, 0, 64});
  const JsonText said = exported({10, 20});
  EXPECT_EQ(said.number("/total_ns"), 30'000U);
  EXPECT_EQ(said.number("/data"), 0U);
  EXPECT_EQ(said.number("/control"), 1U);
}

// Many readers, all of which the next writer waits for: a join, which becomes dependencies of the writer alone.
TEST_F(ChakraFile, ManyReadersAreWaitedFor) {
  const VkBuffer a = buffer(64), c = buffer(64);
  std::vector<std::uint64_t> micros;
  for (int i = 0; i < 300; ++i) {
    scene_.copy(scene_.commands, a, buffer(64), {0, 0, 64});
    micros.push_back(1 + static_cast<std::uint64_t>(i));
  }
  scene_.copy(scene_.commands, c, a, {0, 0, 64});
  micros.push_back(5);
  const JsonText said = exported(micros);
  EXPECT_EQ(said.number("/nodes"), 301U);
  EXPECT_EQ(said.number("/control"), 300U);
  EXPECT_EQ(said.number("/total_ns"), 305'000U);
}

// The host writes between two copies. Without nodes of the host the second copy still comes after the first one, which
// read what the host writes over.
TEST_F(ChakraFile, WhatTheHostDoesBetweenStays) {
  const VkBuffer a = buffer(64), b = buffer(64), c = buffer(64);
  scene_.copy(scene_.commands, a, b, {0, 0, 64});
  scene_.submit(scene_.commands);
  scene_.host_write(memory_, 0, 64);
  const VkCommandBuffer second = scene_.command_buffer(0x21);
  scene_.begin(second);
  scene_.copy(second, a, c, {0, 0, 64});
  last_ = second;
  const JsonText said = exported({10, 0, 20});
  EXPECT_EQ(said.number("/nodes"), 2U);
  EXPECT_EQ(said.number("/control"), 1U);
  EXPECT_EQ(said.number("/total_ns"), 30'000U);
}

TEST(ChakraReader, TakesTheExampleOfTheSchema) {
  int status = 0;
  const std::string said = output_of(
      "python3 " RONDO_TEST_READERS
      "/chakra_reader.py --hex "
      "070a05312e302e30460801120f766b436d64436f707942756666657218043803520e0a0969735f6370755f6f70d80100520b0a076e756d5f"
      "6f"
      "7073480052100a0b74656e736f725f73697a656880208d010802120f64697370617463683a6d61746d756c18042a01013005380c422f0a17"
      "5b"
      "5b312c312c302c313032342c342c22766b3a30225d5d12085b5b313032345d5d1a0a5b22427566666572225d4a0c0a025b5d12025b5d1a02"
      "5b"
      "5d520e0a0969735f6370755f6f70d80100520e0a076e756d5f6f7073488080800152100a0b74656e736f725f73697a65688040",
      status);
  EXPECT_EQ(status, 0);
  const auto parsed = JsonText::parse(said);
  ASSERT_TRUE(parsed) << said;
  EXPECT_EQ(parsed->number("/nodes"), 2U);
  EXPECT_EQ(parsed->number("/total_ns"), 15'000U);
}

// What the reduced dependencies lead to is what all dependencies lead to, of both kinds, and of data alone.
TEST(ReducedDependencies, LeadToTheSameNodes) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    ReducedDependencies reduced;
    constexpr std::size_t kNodes = 60;
    std::vector<std::set<std::uint32_t>> all(kNodes), data_only(kNodes), all_kept(kNodes), data_kept(kNodes);
    std::vector<std::set<std::uint32_t>> kept(kNodes);
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      std::vector<std::uint32_t> data, control;
      for (std::uint32_t i = 0; node != 0 && i < random() % 6; ++i)
        (random() % 2 == 0 ? data : control).push_back(static_cast<std::uint32_t>(random() % node));
      const auto close = [&](auto& into, const auto& from) {
        for (const std::uint32_t one : from)
          into[node].insert(one), into[node].insert(into[one].begin(), into[one].end());
      };
      close(all, data), close(all, control), close(data_only, data);
      ASSERT_EQ(reduced.add(data, control), node);
      close(all_kept, data), close(all_kept, control), close(data_kept, data);
      EXPECT_TRUE(std::is_sorted(data.begin(), data.end()));
      // Nothing that is kept follows from the others.
      for (const std::uint32_t one : data)
        for (const std::uint32_t other : data) EXPECT_EQ(data_kept[other].count(one), 0U);
      for (const std::uint32_t one : control)
        for (const auto* kind : {&data, &control})
          for (const std::uint32_t other : *kind) EXPECT_EQ(all_kept[other].count(one), 0U);
    }
    EXPECT_EQ(all, all_kept) << seed;
    EXPECT_EQ(data_only, data_kept) << seed;
  }
}

}  // namespace
}  // namespace rondo::test
