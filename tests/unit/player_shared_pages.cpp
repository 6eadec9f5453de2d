// SPDX-License-Identifier: Apache-2.0
// Pages that several imports share in a replay.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "player/plan/shared_pages.h"

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

using Of = std::vector<std::uint32_t>;
constexpr std::uint32_t kAlone = ImportGroups::alone;

TEST(SharedPagesOfImports, AreThoseThatOverlapAtOneTimeOnOneDevice) {
  const CapturedImport imports[] = {
      {0, 100, 200, 1, 10},   // with the next
      {0, 150, 300, 2, 0},    //
      {0, 200, 250, 20, 30},  // … which lives on: through it with the first
      {0, 100, 150, 10, 20},  // the first is gone
      {1, 100, 300, 3, 0},    // another device
      {0, 300, 400, 3, 0},    // beside them
  };
  const ImportGroups found = group(imports);
  EXPECT_EQ(found.of, (Of{0, 0, 0, kAlone, kAlone, kAlone}));
  ASSERT_EQ(found.pages.size(), 1u);
  EXPECT_EQ(found.pages[0].begin, 100u);
  EXPECT_EQ(found.pages[0].end, 300u);
}

TEST(SharedPagesOfImports, GroupsThatMeetAreOne) {
  const CapturedImport imports[] = {
      {0, 100, 200, 1, 0}, {0, 100, 200, 2, 0}, {0, 500, 600, 3, 0}, {0, 550, 600, 4, 0},
      {0, 900, 950, 5, 0}, {0, 920, 930, 6, 0}, {0, 199, 501, 7, 0},
  };
  const ImportGroups found = group(imports);
  EXPECT_EQ(found.of, (Of{0, 0, 0, 0, 1, 1, 0}));
  ASSERT_EQ(found.pages.size(), 2u);
  EXPECT_EQ(found.pages[0].begin, 100u);
  EXPECT_EQ(found.pages[0].end, 600u);
}

// One after the other at one address, as a program does that imports for each upload.
TEST(SharedPagesOfImports, AMillionThatNeverMeetAreAlone) {
  std::vector<CapturedImport> imports;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) imports.push_back({0, 4096, 8192, 2 * i + 1, 2 * i + 2});
  EXPECT_TRUE(group(imports).pages.empty());
}

}  // namespace
}  // namespace rondo::player
