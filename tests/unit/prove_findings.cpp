// SPDX-License-Identifier: Apache-2.0
// What is said of findings that were tried, with a player that says what the test wants.
#include <deque>

#include "tests/unit/prove_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
using prove::Played;

struct PretendedPlays final : prove::Plays {
  std::deque<Played> answers;                    // to compare(), in turn; the last one stays
  std::vector<std::vector<std::string>> played;  // the commands of each capture
  std::vector<std::unique_ptr<TemporaryFile>> files;

  Result<Played> compare(const std::string& capture, bool, std::uint64_t) override {
    played.push_back(ProveScene::commands_of(capture));
    const Played answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    return answer;
  }
  Result<std::optional<analyzers::RunResults>> time(const std::string&, bool) override {
    return std::optional<analyzers::RunResults>();
  }
  Result<std::string> path() override {
    files.push_back(std::make_unique<TemporaryFile>());
    return files.back()->path();
  }
};

Played same() { return {.end = Played::End::same, .devices = "a device"}; }
Played different() {
  return {.end = Played::End::different, .error = "differs", .first = {"VkBuffer#1", 64, 3}, .devices = "a device"};
}

struct Proven {
  std::vector<std::string> texts;  // "proven: …" of each finding
  std::string error;
  prove::Proofs proofs;
};

// Two barriers that are superfluous, by different causes, and a race.
struct FindingsScene : ProveScene {
  FindingsScene() {
    begin(commands);
    to = commands;
    fill(a);
    barrier({kClear, kWrite, kCopy, kRead});
    barrier({kCompute, kWrite, kCopy, kRead});
    barrier({kCompute, kWrite, kClear, kRead});
    copy(a, b);
    fill(b);
    GraphScene::submit(commands);
    capture.finish();
  }
  Proven prove(PretendedPlays& plays, std::uint64_t tries = 16) {
    Proven all;
    auto analysis = analyzers::SyncAnalysis::of(file.path());
    EXPECT_TRUE(analysis);
    std::vector<analyzers::SyncFinding*> findings;
    for (analyzers::SyncFinding& one : analysis->findings().all)
      if (one.rule == analyzers::SyncRule::race || one.rule == analyzers::SyncRule::superfluous)
        findings.push_back(&one);
    const auto proofs = rondo::prove::prove(*analysis, findings, {file.path(), {}, 5, tries}, plays);
    if (!proofs) {
      all.error = proofs.error().message;
      return all;
    }
    all.proofs = *proofs;
    for (const analyzers::SyncFinding* one : findings)
      all.texts.push_back(std::string(word_of(one->rule)) + (one->proof->is_proven ? " proven: " : " not proven: ") +
                          one->proof->text);
    return all;
  }
};

TEST(ProveFindings, TriesAllThatIsSuperfluousAtOnce) {
  FindingsScene scene;
  PretendedPlays plays;
  plays.answers = {same(), same(), different()};  // as it is; without both; reordered
  const Proven all = scene.prove(plays);
  ASSERT_EQ(all.error, "");
  EXPECT_EQ(all.texts,
            (std::vector<std::string>{
                "race proven: reordered, the first differing byte is VkBuffer#1 + 0x40 (after submit 3)",
                "superfluous proven: the bits are the same in 5 loops without it; 1 other finding changed at once",
                "superfluous proven: the bits are the same in 5 loops without it; 1 other finding changed at once"}));
  EXPECT_EQ(all.proofs.proven, 3u);
  EXPECT_EQ(all.proofs.devices, "a device");
  ASSERT_EQ(plays.played.size(), 3u);
  EXPECT_EQ(std::count(plays.played[0].begin(), plays.played[0].end(), "vkCmdPipelineBarrier2"), 3);
  EXPECT_EQ(std::count(plays.played[1].begin(), plays.played[1].end(), "vkCmdPipelineBarrier2"), 1);
}

