// SPDX-License-Identifier: Apache-2.0
// How a difference is told: where, both values, how much.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "player/verify/difference.h"
#include "player/verify/texel_values.h"

namespace rondo::player {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string texel(VkFormat format, const Bytes& bytes, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return TexelFormat(format, aspect).text(bytes);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TexelValues, AreReadByTheNameOfTheFormat) {
  EXPECT_EQ(texel(VK_FORMAT_R8G8B8A8_UNORM, bytes_of<std::uint8_t>({1, 2, 3, 255})), "(r 1, g 2, b 3, a 255)");
  EXPECT_EQ(texel(VK_FORMAT_B8G8R8A8_SRGB, bytes_of<std::uint8_t>({1, 2, 3, 4})), "(b 1, g 2, r 3, a 4)");
  EXPECT_EQ(texel(VK_FORMAT_R8G8_SNORM, bytes_of<std::int8_t>({-1, 2})), "(r -1, g 2)");
  EXPECT_EQ(texel(VK_FORMAT_R16_UINT, bytes_of<std::uint16_t>({65535})), "(r 65535)");
  EXPECT_EQ(texel(VK_FORMAT_R32G32_SFLOAT, bytes_of<float>({0.5f, -2})), "(r 0.5, g -2)");
  EXPECT_EQ(texel(VK_FORMAT_R64_SFLOAT, bytes_of<double>({1e100})), "(r 1e+100)");
  EXPECT_EQ(texel(VK_FORMAT_R16_SFLOAT, bytes_of<std::uint16_t>({0x3c00})), "(r 1)");
  EXPECT_EQ(texel(VK_FORMAT_R16_SFLOAT, bytes_of<std::uint16_t>({0x0001})), "(r 5.96046448e-08)");
  EXPECT_EQ(texel(VK_FORMAT_R16_SFLOAT, bytes_of<std::uint16_t>({0xfc00})), "(r -inf)");
}

TEST(TexelValues, OfPackedFormatsBeginAtTheTop) {
  EXPECT_EQ(texel(VK_FORMAT_R5G6B5_UNORM_PACK16, bytes_of<std::uint16_t>({31 << 11 | 2 << 5 | 1})), "(r 31, g 2, b 1)");
  EXPECT_EQ(texel(VK_FORMAT_A2B10G10R10_UNORM_PACK32, bytes_of<std::uint32_t>({3u << 30 | 7u << 20 | 5u << 10 | 4u})),
            "(a 3, b 7, g 5, r 4)");
  // 1.0 is exponent 15 of 5 bits, over 6 and 5 bits of mantissa.
  EXPECT_EQ(texel(VK_FORMAT_B10G11R11_UFLOAT_PACK32, bytes_of<std::uint32_t>({480u << 22 | 960u << 11 | 960u})),
            "(b 1, g 1, r 1)");
  EXPECT_EQ(texel(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, bytes_of<std::uint32_t>({0x04030201})), "01020304")
      << "a shared exponent is not taken apart";
  EXPECT_EQ(texel(VK_FORMAT_R10X6_UNORM_PACK16, bytes_of<std::uint16_t>({9 << 6})), "(r 9)");
}

TEST(TexelValues, OfDepthAndStencilAreAsCopiesHaveThem) {
  EXPECT_EQ(texel(VK_FORMAT_D32_SFLOAT_S8_UINT, bytes_of<float>({0.25f}), VK_IMAGE_ASPECT_DEPTH_BIT), "(d 0.25)");
  EXPECT_EQ(texel(VK_FORMAT_D32_SFLOAT_S8_UINT, bytes_of<std::uint8_t>({9}), VK_IMAGE_ASPECT_STENCIL_BIT), "(s 9)");
  EXPECT_EQ(texel(VK_FORMAT_D24_UNORM_S8_UINT, bytes_of<std::uint32_t>({0xffffff}), VK_IMAGE_ASPECT_DEPTH_BIT),
            "(d 16777215)");
  EXPECT_EQ(texel(VK_FORMAT_D16_UNORM, bytes_of<std::uint16_t>({77}), VK_IMAGE_ASPECT_DEPTH_BIT), "(d 77)");
}

TEST(Difference, OfAnImageNamesThePixelAndBothValues) {
  Bytes captured(16 * 8 * 4), replayed = captured;
  replayed[(3 * 16 + 5) * 4 + 1] = std::byte{7};
  replayed[(6 * 16 + 1) * 4] = std::byte{1};
  const std::string text =
      describe_texels(captured, replayed, {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, {16, 8, 1}});
  EXPECT_EQ(text, "pixel (5, 3): captured (r 0, g 0, b 0, a 0), replayed (r 0, g 7, b 0, a 0); 2 of 128 pixels differ");
}

TEST(Difference, OfFloatsSaysHowFarTheyAreApart) {
  std::vector<float> captured(8, 1.0f), replayed = captured;
  replayed[2] = 1.5f;
  replayed[5] = 0.9375f;
  const std::string text = describe_texels(bytes_of(captured), bytes_of(replayed),
                                           {VK_FORMAT_R32_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, {2, 2, 2}});
  EXPECT_EQ(text,
            "pixel (0, 1, 0): captured (r 1), replayed (r 1.5); 2 of 8 pixels differ, "
            "largest absolute difference 0.5, relative 0.333333");
  replayed[5] = std::nanf("");
  EXPECT_TRUE(has(describe_texels(bytes_of(captured), bytes_of(replayed),
                                  {VK_FORMAT_R32_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, {2, 2, 2}}),
                  "not finite on one side only"));
}

TEST(Difference, OfCompressedImagesIsInBlocks) {
  Bytes captured(4 * 2 * 8), replayed = captured;
  replayed[5 * 8] = std::byte{0xff};
  const std::string text =
      describe_texels(captured, replayed, {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT, {16, 8, 1}});
  EXPECT_EQ(text, "block (4, 4): captured 0000000000000000, replayed ff00000000000000; 1 of 8 blocks differ");
}

TEST(Difference, OfABufferNamesTheBytesAndWhatTheyMayStandFor) {
  std::vector<float> captured(64, 2.0f), replayed = captured;
  replayed[10] = 3.0f;
  replayed[11] = 2.5f;
  replayed[40] = 2.25f;
  const std::string text = describe_bytes(bytes_of(captured), bytes_of(replayed), 4096);
  EXPECT_TRUE(has(text, "bytes 4136 to 4144: captured 0000004000000040, replayed 0000404000002040")) << text;
  EXPECT_TRUE(has(text, "3 of 256 bytes differ, the last at 4258")) << text;
  EXPECT_TRUE(has(text, "as floats 2 and 3, largest absolute difference 1, relative 0.333333")) << text;
}

TEST(Difference, OfABufferOfIntegersDoesNotCallThemFloats) {
  std::vector<std::uint32_t> captured{1, 2, 3}, replayed{1, 2, 4};
  const std::string text = describe_bytes(bytes_of(captured), bytes_of(replayed), 0);
  EXPECT_TRUE(has(text, "as 32-bit numbers 3 and 4")) << text;
  EXPECT_FALSE(has(text, "float")) << text;
}

TEST(Difference, OfAnOddEndOfABufferStaysInIt) {
  Bytes captured(7), replayed = captured;
  replayed[6] = std::byte{1};
  EXPECT_EQ(describe_bytes(captured, replayed, 0),
            "bytes 4 to 7: captured 000000, replayed 000001; 1 of 7 bytes differ, the last at 6");
}

}  // namespace
}  // namespace rondo::player
