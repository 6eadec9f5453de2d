// SPDX-License-Identifier: Apache-2.0
// 8-bit pictures of texels, against values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "player/verify/pictures.h"

namespace rondo::player {
namespace {

template <class T>
std::vector<std::byte> bytes_of(std::initializer_list<T> values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), std::data(values), out.size());
  return out;
}

ShownTexels shown(VkFormat format, VkExtent3D extent, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return shown_texels({format, aspect, extent});
}

Shades shades(const ShownTexels& texels, std::span<const std::byte> bytes) {
  return shades_of(texels, std::span(&bytes, 1));
}

std::vector<int> pixels(const Picture& picture) {
  std::vector<int> out;
  for (const std::byte one : picture.rgb) out.push_back(std::to_integer<int>(one));
  return out;
}

using Pixels = std::vector<int>;

TEST(PicturesOfTexels, StretchDepthFromTheLeastToTheGreatest) {
  const auto texels = shown(VK_FORMAT_D32_SFLOAT, {4, 1, 1}, VK_IMAGE_ASPECT_DEPTH_BIT);
  const auto bytes = bytes_of({0.5f, 0.75f, 1.0f, 0.6f});
  const Shades by = shades(texels, bytes);
  EXPECT_EQ(by.text, "depth 0.5 to 1 as black to white");
  // 0.75 is the middle: 127.5, rounded up. 0.6 is a fifth: 51.
  EXPECT_EQ(pixels(picture_of(texels, bytes, by)), (Pixels{0, 0, 0, 128, 128, 128, 255, 255, 255, 51, 51, 51}));
}

TEST(PicturesOfTexels, SayDepthAsNumbersFrom0To1) {
  const auto texels = shown(VK_FORMAT_D16_UNORM, {2, 1, 1}, VK_IMAGE_ASPECT_DEPTH_BIT);
  const auto bytes = bytes_of<std::uint16_t>({0, 65535});
  EXPECT_EQ(shades(texels, bytes).text, "depth 0 to 1 as black to white");
  const auto cleared = bytes_of<std::uint16_t>({65535, 65535}), zero = bytes_of<std::uint16_t>({0, 0});
  const Shades white = shades(texels, cleared), black = shades(texels, zero);
  EXPECT_EQ(white.text, "depth 1 everywhere");
  EXPECT_EQ(black.text, "depth 0 everywhere");
  EXPECT_EQ(pixels(picture_of(texels, cleared, white)), (Pixels{255, 255, 255, 255, 255, 255}));
  EXPECT_EQ(pixels(picture_of(texels, zero, black)), (Pixels{0, 0, 0, 0, 0, 0}));
}

TEST(PicturesOfTexels, StretchStencilAndIntegers) {
  const auto stencil = shown(VK_FORMAT_D24_UNORM_S8_UINT, {3, 1, 1}, VK_IMAGE_ASPECT_STENCIL_BIT);
  const auto marks = bytes_of<std::uint8_t>({2, 3, 7});
  const Shades of_marks = shades(stencil, marks);
  EXPECT_EQ(of_marks.text, "stencil 2 to 7 as black to white");
  EXPECT_EQ(pixels(picture_of(stencil, marks, of_marks)), (Pixels{0, 0, 0, 51, 51, 51, 255, 255, 255}));
  const auto numbers = shown(VK_FORMAT_R16G16_SINT, {2, 1, 1});
  const auto values = bytes_of<std::int16_t>({-100, 0, 155, -49});
  const Shades of_values = shades(numbers, values);
  EXPECT_EQ(of_values.text, "values -100 to 155 as black to white");
  EXPECT_EQ(pixels(picture_of(numbers, values, of_values)), (Pixels{0, 100, 0, 255, 51, 0}));
}

TEST(PicturesOfTexels, ShowSignedNormalizedFromMinusOneToOne) {
  const auto texels = shown(VK_FORMAT_R8G8B8A8_SNORM, {1, 1, 1});
  const auto bytes = bytes_of<std::int8_t>({-127, 0, 127, 5});
  const Shades by = shades(texels, bytes);
  EXPECT_EQ(by.text, "-1 to 1 as black to white");
  EXPECT_EQ(pixels(picture_of(texels, bytes, by)), (Pixels{0, 128, 255}));
}

TEST(PicturesOfTexels, KeepFloatsFrom0To1AndStretchGreaterOnes) {
  const auto texels = shown(VK_FORMAT_R32G32B32A32_SFLOAT, {1, 1, 1});
  const auto usual = bytes_of({0.0f, 0.2f, 1.0f, 9.0f});  // alpha does not count
  const Shades by = shades(texels, usual);
  EXPECT_EQ(by.text, "values 0 to 1 as black to white");
  EXPECT_EQ(pixels(picture_of(texels, usual, by)), (Pixels{0, 51, 255}));
  const auto bright = bytes_of({0.0f, 2.0f, 4.0f, 1.0f, 4.0f, 4.0f, 4.0f, 1.0f});
  const auto two = shown(VK_FORMAT_R32G32B32A32_SFLOAT, {2, 1, 1});
  const Shades scaled_by = shades(two, bright);
  EXPECT_EQ(scaled_by.text, "values 0 to 4 as black to white");
  EXPECT_EQ(pixels(picture_of(two, bright, scaled_by)), (Pixels{0, 128, 255, 255, 255, 255}));
}

