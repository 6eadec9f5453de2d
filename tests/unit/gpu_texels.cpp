// SPDX-License-Identifier: Apache-2.0
// What commands on images need of formats, held against the registry's description.
#include "gpu/texels.h"

#include <gtest/gtest.h>

#include "tests/icd/tables.h"

namespace rondo::gpu {
namespace {

TEST(Texels, AreAsLongAsTheRegistrySays) {
  int compared = 0;
  for (const fake::tables::FormatInfo& one : fake::tables::all_formats()) {
    const auto format = static_cast<VkFormat>(one.format);
    if (!one.planes.empty() || is_depth_stencil(format)) continue;
    const Block block = block_of(format);
    EXPECT_EQ(block.bytes, one.block_bytes) << "VkFormat " << format;
    EXPECT_EQ(block.width, one.block_width) << "VkFormat " << format;
    EXPECT_EQ(block.height, one.block_height) << "VkFormat " << format;
    ++compared;
  }
  EXPECT_GT(compared, 180);
}

TEST(Texels, OfEveryPlaneAreKnown) {
  for (const fake::tables::FormatInfo& one : fake::tables::all_formats())
    for (std::size_t i = 0; i < one.planes.size(); ++i) {
      const auto plane = static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_PLANE_0_BIT << i);
      const fake::tables::FormatInfo* same = fake::tables::find_format(static_cast<VkFormat>(one.planes[i].format));
      ASSERT_NE(same, nullptr) << "VkFormat " << one.format;
      EXPECT_EQ(block_of(static_cast<VkFormat>(one.format), plane).bytes, same->block_bytes)
          << "VkFormat " << one.format << " plane " << i;
    }
}

}  // namespace
}  // namespace rondo::gpu
