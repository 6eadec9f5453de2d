// SPDX-License-Identifier: Apache-2.0
// Parts of images, resets of events, and chains that make nothing visible. The right answers come from the
// specification: "Copying Data Between Buffers and Images", vkCmdResetEvent2 (VUID 03832), "Memory Dependencies".
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
using Found = std::vector<std::string>;

template <class Record>
Found found_with(const Record& record) {
  SyncScene s;
  s.go(s.commands);
  record(s);
  s.GraphScene::submit(s.commands);
  return s.findings();
}

// Columns [begin, end) of an image of 16 by 16 texels.
struct Columns {
  std::int32_t begin;
  std::uint32_t end;
};

void upload(SyncScene& s, VkImage image, const std::vector<Columns>& all) {
  std::vector<VkBufferImageCopy> regions;
  for (const Columns& one : all)
    regions.push_back({0,
                       0,
                       0,
                       {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                       {one.begin, 0, 0},
                       {one.end - static_cast<std::uint32_t>(one.begin), 16, 1}});
  s.record(CommandId::vkCmdCopyBufferToImage,
           args_vkCmdCopyBufferToImage{s.to, s.a, image, VK_IMAGE_LAYOUT_GENERAL,
                                       static_cast<std::uint32_t>(regions.size()), regions.data()});
}

VkImage bound_image(SyncScene& s) {
  const VkImage made = s.image(0x401, VK_FORMAT_R8_UNORM);
  s.bind(made, s.memory(0x201, 65536), 0);
  return made;
}

TEST(SyncParts, CopiesToOtherTexelsNeedNoOrder) {
  const auto found = [](const std::vector<Columns>& first, const std::vector<Columns>& second) {
    SyncScene s;
    const VkImage image = bound_image(s);
    s.go(s.commands);
    upload(s, image, first);
    upload(s, image, second);
    s.GraphScene::submit(s.commands);
    return s.findings();
  };
  EXPECT_EQ(found({{0, 8}}, {{8, 16}}), Found{});
  EXPECT_EQ(found({{0, 9}}, {{8, 16}}), Found{"WAW c0 c1"});
  EXPECT_EQ(found({{0, 16}}, {{0, 16}}), Found{"WAW c0 c1"});
  // What lies between the regions of a command counts as written by it.
  EXPECT_EQ(found({{0, 2}, {14, 16}}, {{4, 8}}), Found{"WAW c0 c1"});
  EXPECT_EQ(found({{0, 2}, {4, 6}}, {{6, 8}, {8, 16}}), Found{});
}

// The graph keeps only the last write of a subresource. So the read needs the second copy, and the second copy needs
// the first one. The barrier between both copies must stay.
TEST(SyncParts, ABarrierBetweenCopiesToOtherTexelsIsKept) {
  SyncScene s;
  const VkImage image = bound_image(s);
  s.go(s.commands);
  upload(s, image, {{0, 8}});
  s.barrier({kCopy, kWrite, kCopy, kWrite});
  upload(s, image, {{8, 16}});
  s.barrier({kCopy, kWrite, kCopy, kRead});
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {16, 16, 1}};
  s.record(CommandId::vkCmdCopyImageToBuffer,
           args_vkCmdCopyImageToBuffer{s.to, image, VK_IMAGE_LAYOUT_GENERAL, s.b, 1, &region});
  s.GraphScene::submit(s.commands);
  for (const std::string& one : s.findings()) EXPECT_EQ(one.find("superfluous"), std::string::npos) << one;
}

// Between a wait for an event and its reset there must be an execution dependency.
TEST(SyncParts, TheLastBarrierBeforeTheResetOfAnEventIsKept) {
  const auto found = [](int barriers, bool resets) {
    return found_with([&](SyncScene& s) {
      s.fill(s.a);
      s.barrier({kClear, kWrite, kCopy, kRead}, CommandId::vkCmdSetEvent2);
      s.barrier({kClear, kWrite, kCopy, kRead}, CommandId::vkCmdWaitEvents2);
      s.copy(s.a, s.b);
      for (int i = 0; i < barriers; ++i) s.barrier({kCopy, 0, kAllStages, 0});
      if (resets)
        s.record(CommandId::vkCmdResetEvent2, args_vkCmdResetEvent2{s.to, s.event, kAllStages});
      else
        s.fill(s.c);
    });
  };
  EXPECT_EQ(found(1, true), Found{});
  EXPECT_EQ(found(2, true), Found{"superfluous c4"});
  EXPECT_EQ(found(1, false), Found{"superfluous c4"});
}

// Both barriers order the commands, by a stage in which nothing happens. But what was written is not made available.
TEST(SyncParts, AChainThatMakesNothingVisibleIsIneffective) {
  EXPECT_EQ(found_with([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, 0, scene::kCompute, 0});
              s.barrier({scene::kCompute, 0, kCopy, 0});
              s.copy(s.a, s.b);
            }),
            (Found{"RAW c0 c3", "ineffective c1 RAW c0 c3", "ineffective c2 RAW c0 c3"}));
}

}  // namespace
}  // namespace rondo
