// SPDX-License-Identifier: Apache-2.0
// What an image's texels are written as: PNG where it has all of them, else KTX2.
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "analyzers/text/ktx2.h"
#include "format/codec/schema.h"
#include "model/gpu/texels.h"
#include "player/verify/encode_png.h"
#include "player/verify/observer.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 37 + 11);
  return out;
}

struct Decoded {
  std::uint32_t width = 0, height = 0;
  int bits = 0, type = 0;
  bool srgb = false;
  std::vector<std::uint8_t> bytes;  // as they stand in the file: 16 bits big-endian
};

Decoded decode(const std::vector<std::byte>& file) {
  Decoded out;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::span<const std::byte> rest = file;
  png_set_read_fn(png, &rest, [](png_structp from, png_bytep to, png_size_t count) {
    auto& left = *static_cast<std::span<const std::byte>*>(png_get_io_ptr(from));
    if (count > left.size()) png_error(from, "the file ends");
    std::memcpy(to, left.data(), count);
    left = left.subspan(count);
  });
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  out.width = png_get_image_width(png, info);
  out.height = png_get_image_height(png, info);
  out.bits = png_get_bit_depth(png, info);
  out.type = png_get_color_type(png, info);
  out.srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0;
  const std::size_t row = png_get_rowbytes(png, info);
  for (std::uint32_t y = 0; y < out.height; ++y) {
    const png_bytep from = png_get_rows(png, info)[y];
    out.bytes.insert(out.bytes.end(), from, from + row);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return out;
}

Decoded through_png(VkFormat format, std::uint32_t width, std::uint32_t height, std::span<const std::byte> texels) {
  EXPECT_TRUE(player::fits_png(format));
  const auto png = player::encode_png(format, width, height, texels);
  EXPECT_TRUE(png) << png.error().message;
  return png ? decode(*png) : Decoded{};
}

std::uint8_t at(const std::vector<std::byte>& bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

TEST(Pictures, KeepEveryBitOfFourComponents) {
  const auto texels = counting(5 * 3 * 4);
  for (const VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A8B8G8R8_SRGB_PACK32, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB}) {
    const bool reversed = format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB;
    const Decoded got = through_png(format, 5, 3, texels);
    EXPECT_EQ(got.width, 5u);
    EXPECT_EQ(got.height, 3u);
    EXPECT_EQ(got.bits, 8);
    EXPECT_EQ(got.type, PNG_COLOR_TYPE_RGB_ALPHA);
    EXPECT_EQ(got.srgb, format == VK_FORMAT_A8B8G8R8_SRGB_PACK32 || format == VK_FORMAT_B8G8R8A8_SRGB);
    ASSERT_EQ(got.bytes.size(), texels.size());
    for (std::size_t i = 0; i < texels.size(); ++i) {
      const std::size_t from = reversed && i % 4 != 3 && i % 4 != 1 ? i / 4 * 4 + 2 - i % 4 : i;
      EXPECT_EQ(got.bytes[i], at(texels, from)) << i;
    }
  }
}

TEST(Pictures, KeepEveryBitOfFewerComponents) {
  const auto texels = counting(2 * 6);
  const Decoded one = through_png(VK_FORMAT_R8_UNORM, 4, 3, texels);
  EXPECT_EQ(one.type, PNG_COLOR_TYPE_GRAY);
  for (std::size_t i = 0; i < texels.size(); ++i) EXPECT_EQ(one.bytes[i], at(texels, i));
  const Decoded two = through_png(VK_FORMAT_R8G8_UNORM, 3, 2, texels);
  EXPECT_EQ(two.type, PNG_COLOR_TYPE_RGB);
  ASSERT_EQ(two.bytes.size(), 18u);
  for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(two.bytes[i], i % 3 == 2 ? 0 : at(texels, i / 3 * 2 + i % 3));
  const Decoded three = through_png(VK_FORMAT_B8G8R8_SRGB, 2, 2, texels);
  EXPECT_EQ(three.type, PNG_COLOR_TYPE_RGB);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(three.bytes[i], at(texels, i / 3 * 3 + 2 - i % 3));
}

TEST(Pictures, KeepEveryBitOf16) {
  const auto texels = counting(2 * 2 * 8);
  const struct {
    VkFormat format;
    std::uint32_t width;
    int type;
    std::size_t components, kept;
  } cases[] = {{VK_FORMAT_R16_UNORM, 8, PNG_COLOR_TYPE_GRAY, 1, 1},
               {VK_FORMAT_D16_UNORM, 8, PNG_COLOR_TYPE_GRAY, 1, 1},
               {VK_FORMAT_R16G16_UNORM, 4, PNG_COLOR_TYPE_RGB, 2, 3},
               {VK_FORMAT_R16G16B16A16_UNORM, 2, PNG_COLOR_TYPE_RGB_ALPHA, 4, 4}};
  for (const auto& one : cases) {
    const Decoded got = through_png(one.format, one.width, 2, texels);
    EXPECT_EQ(got.bits, 16);
    EXPECT_EQ(got.type, one.type);
    ASSERT_EQ(got.bytes.size(), one.width * 2 * one.kept * 2);
    for (std::size_t i = 0; i < got.bytes.size() / 2; ++i) {
      const std::size_t texel = i / one.kept, component = i % one.kept;
      const std::size_t from = (texel * one.components + component) * 2;
      const int stored = got.bytes[i * 2] << 8 | got.bytes[i * 2 + 1];
      EXPECT_EQ(stored, component >= one.components ? 0 : at(texels, from) | at(texels, from + 1) << 8) << i;
    }
  }
}

TEST(Pictures, AreRefusedWhereTheSizeIsAnother) {
  const auto texels = counting(16);
  EXPECT_FALSE(player::encode_png(VK_FORMAT_R8_UNORM, 5, 3, texels));
  EXPECT_FALSE(player::encode_png(VK_FORMAT_R8_UNORM, 16, 0, {}));
  EXPECT_FALSE(player::fits_png(VK_FORMAT_R8G8B8A8_SNORM));
  EXPECT_FALSE(player::fits_png(VK_FORMAT_R32_SFLOAT));
  EXPECT_FALSE(player::encode_png(VK_FORMAT_R32_SFLOAT, 2, 2, texels));
}

template <class T>
T load(const std::vector<std::byte>& file, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, file.size());
  if (offset + sizeof value <= file.size()) std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

// Every field that a reader follows.
void is_whole(const Ktx2Image& image) {
  const std::vector<std::byte> file = encode_ktx2(image, "test");
  const auto u32 = [&](std::size_t at) { return load<std::uint32_t>(file, at); };
  const auto u64 = [&](std::size_t at) { return load<std::uint64_t>(file, at); };
  const std::string name(codec::enumerant_name(EnumId::VkFormat, image.format));
  SCOPED_TRACE(name);
  EXPECT_EQ(std::memcmp(file.data(), "\xabKTX 20\xbb\r\n\x1a\n", 12), 0);
  EXPECT_EQ(u32(20), image.extent.width);
  EXPECT_EQ(u32(28), image.type == VK_IMAGE_TYPE_3D ? image.extent.depth : 0);
  EXPECT_EQ(u32(36), 1u);  // faces
  EXPECT_EQ(u32(40), 1u);  // levels
  EXPECT_EQ(u32(48), 104u);
  EXPECT_EQ(u32(104), u32(52)) << "the descriptor's size stands in it, too";
  EXPECT_EQ(u32(56), 104 + u32(52));
  EXPECT_EQ(u64(80), u64(80) / 4 * 4);
  const auto block = gpu::block_of(image.format, gpu::aspects_of(image.format));
  EXPECT_EQ(u64(80) % std::lcm(block.bytes, 4u), 0u);
  EXPECT_GE(u64(80), u32(56) + u32(60));
  EXPECT_EQ(u64(88), image.texels.size());
  EXPECT_EQ(u64(96), image.texels.size());
  ASSERT_EQ(u64(80) + u64(88), file.size());
  EXPECT_EQ(std::memcmp(file.data() + u64(80), image.texels.data(), image.texels.size()), 0);
  // The descriptor: one block that fills it, of texel blocks as large as the format's.
  EXPECT_EQ(u32(108), 0u);
  EXPECT_EQ(u32(112) & 0xffff, 2u);
  const std::uint32_t samples = ((u32(112) >> 16) - 24) / 16;
  EXPECT_EQ(u32(112) >> 16, u32(52) - 4);
  EXPECT_EQ(u32(120), (block.width - 1) | (block.height - 1) << 8);
  EXPECT_EQ(u32(124), block.bytes);
  for (std::uint32_t i = 0; i < samples; ++i) {
    const std::uint32_t sample = u32(132 + 16 * i), first = sample & 0xffff, bits = (sample >> 16 & 0xff) + 1;
    EXPECT_LE(first + bits, block.bytes * 8) << "sample " << i;
  }
  const bool rare = name.find("422") != std::string::npos || name.find("PVRTC") != std::string::npos;
  EXPECT_EQ(samples == 0, rare);
}

TEST(Ktx2, IsWholeForEveryFormatThatCanBeReadBack) {
  int count = 0;
  for (const codec::Enumerant& e : codec::enumerants(EnumId::VkFormat)) {
    const auto format = static_cast<VkFormat>(e.value);
    if (gpu::is_planar(format) || gpu::format_of_part(format, gpu::aspects_of(format)) != format) continue;
    const gpu::Block block = gpu::block_of(format, gpu::aspects_of(format));
    if (block.bytes == 0) continue;
    const auto texels = counting(std::size_t{block.bytes} * 6);
    is_whole({format, VK_IMAGE_TYPE_2D, {block.width * 3, block.height * 2, 1}, texels});
    ++count;
  }
  EXPECT_GT(count, 200);
}

TEST(Ktx2, SaysHowManyDimensionsThereAre) {
  const auto texels = counting(24);
  const auto line = encode_ktx2({VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_1D, {6, 1, 1}, texels}, "test");
  EXPECT_EQ(load<std::uint32_t>(line, 24), 0u);
  const auto volume = encode_ktx2({VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_3D, {3, 1, 2}, texels}, "test");
  EXPECT_EQ(load<std::uint32_t>(volume, 24), 1u);
  EXPECT_EQ(load<std::uint32_t>(volume, 28), 2u);
}

TEST(Ktx2, WritesWhatIsNotAllowedAsWhatHasTheSameBits) {
  const auto texels = counting(4);
  const auto format_in = [&](VkFormat format) {
    return load<std::uint32_t>(encode_ktx2({format, VK_IMAGE_TYPE_2D, {1, 1, 1}, texels}, "test"), 12);
  };
  EXPECT_EQ(format_in(VK_FORMAT_A8B8G8R8_SRGB_PACK32), VK_FORMAT_R8G8B8A8_SRGB);
  EXPECT_EQ(format_in(VK_FORMAT_R8G8B8A8_USCALED), VK_FORMAT_R8G8B8A8_UINT);
  EXPECT_EQ(format_in(VK_FORMAT_R16G16_SSCALED), VK_FORMAT_R16G16_SINT);
  EXPECT_EQ(format_in(VK_FORMAT_R8G8B8A8_SNORM), VK_FORMAT_R8G8B8A8_SNORM);
}

TEST(Ktx2, SaysWhatABigEndianMachineHasToSwap) {
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_R8G8B8A8_UNORM), 1u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_R16G16B16_UNORM), 2u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_R64G64_SFLOAT), 8u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_D32_SFLOAT), 4u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_A2B10G10R10_UNORM_PACK32), 4u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_R10X6G10X6_UNORM_2PACK16), 2u);
  EXPECT_EQ(ktx2_type_bytes(VK_FORMAT_BC1_RGB_UNORM_BLOCK), 1u);
}