// One texel in 200 is as bright as the sun. The others are still to be seen.
TEST(PicturesOfTexels, ClampTheGreatestFloats) {
  std::vector<float> values(200, 2.0f);
  values[7] = 1000;
  const auto texels = shown(VK_FORMAT_R32_SFLOAT, {200, 1, 1});
  const auto bytes = std::as_bytes(std::span(values));
  const Shades by = shades(texels, bytes);
  EXPECT_EQ(by.text, "values 0 to 2 as black to white, the greatest is 1000");
  EXPECT_EQ(pixels(picture_of(texels, bytes, by))[7 * 3], 255);
}

TEST(PicturesOfTexels, ShowNegativeFloatsFromTheLeast) {
  const auto texels = shown(VK_FORMAT_R32_SFLOAT, {3, 1, 1});
  const auto bytes = bytes_of({-1.0f, 0.0f, 1.0f});
  const Shades by = shades(texels, bytes);
  EXPECT_EQ(by.text, "values -1 to 1 as black to white");
  EXPECT_EQ(pixels(picture_of(texels, bytes, by)), (Pixels{0, 0, 0, 128, 128, 128, 255, 255, 255}));
}

TEST(PicturesOfTexels, ShowWhatIsNotFiniteInMagenta) {
  const auto texels = shown(VK_FORMAT_R32G32_SFLOAT, {2, 1, 1});
  const auto bytes = bytes_of({std::nanf(""), 0.5f, 1.0f, std::numeric_limits<float>::infinity()});
  const Shades by = shades(texels, bytes);
  EXPECT_EQ(by.text, "values 0 to 1 as black to white, 2 that are not finite in magenta");
  EXPECT_EQ(pixels(picture_of(texels, bytes, by)), (Pixels{255, 0, 255, 255, 0, 255}));
}

TEST(PicturesOfTexels, HaveRedGreenAndBlueWhereverTheFormatHasThem) {
  const auto bgra = shown(VK_FORMAT_B8G8R8A8_UNORM, {1, 1, 1});
  const auto bytes = bytes_of<std::uint8_t>({1, 2, 3, 4});
  EXPECT_EQ(shades(bgra, bytes).text, "");
  EXPECT_EQ(pixels(picture_of(bgra, bytes, shades(bgra, bytes))), (Pixels{3, 2, 1}));
  // 31 of 31, 0 of 63, 16 of 31: 131.6.
  const auto packed = shown(VK_FORMAT_R5G6B5_UNORM_PACK16, {1, 1, 1});
  const auto word = bytes_of<std::uint16_t>({31 << 11 | 0 << 5 | 16});
  EXPECT_EQ(pixels(picture_of(packed, word, shades(packed, word))), (Pixels{255, 0, 132}));
  // Alpha of two bits in the lowest place of the name: 1023, 0 and 512 of 1023.
  const auto deep = shown(VK_FORMAT_A2B10G10R10_UNORM_PACK32, {1, 1, 1});
  const auto ten = bytes_of<std::uint32_t>({1u << 30 | 512u << 20 | 0u << 10 | 1023u});
  EXPECT_EQ(pixels(picture_of(deep, ten, shades(deep, ten))), (Pixels{255, 0, 128}));
}

TEST(PicturesOfTexels, TakeOneColorAsGreyWhereNoMoreCarriesSomething) {
  ShownTexels decoded = shown(VK_FORMAT_R8G8B8A8_UNORM, {1, 1, 1});
  const auto bytes = bytes_of<std::uint8_t>({9, 8, 7, 255});
  EXPECT_EQ(decoded.colors, 3u);
  decoded.colors = 1;  // of BC4
  EXPECT_EQ(pixels(picture_of(decoded, bytes, shades(decoded, bytes))), (Pixels{9, 9, 9}));
  decoded.colors = 2;  // of BC5
  EXPECT_EQ(pixels(picture_of(decoded, bytes, shades(decoded, bytes))), (Pixels{9, 8, 0}));
}

