// SPDX-License-Identifier: Apache-2.0
// The peak signal-to-noise ratio by hand, for each kind of format; what has none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "player/verify/observer.h"
#include "player/verify/psnr.h"

namespace rondo::player {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Texels texels(VkFormat format, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return {format, aspect, {2, 1, 1}};
}

template <class T>
double psnr_of(VkFormat format, const std::vector<T>& captured, const std::vector<T>& replayed,
               VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return psnr(bytes_of(captured), bytes_of(replayed), texels(format, aspect)).value_or(-1);
}

// The mean squared difference, of values whose peak is 1, in dB.
double decibels(double mean) { return -10 * std::log10(mean); }

TEST(Psnr, OfNormalizedFormatsIsOverAllComponents) {
  const std::vector<std::uint8_t> black{0, 0, 0, 0, 0, 0, 0, 0};
  // One of eight components, by all it can have; by one step.
  EXPECT_NEAR(psnr_of<std::uint8_t>(VK_FORMAT_R8G8B8A8_UNORM, black, {0, 255, 0, 0, 0, 0, 0, 0}), decibels(1.0 / 8),
              1e-9);
  EXPECT_NEAR(psnr_of<std::uint8_t>(VK_FORMAT_B8G8R8A8_SRGB, black, {0, 1, 0, 0, 0, 0, 0, 0}),
              decibels(1.0 / 8 / 255 / 255), 1e-9);
  // Alpha counts like the others.
  EXPECT_NEAR(psnr_of<std::uint8_t>(VK_FORMAT_R8G8B8A8_UNORM, black, {0, 0, 0, 255, 0, 0, 0, 255}), decibels(0.25),
              1e-9);
  EXPECT_NEAR(psnr_of<std::int8_t>(VK_FORMAT_R8_SNORM, {0, 127}, {-127, 127}), decibels(0.5), 1e-9);
  // Each component by its own width.
  EXPECT_NEAR(psnr_of<std::uint16_t>(VK_FORMAT_R5G6B5_UNORM_PACK16, {0, 0}, {31 << 11, 63 << 5}), decibels(2.0 / 6),
              1e-9);
  EXPECT_NEAR(psnr_of<std::uint16_t>(VK_FORMAT_D16_UNORM, {0, 65535}, {65535, 65535}, VK_IMAGE_ASPECT_DEPTH_BIT),
              decibels(0.5), 1e-9);
  EXPECT_NEAR(psnr_of<std::uint32_t>(VK_FORMAT_D24_UNORM_S8_UINT, {0, 0xffffff}, {0xffffff, 0xffffff},
                                     VK_IMAGE_ASPECT_DEPTH_BIT),
              decibels(0.5), 1e-9);
}

TEST(Psnr, OfFloatsGoesByTheLargestCapturedMagnitude) {
  EXPECT_NEAR(psnr_of<float>(VK_FORMAT_R32_SFLOAT, {-8, 2}, {-8, 3}), 20 * std::log10(8) + decibels(0.5), 1e-9);
  // What is replayed does not raise it.
  EXPECT_NEAR(psnr_of<float>(VK_FORMAT_R32_SFLOAT, {2, 2}, {2, 102}), 20 * std::log10(2) + decibels(5000), 1e-9);
  EXPECT_NEAR(psnr_of<float>(VK_FORMAT_R32_SFLOAT, {0, 0}, {0, 1}), decibels(0.5), 1e-9);
  EXPECT_NEAR(psnr_of<std::uint16_t>(VK_FORMAT_R16_SFLOAT, {0x3c00, 0}, {0x3c00, 0x3c00}), decibels(0.5), 1e-9);
  EXPECT_NEAR(psnr_of<float>(VK_FORMAT_D32_SFLOAT, {1, 0.5f}, {1, 0.25f}, VK_IMAGE_ASPECT_DEPTH_BIT),
              decibels(1.0 / 32), 1e-9);
}

TEST(Psnr, OfValuesThatAreNotFiniteNeedsThemOnBothSides) {
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  const Texels floats = texels(VK_FORMAT_R32_SFLOAT);
  const auto of = [&](float a, float b) { return psnr(bytes_of<float>({a, 1}), bytes_of<float>({b, 3}), floats); };
  EXPECT_NEAR(of(nan, -nan).value_or(-1), decibels(2), 1e-9);
  EXPECT_TRUE(of(infinite, infinite));
  EXPECT_FALSE(of(infinite, -infinite));
  EXPECT_FALSE(of(nan, infinite));
  EXPECT_FALSE(of(0, nan));
  EXPECT_FALSE(of(infinite, 0));
}

TEST(Psnr, IsInfiniteWhereOnlyBytesDiffer) {
  // Six bits of it are no component.
  EXPECT_EQ(psnr_of<std::uint16_t>(VK_FORMAT_R10X6_UNORM_PACK16, {64, 64}, {65, 64}), HUGE_VAL);
  EXPECT_EQ(psnr_of<float>(VK_FORMAT_R32_SFLOAT, {0, 1}, {-0.0f, 1}), HUGE_VAL);
}

TEST(Psnr, IntegersAndBlocksHaveNone) {
  for (const VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8_SNORM, VK_FORMAT_R16G16_SFLOAT,
        VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32})
    EXPECT_TRUE(has_psnr(texels(format))) << format;
  for (const VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R8_SINT, VK_FORMAT_R8_USCALED, VK_FORMAT_R8_SSCALED,
                                VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_UNDEFINED})
    EXPECT_FALSE(has_psnr(texels(format))) << format;
  EXPECT_TRUE(has_psnr(texels(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT)));
  EXPECT_FALSE(has_psnr(texels(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT)));
}

TEST(Psnr, IsCountedWhereItIsEnoughAndTheLeastIsKept) {
  Observer observer;
  Comparison counts;
  observer.wanted_psnr = 40;
  const std::string what = "an image";
  const Observer::Compared one{1, what, {}};
  EXPECT_TRUE(observer.alike(counts, one, HUGE_VAL));
  EXPECT_TRUE(observer.alike(counts, one, 40));
  EXPECT_FALSE(observer.alike(counts, one, 39.9));
  EXPECT_TRUE(observer.alike(counts, one, 60));
  EXPECT_EQ(counts.compared, 3u);
  EXPECT_EQ(counts.equal, 3u);
  EXPECT_EQ(counts.by_psnr, 3u);
  EXPECT_EQ(observer.verification.least_psnr, 39.9);
}

}  // namespace
}  // namespace rondo::player
