// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "player/run/substitutes.h"

namespace rondo::test {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t kSize = 32;

// Like a descriptor with a pointer in its middle.
Bytes descriptor(std::uint8_t what, std::uint8_t pointer) {
  Bytes bytes(kSize, std::byte{what});
  std::fill_n(bytes.begin() + 12, 6, std::byte{pointer});
  return bytes;
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class Substitutes : public testing::Test {
 protected:
  const Bytes captured_ = descriptor(1, 2), here_ = descriptor(1, 3);
  const Bytes other_captured_ = descriptor(1, 4), other_here_ = descriptor(1, 5);
  player::Substitutes substitutes_;

  Bytes here(Bytes bytes) const {
    substitutes_.put_here(bytes);
    return bytes;
  }
  Bytes captured(Bytes bytes) const {
    substitutes_.put_captured(bytes);
    return bytes;
  }
};

TEST_F(Substitutes, WhatIsTheSameIsLeftAlone) {
  substitutes_.learn(captured_, captured_);
  EXPECT_TRUE(substitutes_.empty());
  EXPECT_EQ(here(captured_), captured_);
}

TEST_F(Substitutes, AreFoundAtEveryMultipleOfFourAndPutBack) {
  substitutes_.learn(captured_, here_);
  substitutes_.learn(other_captured_, other_here_);
  EXPECT_EQ(substitutes_.longest(), kSize);
  for (const std::size_t gap : {0, 4, 8, 12, 60}) {
    const Bytes as_captured = joined({Bytes(gap), captured_, other_captured_, Bytes(gap), captured_});
    const Bytes as_here = joined({Bytes(gap), here_, other_here_, Bytes(gap), here_});
    EXPECT_EQ(here(as_captured), as_here) << gap;
    EXPECT_EQ(captured(as_here), as_captured) << gap;
  }
}

TEST_F(Substitutes, PartsAndWhatLiesElsewhereAreNoneOfThem) {
  substitutes_.learn(captured_, here_);
  for (const Bytes& bytes : {joined({Bytes(2), captured_}), Bytes(captured_.begin(), captured_.end() - 1),
                             Bytes(captured_.begin() + 4, captured_.end()), Bytes(7), Bytes()})
    EXPECT_EQ(here(bytes), bytes);
}

TEST_F(Substitutes, WhatIsReplacedIsNotLookedAtAgain) {
  substitutes_.learn(captured_, here_);
  substitutes_.learn(here_, captured_);  // a driver that has swapped the two
  EXPECT_EQ(here(joined({captured_, here_})), joined({here_, captured_}));
  EXPECT_EQ(captured(joined({here_, captured_})), joined({captured_, here_}));
}

TEST_F(Substitutes, TheLastBytesMayBeAllThatDiffers) {
  Bytes end = captured_;
  end.back() = std::byte{9};
  substitutes_.learn(captured_, end);
  EXPECT_EQ(here(joined({captured_, captured_})), joined({end, end}));
}

TEST_F(Substitutes, OtherBytesForTheSameOnesAreAChange) {
  EXPECT_FALSE(substitutes_.changes(captured_, here_));
  substitutes_.learn(captured_, here_);
  EXPECT_FALSE(substitutes_.changes(captured_, here_));
  EXPECT_TRUE(substitutes_.changes(captured_, other_here_));
  substitutes_.learn(captured_, other_here_);
  EXPECT_EQ(here(captured_), other_here_);
  EXPECT_EQ(captured(other_here_), captured_);
  EXPECT_EQ(captured(here_), here_);  // nobody's any more
}

TEST_F(Substitutes, WhatWasTheSameAndIsNoMoreIsAChange) {
  substitutes_.learn(captured_, captured_);
  EXPECT_TRUE(substitutes_.changes(captured_, here_));
  EXPECT_FALSE(substitutes_.changes(captured_, captured_));
}

TEST_F(Substitutes, OfTwoThatAreOneHereTheLastIsPutBack) {
  substitutes_.learn(captured_, here_);
  substitutes_.learn(other_captured_, here_);
  EXPECT_EQ(captured(here_), other_captured_);
}

TEST_F(Substitutes, OfTwoThatAreOneHereAPlaceGetsItsOwnBack) {
  substitutes_.learn(captured_, here_);
  Bytes memory = joined({Bytes(8), captured_});
  substitutes_.put_here(memory, {3, 64});
  substitutes_.learn(other_captured_, here_);
  const auto as_captured = [&](player::Substitutes::Place place) {
    Bytes bytes = memory;
    substitutes_.put_captured(bytes, place);
    return bytes;
  };
  const Bytes own = joined({Bytes(8), captured_}), last = joined({Bytes(8), other_captured_});
  EXPECT_EQ(as_captured({3, 64}), own);
  EXPECT_EQ(as_captured({3, 32}), last);  // another place, another memory
  EXPECT_EQ(as_captured({4, 64}), last);
  Bytes again = last;
  substitutes_.put_here(again, {3, 64});
  EXPECT_EQ(again, memory);
  EXPECT_EQ(as_captured({3, 64}), last);
  EXPECT_TRUE(substitutes_.places_of(captured_).empty());
}

TEST_F(Substitutes, PlacesAreKnownUntilTheirMemoryIsGone) {
  substitutes_.learn(captured_, here_);
  EXPECT_TRUE(substitutes_.here_of(other_captured_).empty());
  EXPECT_TRUE(std::ranges::equal(substitutes_.here_of(captured_), here_));
  Bytes memory = joined({captured_, Bytes(8), captured_});
  substitutes_.put_here(memory, {3, 64});
  Bytes other = captured_;
  substitutes_.put_here(other, {4, 0});
  EXPECT_EQ(substitutes_.places_of(captured_).size(), 3u);
  substitutes_.forget_places(3);
  const auto left = substitutes_.places_of(captured_);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].memory, 4u);
  EXPECT_EQ(left[0].offset, 0u);
}

}  // namespace
}  // namespace rondo::test
