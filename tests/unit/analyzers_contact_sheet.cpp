// SPDX-License-Identifier: Apache-2.0
// Where the pictures of a contact sheet lie.
#include <gtest/gtest.h>

#include "analyzers/text/contact_sheet.h"

namespace rondo::analyzers {
namespace {

constexpr std::uint32_t kCell = ContactSheet::kSide + ContactSheet::kGap;
constexpr std::uint32_t kTop = ContactSheet::kGap + ContactSheet::kLabel;

player::Picture plain(std::uint32_t width, std::uint32_t height, int value) {
  return {width, height, std::vector<std::byte>(std::size_t{width} * height * 3, static_cast<std::byte>(value))};
}

int at(const player::Picture& picture, std::uint32_t x, std::uint32_t y) {
  return std::to_integer<int>(picture.rgb.at((std::size_t{y} * picture.width + x) * 3));
}

TEST(ContactSheet, HasEightPicturesInARow) {
  ContactSheet sheet;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto cell = sheet.add(plain(160, 160, 100 + static_cast<int>(i)), i);
    ASSERT_TRUE(cell);
    EXPECT_EQ(cell->row, i / 8);
    EXPECT_EQ(cell->column, i % 8);
  }
  const player::Picture picture = sheet.picture();
  EXPECT_EQ(picture.width, 8 * 168u + 8);
  EXPECT_EQ(picture.height, 2 * 184u + 8);
  ASSERT_EQ(picture.rgb.size(), std::size_t{picture.width} * picture.height * 3);
  EXPECT_EQ(at(picture, 8, kTop), 100);
  EXPECT_EQ(at(picture, 8 + 7 * kCell + 159, kTop + 159), 107);
  EXPECT_EQ(at(picture, 8 + kCell, kTop + 184), 109);
  EXPECT_EQ(at(picture, 7, kTop), 0x30) << "the gap";
}

TEST(ContactSheet, CentersPicturesThatAreNoSquares) {
  ContactSheet sheet;
  sheet.add(plain(160, 40, 200), 0);
  const player::Picture picture = sheet.picture();
  EXPECT_EQ(picture.width, 168u + 8);
  EXPECT_EQ(at(picture, 8, kTop + 59), 0x30);
  EXPECT_EQ(at(picture, 8, kTop + 60), 200);
  EXPECT_EQ(at(picture, 8, kTop + 99), 200);
  EXPECT_EQ(at(picture, 8, kTop + 100), 0x30);
}

// A 1 of squares of 2 x 2 pixels: the middle column, and a foot.
TEST(ContactSheet, WritesTheNumberAbove) {
  ContactSheet sheet;
  sheet.add(plain(1, 1, 0), 11);
  const player::Picture picture = sheet.picture();
  for (const std::uint32_t left : {8u, 16u}) {
    EXPECT_EQ(at(picture, left + 2, 8), 255);
    EXPECT_EQ(at(picture, left + 3, 17), 255);
    EXPECT_EQ(at(picture, left, 8), 0x30);
    EXPECT_EQ(at(picture, left, 17), 255);
    EXPECT_EQ(at(picture, left + 5, 16), 255);
    EXPECT_EQ(at(picture, left + 5, 8), 0x30);
  }
}

TEST(ContactSheet, SaysHowManyAreLeftOut) {
  ContactSheet sheet;
  for (std::uint32_t i = 0; i < 512; ++i) EXPECT_TRUE(sheet.add(plain(1, 1, 0), i));
  EXPECT_FALSE(sheet.add(plain(1, 1, 0), 512));
  EXPECT_EQ(sheet.cells(), 512u);
  EXPECT_EQ(sheet.left_out(), 1u);
}

}  // namespace
}  // namespace rondo::analyzers
