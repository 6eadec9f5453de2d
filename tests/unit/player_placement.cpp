// SPDX-License-Identifier: Apache-2.0
// Allocations laid out for a device that asks for other sizes and alignments.
#include <gtest/gtest.h>

#include "player/placement.h"

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

std::vector<Piece> pieces(const Placement& placement, VkDeviceSize offset, VkDeviceSize bytes,
                          Access access = Access::write, std::uint64_t sequence = 1) {
  std::vector<Piece> out;
  pieces_of(placement, offset, bytes, access, sequence, out);
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

// A sub-allocator's block, from which the second takes bytes that the first gave back.
class ReusedBytes : public ::testing::Test {
 protected:
  static Need living(Need n, std::uint64_t born, std::uint64_t died = 0) {
    n.born = born;
    n.died = died;
    return n;
  }
  // Where one byte is.
  static std::vector<VkDeviceSize> places(const Placement& placement, VkDeviceSize offset, Access access,
                                          std::uint64_t sequence) {
    std::vector<VkDeviceSize> all;
    for (const Piece& piece : pieces(placement, offset, 1, access, sequence)) all.push_back(piece.to);
    return all;
  }
};

TEST_F(ReusedBytes, GoToTheResourceThatLivesAtTheTime) {
  const auto placement = lay_out(
      4096, false, {living(need(1, 0, 1024, 1024, 512), 10, 20), living(need(2, 256, 512, 512, 512), 30)}, 1);
  ASSERT_TRUE(placement) << placement.error().message;
  ASSERT_TRUE(placement->in_time);
  EXPECT_EQ(placement->offsets.at(2) % 512, 0u);
  const VkDeviceSize in_first = placement->offsets.at(1) + 300, in_second = placement->offsets.at(2) + 44;
  using Places = std::vector<VkDeviceSize>;
  EXPECT_EQ(places(*placement, 300, Access::write, 15), Places{in_first});
  // Written before anything is bound: for the one that comes.
  EXPECT_EQ(places(*placement, 300, Access::write, 25), Places{in_second});
  EXPECT_EQ(places(*placement, 300, Access::write, 35), Places{in_second});
  EXPECT_EQ(places(*placement, 300, Access::read, 15), Places{in_first});
  EXPECT_EQ(places(*placement, 300, Access::read, 25), Places{});
  EXPECT_EQ(places(*placement, 300, Access::read, 35), Places{in_second});
  // Nobody's, at any time.
  EXPECT_EQ(places(*placement, 2000, Access::read, 25).size(), 1u);
}

TEST_F(ReusedBytes, HaveOnePlaceForWhatNeverLivesTogether) {
  std::vector<Need> needs;
  for (std::uint32_t i = 0; i < 100; ++i)
    needs.push_back(living(need(i, i % 2 * 256, 1024, 1024, 4096), 10 * i + 1, 10 * i + 5));
  const auto placement = lay_out(4096, false, needs, 1);
  ASSERT_TRUE(placement) << placement.error().message;
  EXPECT_LE(placement->bytes, 4 * 4096u);
}

TEST_F(ReusedBytes, KeepApartWhatLivesTogether) {
  std::vector<Need> needs;
  for (std::uint32_t i = 0; i < 60; ++i)
    needs.push_back(living(need(i, i * 7 % 13 * 256, 256 + i % 3 * 64, 256 + i % 5 * 128, 1024), 10 * i + 1,
                           10 * i + 1 + i % 4 * 10));
  for (Need& n : needs)
    for (const Need& other : needs)  // a real program's do not overlap while both live
      if (n.resource != other.resource && other.captured_bytes != 0 && n.captured_bytes != 0 &&
          n.captured_offset < other.captured_offset + other.captured_bytes &&
          other.captured_offset < n.captured_offset + n.captured_bytes && n.born < other.died &&
          other.born < n.died)
        n.died = n.born;
  const auto placement = lay_out(4096, false, needs, 1);
  ASSERT_TRUE(placement) << placement.error().message;
  for (const Need& a : needs) {
    const VkDeviceSize at = placement->offsets.at(a.resource);
    EXPECT_EQ(at % 1024, 0u);
    EXPECT_LE(at + a.bytes, placement->bytes);
    for (const Need& b : needs) {
      const VkDeviceSize there = placement->offsets.at(b.resource);
      const bool together = a.resource != b.resource && a.born < b.died && b.born < a.died;
      EXPECT_FALSE(together && at < there + b.bytes && there < at + a.bytes)
          << a.resource << " and " << b.resource;
    }
  }
}

// What was written to bytes of its own before it was bound is not lost to what lives beside it.
TEST_F(ReusedBytes, AreReservedForWhatHasSomeOfThemFromTheBeginning) {
  const auto placement =
      lay_out(8192, false,
              {living(need(1, 0, 1024, 1024, 512), 10, 20), living(need(2, 256, 4096, 4096, 512), 30)}, 1);
  ASSERT_TRUE(placement) << placement.error().message;
  EXPECT_EQ(places(*placement, 2000, Access::write, 5),
            std::vector<VkDeviceSize>{placement->offsets.at(2) + 2000 - 256});
  EXPECT_GE(placement->offsets.at(2), placement->offsets.at(1) + 1024);
}

TEST(Pieces, CoverBytesOnce) {
  const std::vector<Piece> all = {{10, 0, 10}, {0, 0, 5}, {15, 0, 10}, {16, 0, 2}};
  EXPECT_EQ(covered_by(all), 5u + 15u);
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
    for (const Piece& piece : pieces(*placement, 0, 1 << 20))
      EXPECT_LE(piece.to + piece.bytes, placement->bytes);
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
  const auto gpu =
      table({kVisible | kCoherent, kVisible | kCoherent | kCached, kLocal, kLocal | kVisible | kCoherent});
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