TEST(PicturesOfTexels, LayOutSlicesInRows) {
  EXPECT_EQ(slices_in_row(1), 1u);
  EXPECT_EQ(slices_in_row(2), 2u);
  EXPECT_EQ(slices_in_row(4), 2u);
  EXPECT_EQ(slices_in_row(5), 3u);
  const auto texels = shown(VK_FORMAT_R8_UNORM, {1, 2, 3});
  const auto bytes = bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6});
  const Picture picture = picture_of(texels, bytes, shades(texels, bytes));
  EXPECT_EQ(picture.width, 2u);
  EXPECT_EQ(picture.height, 4u);
  // Slices 1 2 | 3 4 side by side, then 5 6 beside nothing.
  EXPECT_EQ(pixels(picture), (Pixels{1, 1, 1, 3, 3, 3, 2, 2, 2, 4, 4, 4, 5, 5, 5, 0, 0, 0, 6, 6, 6, 0, 0, 0}));
}

Picture grey(std::uint32_t width, std::uint32_t height, std::initializer_list<int> values) {
  Picture picture{width, height, {}};
  for (const int value : values) picture.rgb.insert(picture.rgb.end(), 3, static_cast<std::byte>(value));
  return picture;
}

TEST(PicturesOfTexels, ShrinkByAveragesAndGrowByWholeNumbers) {
  const Picture four = grey(4, 2, {0, 10, 20, 30, 2, 12, 22, 32});
  const Picture half = scaled(four, 2);
  EXPECT_EQ(half.width, 2u);
  EXPECT_EQ(half.height, 1u);
  EXPECT_EQ(pixels(half), (Pixels{6, 6, 6, 26, 26, 26}));
  const Picture larger = scaled(grey(2, 1, {1, 2}), 5);  // twice: 5 is no multiple of 2
  EXPECT_EQ(larger.width, 4u);
  EXPECT_EQ(larger.height, 2u);
  EXPECT_EQ(pixels(larger), (Pixels{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
  const Picture thin = scaled(grey(8, 1, {0, 0, 0, 0, 8, 8, 8, 8}), 2);
  EXPECT_EQ(thin.height, 1u) << "no side is lost";
  EXPECT_EQ(pixels(thin), (Pixels{0, 0, 0, 8, 8, 8}));
}

TEST(PicturesOfTexels, ShowDifferencesUpToWhite) {
  const auto texels = shown(VK_FORMAT_R8_UNORM, {2, 1, 1});
  const DifferencePicture made =
      difference_picture(texels, bytes_of<std::uint8_t>({10, 20}), bytes_of<std::uint8_t>({13, 50}));
  // 30 and 3 of 255
  EXPECT_EQ(made.text,
            "captured, replayed, difference: 2 of 2 texels, white: 0.117647, half of them at most 0.0117647");
  EXPECT_EQ(made.picture.width, 2u * 3 + 2 * 8);
  const Pixels all = pixels(made.picture);
  EXPECT_EQ(all[0], 10);
  EXPECT_EQ(all[3], 20);
  EXPECT_EQ(all[2 * 3], 128) << "the gap";
  EXPECT_EQ(all[10 * 3], 13);
  EXPECT_EQ(all[11 * 3], 50);
  EXPECT_EQ(all[20 * 3], 83) << "a tenth of the greatest: a quarter and 0.075 of white, 82.9";
  EXPECT_EQ(all[21 * 3], 255);
}

// A difference that 8 bits of the values would not show.
TEST(PicturesOfTexels, ShowSmallDifferencesOfDepth) {
  const auto texels = shown(VK_FORMAT_D32_SFLOAT, {2, 1, 1}, VK_IMAGE_ASPECT_DEPTH_BIT);
  const auto captured = bytes_of({0.0f, 1.0f}), replayed = bytes_of({0.0f, 0.99993896484375f});
  const DifferencePicture made = difference_picture(texels, captured, replayed);
  EXPECT_EQ(made.text,
            "captured, replayed, difference: 1 of 2 texels, white: 6.10352e-05, half of them at most 6.10352e-05; "
            "depth 0 to 1 as black to white");
  const Pixels all = pixels(made.picture);
  EXPECT_EQ(all[1 * 3], 255);
  EXPECT_EQ(all[11 * 3], 255);
  EXPECT_EQ(all[20 * 3], 0);
  EXPECT_EQ(all[21 * 3], 255);
}

TEST(PicturesOfTexels, ShowDifferencesThatHaveNoSize) {
  const auto floats = shown(VK_FORMAT_R32_SFLOAT, {1, 1, 1});
  const DifferencePicture made = difference_picture(floats, bytes_of({1.0f}), bytes_of({std::nanf("")}));
  const Pixels all = pixels(made.picture);
  EXPECT_EQ((Pixels{all.end() - 3, all.end()}), (Pixels{255, 0, 255}));
  const auto alpha = shown(VK_FORMAT_R8G8B8A8_UNORM, {1, 1, 1});
  EXPECT_EQ(difference_picture(alpha, bytes_of<std::uint8_t>({1, 2, 3, 4}), bytes_of<std::uint8_t>({1, 2, 3, 5})).text,
            "captured, replayed, difference (none in what is shown)");
}

}  // namespace
}  // namespace rondo::player
