// SPDX-License-Identifier: Apache-2.0
// Pages that several imports share in a replay.
#include <gtest/gtest.h>

#include <cstring>

#include "player/shared_pages.h"

namespace rondo::player {
namespace {

constexpr std::uint64_t kPage = 4096;

bool all_are(const std::byte* from, std::uint64_t bytes, int value) {
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (from[i] != static_cast<std::byte>(value)) return false;
  return true;
}

// A capture tells what differs from zeros when an import begins.
TEST(SharedPagesOfImports, BeginAsZerosWhereNobodyUsesThem) {
  const auto pages = SharedPages::map(8 * kPage, kPage);
  ASSERT_NE(pages, nullptr);
  const auto fill = [&] { std::memset(pages->at(0), 1, 8 * kPage); };
  PagesInUse first(pages, 0, 4 * kPage);
  fill();
  PagesInUse second(pages, 2 * kPage, 4 * kPage);
  EXPECT_TRUE(all_are(pages->at(0), 4 * kPage, 1));
  EXPECT_TRUE(all_are(pages->at(4 * kPage), 2 * kPage, 0));
  EXPECT_TRUE(all_are(pages->at(6 * kPage), 2 * kPage, 1));
  fill();
  first = {};  // leaves [2, 6) in use
  const PagesInUse third(pages, kPage, 7 * kPage);
  EXPECT_TRUE(all_are(pages->at(0), kPage, 1));
  EXPECT_TRUE(all_are(pages->at(kPage), kPage, 0));
  EXPECT_TRUE(all_are(pages->at(2 * kPage), 4 * kPage, 1));
  EXPECT_TRUE(all_are(pages->at(6 * kPage), 2 * kPage, 0));
}

TEST(SharedPagesOfImports, LieAtMultiplesOfWhatADeviceImports) {
  for (const std::uint64_t granule : {kPage, 16 * kPage}) {
    const auto pages = SharedPages::map(32 * kPage, granule);
    ASSERT_NE(pages, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->at(0)) % granule, 0u);
  }
  EXPECT_EQ(SharedPages::map(UINT64_MAX, kPage), nullptr);
  EXPECT_EQ(SharedPages::map(std::uint64_t{1} << 60, kPage), nullptr);
}

}  // namespace
}  // namespace rondo::player