// What `player --screenshot` puts in its directory.
TEST(Pictures, ReplaceNothingButRegularFiles) {
  const test::TemporaryFile mine("mine");
  std::ofstream(mine.path()) << "mine";
  const std::string path = mine.directory() + "/frame-000000.png";
  const auto texels = counting(4);
  const auto written = [&] { return player::write_png(path, VK_FORMAT_R8G8B8A8_UNORM, {1, 1, 1}, texels); };
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto pipe = written();
  ASSERT_FALSE(pipe);
  EXPECT_EQ(pipe.error().message, path + ": is no regular file, and is not replaced by one");
  std::filesystem::remove(path);
  std::filesystem::create_symlink(mine.path(), path);
  const auto link = written();
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().message, path + ": is a link, and is not replaced by a file");
  EXPECT_EQ(std::filesystem::file_size(mine.path()), 4u);
  std::filesystem::remove(path);
  EXPECT_TRUE(written());
  EXPECT_TRUE(written()) << "it replaces its own";
}

// Of 10 bits and of floating-point numbers, which are clamped and not stretched.
TEST(Pictures, AreScreenshotsOfAllNormalizedAndFloatingPointFormats) {
  const test::TemporaryFile some("some");
  const std::string path = some.directory() + "/frame-000000.png";
  const auto shot = [&](VkFormat format, std::span<const std::byte> texels) {
    const auto written = player::write_png(path, format, {1, 1, 1}, texels);
    EXPECT_TRUE(written) << written.error().message;
    std::ifstream in(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(file));
    return decode({bytes.begin(), bytes.end()}).bytes;
  };
  using Bytes = std::vector<std::uint8_t>;
  const std::uint32_t ten[] = {3u << 30 | 512u << 20 | 0u << 10 | 1023u};
  EXPECT_EQ(shot(VK_FORMAT_A2B10G10R10_UNORM_PACK32, std::as_bytes(std::span(ten))), (Bytes{255, 0, 128}));
  const float floats[] = {0.2f, 7.0f, -1.0f, 1.0f};
  EXPECT_EQ(shot(VK_FORMAT_R32G32B32A32_SFLOAT, std::as_bytes(std::span(floats))), (Bytes{51, 255, 0}));
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  EXPECT_EQ(shot(VK_FORMAT_B8G8R8A8_SRGB, std::as_bytes(std::span(bytes))), (Bytes{3, 2, 1}));
  const auto refused = player::write_png(path, VK_FORMAT_R8G8B8A8_UINT, {1, 1, 1}, std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path +
                                         ": images of VK_FORMAT_R8G8B8A8_UINT are not written as PNG; only "
                                         "normalized and floating-point ones are");
}