TEST(ProveFindings, TriesOneByOneWhereTogetherTheyDiffer) {
  FindingsScene scene;
  PretendedPlays plays;
  // As it is; both; the first; the second; the race.
  plays.answers = {same(), different(), same(), different(), same(), same()};
  const Proven all = scene.prove(plays);
  ASSERT_EQ(all.error, "");
  EXPECT_EQ(all.texts,
            (std::vector<std::string>{
                "race not proven: the bits are the same in 5 loops reordered",
                "superfluous proven: the bits are the same in 5 loops without it",
                "superfluous not proven: the bits are others without it: VkBuffer#1 + 0x40 (after submit 3)"}));
  EXPECT_EQ(std::count(plays.played[2].begin(), plays.played[2].end(), "vkCmdPipelineBarrier2"), 2);
  EXPECT_EQ(std::count(plays.played[3].begin(), plays.played[3].end(), "vkCmdPipelineBarrier2"), 2);
}

TEST(ProveFindings, ProvesNothingWhereTheCaptureItselfDiffers) {
  FindingsScene scene;
  PretendedPlays plays;
  plays.answers = {different()};
  Proven all = scene.prove(plays);
  ASSERT_EQ(all.error, "");
  ASSERT_EQ(all.texts.size(), 3u);
  EXPECT_NE(all.texts[0].find("not proven: the capture as it is gives other bits here"), std::string::npos);
  plays.answers.front().is_unstable = true;
  all = scene.prove(plays);
  EXPECT_NE(all.texts[2].find("from one replay to the next"), std::string::npos);
  EXPECT_EQ(all.proofs.proven, 0u);

  plays.answers = {{.end = Played::End::nothing, .error = "no checkpoint"}};
  EXPECT_NE(scene.prove(plays).error.find("--prove: no checkpoint"), std::string::npos);
  plays.answers = {{.end = Played::End::failed, .error = "no device"}};
  EXPECT_NE(scene.prove(plays).error.find("cannot play it as it is: no device"), std::string::npos);
}

TEST(ProveFindings, StopsAtItsLimit) {
  FindingsScene scene;
  PretendedPlays plays;
  plays.answers = {same()};
  const Proven all = scene.prove(plays, 1);
  EXPECT_EQ(all.proofs.tried, 1u);
  EXPECT_EQ(all.proofs.not_tried, 2u);
  EXPECT_NE(all.texts[2].find("it was not tried: 1 are tried (--tries)"), std::string::npos);
}

TEST(ProveFindings, FindsTheFirstByteInAReport) {
  const prove::Difference buffer = prove::parse_difference(
      "record 80 (frame 0, after submit 3, record 60): VkBuffer#7 \"out\" bytes 16 to 64: bytes 20 to 24: captured "
      "00000000, replayed 00000100; 1 of 48 bytes differ, the last at 22");
  EXPECT_EQ(buffer.object, "VkBuffer#7 \"out\"");
  EXPECT_EQ(buffer.byte, 22u);
  EXPECT_EQ(buffer.submit, 3u);
  const prove::Difference image = prove::parse_difference(
      "record 8 (frame 0, before the first submit): VkImage#1 mip 0 layer 2: pixel (3, 4): captured (r 1), replayed "
      "(r 2); 1 of 4 pixels differ");
  EXPECT_EQ(image.object, "VkImage#1 mip 0 layer 2 pixel (3, 4)");
  EXPECT_EQ(image.byte, std::nullopt);
  EXPECT_EQ(image.submit, std::nullopt);
  const prove::Difference digest = prove::parse_difference(
      "record 8 (frame 0, after submit 0, record 7): VkBuffer#1 bytes 0 to 8: captured 00ff, replayed 11ff (digests: "
      "RONDO_CHECKPOINTS=submit keeps the contents)");
  EXPECT_EQ(digest.object, "VkBuffer#1");
  EXPECT_EQ(digest.byte, std::nullopt);
  EXPECT_EQ(prove::parse_difference("record 9: what the host copied out of VkImage#0").object, "");
  EXPECT_EQ(prove::parse_difference("").object, "");
}

}  // namespace
}  // namespace rondo
