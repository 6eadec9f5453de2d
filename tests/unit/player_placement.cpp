// SPDX-License-Identifier: Apache-2.0
// Allocations laid out for a device that asks for other sizes and alignments.
#include <gtest/gtest.h>

#include "player/run/placement.h"

namespace rondo::player {
namespace {

Need need(std::uint32_t resource, VkDeviceSize offset, VkDeviceSize captured, VkDeviceSize bytes,
          VkDeviceSize alignment = 1) {
  Need n;
  n.resource = resource;
  n.name = "resource " + std::to_string(resource);
  n.captured_offset = offset;
  n.captured_bytes = captured;
  n.bytes = bytes;
  n.alignment = alignment;
  return n;
}

std::vector<Piece> pieces(const Placement& placement, VkDeviceSize offset, VkDeviceSize bytes) {
  std::vector<Piece> out;
  pieces_of(placement, offset, bytes, out);
  return out;
}

TEST(Placement, KeepsOffsetsThatFit) {
  const auto placement = lay_out(1024, false, {need(1, 0, 512, 512, 256), need(2, 512, 512, 500, 256)}, 1);
  ASSERT_TRUE(placement);
  EXPECT_FALSE(placement->moved);
  EXPECT_EQ(placement->bytes, 1024u);
  const auto all = pieces(*placement, 100, 800);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].to, 100u);
}

TEST(Placement, MovesTheNeighbourOfALargerResource) {
  const auto placement = lay_out(1024, false, {need(1, 0, 512, 700), need(2, 512, 512, 512, 256)}, 1);
  ASSERT_TRUE(placement);
  ASSERT_TRUE(placement->moved);
  EXPECT_EQ(placement->offsets.at(1), 0u);
  EXPECT_EQ(placement->offsets.at(2), 768u);
  EXPECT_GE(placement->bytes, 768u + 512u);
}

TEST(Placement, RoutesAWriteAcrossTwoResourcesToBoth) {
  const auto placement = lay_out(1024, false, {need(1, 0, 512, 700), need(2, 512, 512, 512, 256)}, 1);
  ASSERT_TRUE(placement);
  const auto all = pieces(*placement, 500, 24);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].from, 0u);
  EXPECT_EQ(all[0].to, 500u);
  EXPECT_EQ(all[0].bytes, 12u);
  EXPECT_EQ(all[1].from, 12u);
  EXPECT_EQ(all[1].to, 768u);
  EXPECT_EQ(all[1].bytes, 12u);
}

TEST(Placement, KeepsBytesThatNothingIsBoundTo) {
  const auto placement = lay_out(4096, false, {need(1, 1024, 512, 512, 2048)}, 1);
  ASSERT_TRUE(placement);
  ASSERT_TRUE(placement->moved);
  EXPECT_EQ(placement->offsets.at(1) % 2048, 0u);
  VkDeviceSize covered = 0;
  for (const Piece& piece : pieces(*placement, 0, 4096)) {
    EXPECT_EQ(piece.from, covered);
    EXPECT_LE(piece.to + piece.bytes, placement->bytes);
    covered += piece.bytes;
  }
  EXPECT_EQ(covered, 4096u);
}

TEST(Placement, KeepsAliasedResourcesTogether) {
  const auto placement =
      lay_out(2048, false, {need(1, 0, 300, 600), need(2, 512, 1024, 1024, 256), need(3, 768, 256, 256, 256)}, 1);
  ASSERT_TRUE(placement);
  ASSERT_TRUE(placement->moved);
  EXPECT_EQ(placement->offsets.at(3) - placement->offsets.at(2), 256u);
}

TEST(Placement, RefusesAliasesThatTheAlignmentForbids) {
  const auto placement = lay_out(2048, false, {need(1, 512, 1024, 1024, 256), need(2, 768, 256, 256, 512)}, 1);
  ASSERT_FALSE(placement);
  EXPECT_EQ(placement.error().status, Status::device);
  EXPECT_NE(placement.error().message.find("resource 2"), std::string::npos);
}

TEST(Placement, LetsResourcesOfDifferentTimesGrowOverEachOther) {
  Need first = need(1, 0, 512, 700), second = need(2, 512, 512, 512);
  first.born = 1;
  first.died = 10;
  second.born = 20;
  const auto placement = lay_out(1024, false, {first, second}, 1);
  ASSERT_TRUE(placement);
  EXPECT_FALSE(placement->moved);
}