// errno's text says why, and what was there stays.
TEST(Pictures, SayWhyTheyCannotBeWritten) {
  const test::TemporaryFile some("some");
  const auto texels = counting(4);
  const std::string path = some.directory() + "/not there/frame-000000.png";
  const auto written = player::write_png(path, VK_FORMAT_R8G8B8A8_UNORM, {1, 1, 1}, texels);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, path + ": cannot be written: No such file or directory");
}

// As the tables of the Khronos Data Format Specification have them.
TEST(Ktx2, DescribesFormatsAsTheSpecificationDoes) {
  using Words = std::vector<std::uint32_t>;
  const Words srgb = data_format_descriptor(VK_FORMAT_R8G8B8A8_SRGB);
  EXPECT_EQ(srgb, (Words{0,
                         2 | 88 << 16,
                         1 | 1 << 8 | 2 << 16,
                         0,
                         4,
                         0,  //
                         0x00070000,
                         0,
                         0,
                         255,
                         0x01070008,
                         0,
                         0,
                         255,  //
                         0x02070010,
                         0,
                         0,
                         255,
                         0x1f070018,
                         0,
                         0,
                         255}));
  const Words depth = data_format_descriptor(VK_FORMAT_D32_SFLOAT);
  EXPECT_EQ(depth, (Words{0, 2 | 40 << 16, 1, 0, 4, 0, 0xce1f0000, 0, 0xbf800000, 0x3f800000}));
  const Words integers = data_format_descriptor(VK_FORMAT_R16_SINT);
  EXPECT_EQ(integers, (Words{0, 2 | 40 << 16, 1, 0, 2, 0, 0x400f0000, 0, 0xffffffff, 1}));
  const Words blocks = data_format_descriptor(VK_FORMAT_BC3_UNORM_BLOCK);
  EXPECT_EQ(blocks, (Words{0, 2 | 56 << 16, 130 | 1 << 8 | 1 << 16, 3 | 3 << 8, 16, 0,  //
                           0x0f3f0000, 0, 0, 0xffffffff, 0x003f0040, 0, 0, 0xffffffff}));
  // Packed: the lowest bits first.
  const Words packed = data_format_descriptor(VK_FORMAT_R5G6B5_UNORM_PACK16);
  ASSERT_EQ(packed.size(), 18u);
  EXPECT_EQ(packed[6], 0x02040000u);
  EXPECT_EQ(packed[10], 0x01050005u);
  EXPECT_EQ(packed[14], 0x0004000bu);
}

}  // namespace
}  // namespace rondo::analyzers
