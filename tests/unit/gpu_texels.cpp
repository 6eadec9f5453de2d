// SPDX-License-Identifier: Apache-2.0
// What commands on images need of formats, held against the registry's description.
#include <gtest/gtest.h>

#include "model/gpu/texels.h"
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
      EXPECT_EQ(format_of_part(static_cast<VkFormat>(one.format), plane), static_cast<VkFormat>(one.planes[i].format));
    }
}

TEST(Texels, OfOneAspectAreThoseOfAFormatOfItsOwn) {
  EXPECT_EQ(format_of_part(VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_ASPECT_COLOR_BIT), VK_FORMAT_R8G8B8A8_SRGB);
  EXPECT_EQ(format_of_part(VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT), VK_FORMAT_S8_UINT);
  for (const VkFormat format : {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT,
                                VK_FORMAT_D16_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT})
    for (const VkImageAspectFlagBits aspect : {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
      if ((aspects_of(format) & aspect) == 0) continue;
      const VkFormat part = format_of_part(format, aspect);
      EXPECT_EQ(aspects_of(part), static_cast<VkImageAspectFlags>(aspect)) << "VkFormat " << format;
      EXPECT_EQ(block_of(part, aspect).bytes, block_of(format, aspect).bytes) << "VkFormat " << format;
    }
}

}  // namespace
}  // namespace rondo::gpu