TEST(Placement, KeepsLinearAndOptimalPagesApart) {
  Need buffer = need(1, 0, 512, 512), image = need(2, 512, 512, 512);
  image.linear = false;
  const auto placement = lay_out(1024, false, {buffer, image}, 4096);
  ASSERT_TRUE(placement);
  ASSERT_TRUE(placement->moved);
  EXPECT_EQ(placement->offsets.at(2), 4096u);
}

TEST(Placement, GivesADedicatedAllocationItsResourcesSize) {
  const auto placement = lay_out(4096, true, {need(1, 0, 4096, 8192, 256)}, 1);
  ASSERT_TRUE(placement);
  EXPECT_EQ(placement->bytes, 8192u);
}

// … and nothing is written behind it, wherever the program wrote.
TEST(Placement, EndsWritesWithADedicatedAllocationThatIsSmallerHere) {
  for (const VkDeviceSize alignment : {1u, 4096u}) {  // as it lay, and moved
    const auto placement = lay_out(1 << 20, true, {need(1, 1024, 512, 600, alignment)}, 1);
    ASSERT_TRUE(placement);
    EXPECT_EQ(placement->moved, alignment != 1);
    EXPECT_EQ(placement->bytes, 600u);
    for (const Piece& piece : pieces(*placement, 0, 1 << 20)) EXPECT_LE(piece.to + piece.bytes, placement->bytes);
    EXPECT_TRUE(pieces(*placement, 1 << 19, 64).empty());
  }
}

TEST(Placement, RepitchesTheRowsOfALinearImage) {
  Need image = need(1, 0, 4 * 256, 4 * 320);
  image.captured_rows = {256, 0};
  image.rows = {320, 64};
  const auto placement = lay_out(1024, false, {image}, 1);
  ASSERT_TRUE(placement);
  ASSERT_TRUE(placement->moved);
  const auto all = pieces(*placement, 250, 300);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].to, 64u + 250u);
  EXPECT_EQ(all[0].bytes, 6u);
  EXPECT_EQ(all[1].to, 64u + 320u);
  EXPECT_EQ(all[1].bytes, 256u);
  EXPECT_EQ(all[2].to, 64u + 640u);
  EXPECT_EQ(all[2].bytes, 38u);
}

VkPhysicalDeviceMemoryProperties table(std::initializer_list<VkMemoryPropertyFlags> flags) {
  VkPhysicalDeviceMemoryProperties properties{};
  for (const VkMemoryPropertyFlags f : flags) properties.memoryTypes[properties.memoryTypeCount++].propertyFlags = f;
  return properties;
}

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

TEST(MemoryType, IsTheOneWithTheCapturedProperties) {
  const auto gpu = table({kLocal, kVisible | kCoherent, kLocal | kVisible | kCoherent});
  const VkMemoryPropertyFlags wanted = kLocal | kVisible | kCoherent;
  EXPECT_EQ(choose_memory_type(gpu, 7, &wanted, false), 2u);
  const VkMemoryPropertyFlags local = kLocal;
  EXPECT_EQ(choose_memory_type(gpu, 7, &local, false), 0u);
}

// A software driver's one type is all of it.
TEST(MemoryType, IsLocalWhereTheHostDoesNothing) {
  constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const VkMemoryPropertyFlags wanted = kLocal | kVisible | kCoherent | kCached;
  const auto gpu = table({kVisible | kCoherent, kVisible | kCoherent | kCached, kLocal, kLocal | kVisible | kCoherent});
  EXPECT_EQ(choose_memory_type(gpu, 15, &wanted, false), 2u);
  EXPECT_NE(choose_memory_type(gpu, 15, &wanted, true), 2u);
  const auto own = table({kLocal, wanted});
  EXPECT_EQ(choose_memory_type(own, 3, &wanted, false), 1u);
}

TEST(MemoryType, IsVisibleWhereTheHostWrites) {
  const auto gpu = table({kLocal, kVisible | kCoherent});
  const VkMemoryPropertyFlags wanted = kLocal | kVisible | kCoherent;
  EXPECT_EQ(choose_memory_type(gpu, 3, &wanted, true), 1u);
  EXPECT_EQ(choose_memory_type(gpu, 1, &wanted, true), UINT32_MAX);
}

TEST(MemoryType, IsNeverLazyUnasked) {
  const auto gpu = table({kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, kVisible});
  const VkMemoryPropertyFlags wanted = kLocal;
  EXPECT_EQ(choose_memory_type(gpu, 3, &wanted, false), 1u);
}

}  // namespace
}  // namespace rondo::player
