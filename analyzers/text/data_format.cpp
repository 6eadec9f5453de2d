// SPDX-License-Identifier: Apache-2.0
// Basic data format descriptors: Khronos Data Format Specification 1.4, chapters 3 to 5.
#include <bit>
#include <string_view>

#include "analyzers/text/ktx2.h"
#include "format/codec/schema.h"
#include "model/gpu/texels.h"
#include "player/verify/texel_values.h"

namespace rondo::analyzers {

namespace {

using player::TexelFormat;

enum Model : std::uint32_t {
  rgbsda = 1,
  bc1a = 128,
  bc2 = 129,
  bc3 = 130,
  bc4 = 131,
  bc5 = 132,
  bc6h = 133,
  bc7 = 134,
  etc2 = 161,
  astc = 162,
};
constexpr std::uint32_t kPrimariesBt709 = 1, kTransferLinear = 1, kTransferSrgb = 2;
// Channels: red is 0, green 1, blue 2; of blocks 0 is the colour.
constexpr std::uint8_t kStencil = 13, kDepth = 14, kAlpha = 15;
// Qualifiers of a channel.
constexpr std::uint8_t kLinear = 0x10, kExponent = 0x20, kSigned = 0x40, kFloat = 0x80;

struct Sample {
  std::uint32_t offset = 0, bits = 0;
  std::uint8_t channel = 0;  // with qualifiers
  std::uint32_t lower = 0, upper = 0xffffffff;
};

bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

// What stands for 0 or -1, and for 1.
void set_range(Sample& sample, TexelFormat::Kind kind, bool normalized) {
  const std::uint32_t ones = sample.bits >= 32 ? 0xffffffff : (1u << sample.bits) - 1;
  switch (kind) {
    case TexelFormat::Kind::uint:
      sample.upper = normalized ? ones : 1;
      break;
    case TexelFormat::Kind::sint:
      sample.channel |= kSigned;
      sample.upper = normalized ? ones >> 1 : 1;
      sample.lower = 0 - sample.upper;
      break;
    case TexelFormat::Kind::sfloat:
      sample.channel |= kSigned | kFloat;
      sample.lower = std::bit_cast<std::uint32_t>(-1.0f);
      sample.upper = std::bit_cast<std::uint32_t>(1.0f);
      break;
    case TexelFormat::Kind::ufloat:
      sample.channel |= kFloat;
      sample.upper = std::bit_cast<std::uint32_t>(1.0f);
      break;
  }
}

std::uint8_t channel_of(char name) {
  switch (name) {
    case 'g':
      return 1;
    case 'b':
      return 2;
    case 'a':
      return kAlpha;
    case 'd':
      return kDepth;
    case 's':
      return kStencil;
    default:
      return 0;
  }
}

// Mantissas of 9 bits that share an exponent of 5: 8448 is 1, at a bias of 15.
std::vector<Sample> shared_exponent() {
  std::vector<Sample> samples;
  for (std::uint8_t i = 0; i < 3; ++i) {
    samples.push_back({9u * i, 9, i, 0, 8448});
    samples.push_back({27, 5, static_cast<std::uint8_t>(i | kExponent), 15, 31});
  }
  return samples;
}

std::vector<Sample> texel_samples(VkFormat format, bool srgb) {
  if (format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) return shared_exponent();
  const VkImageAspectFlags aspect = gpu::aspects_of(format);
  const TexelFormat texel(format, aspect);
  // Of 16 bits a component, "R10X6G10X6": those that are not used come first.
  const std::string_view name = codec::enumerant_name(EnumId::VkFormat, format);
  const std::uint32_t padding = has(name, "X6") ? 6 : has(name, "X4") ? 4 : 2;
  const std::uint32_t unused = has(name, "2PACK16") || has(name, "4PACK16") ? padding : 0;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < texel.components(); ++i) {
    const TexelFormat::Component& component = texel.component(i);
    Sample sample{component.offset + unused, component.bits, channel_of(component.name)};
    if (srgb && sample.channel == kAlpha) sample.channel |= kLinear;
    set_range(sample, texel.kind(), texel.is_normalized());
    samples.push_back(sample);
  }
  // In the order of their places.
  if (samples.size() > 1 && samples.front().offset > samples.back().offset) return {samples.rbegin(), samples.rend()};
  return samples;
}

struct Blocks {
  Model model = rgbsda;
  std::vector<Sample> samples;  // none: not known
};

Blocks block_samples(VkFormat format, std::string_view name, bool srgb) {
  const auto alpha = static_cast<std::uint8_t>(kAlpha | (srgb ? kLinear : 0));
  const bool is_signed = has(name, "_SNORM_") || has(name, "_SFLOAT_"), is_float = has(name, "FLOAT_");
  const auto data = [&](std::uint32_t offset, std::uint32_t bits, std::uint8_t channel) {
    Sample sample{offset, bits, channel};
    if (is_float) {
      sample.channel |= static_cast<std::uint8_t>(kFloat | (is_signed ? kSigned : 0));
      sample.lower = is_signed ? std::bit_cast<std::uint32_t>(-1.0f) : 0;
      sample.upper = std::bit_cast<std::uint32_t>(1.0f);
    } else if (is_signed) {
      sample.channel |= kSigned;
      sample.lower = 0x80000000;
      sample.upper = 0x7fffffff;
    }
    return sample;
  };
  if (has(name, "_BC1_RGB_")) return {bc1a, {data(0, 64, 0)}};
  if (has(name, "_BC1_RGBA_")) return {bc1a, {data(0, 64, 1)}};  // its alpha is in the colour
  if (has(name, "_BC2_")) return {bc2, {data(0, 64, alpha), data(64, 64, 0)}};
  if (has(name, "_BC3_")) return {bc3, {data(0, 64, alpha), data(64, 64, 0)}};
  if (has(name, "_BC4_")) return {bc4, {data(0, 64, 0)}};
  if (has(name, "_BC5_")) return {bc5, {data(0, 64, 0), data(64, 64, 1)}};
  if (has(name, "_BC6H_")) return {bc6h, {data(0, 128, 0)}};
  if (has(name, "_BC7_")) return {bc7, {data(0, 128, 0)}};
  constexpr std::uint8_t kEtcColor = 2;
  if (has(name, "_ETC2_R8G8B8_")) return {etc2, {data(0, 64, kEtcColor)}};
  if (has(name, "_ETC2_R8G8B8A1_")) return {etc2, {data(0, 64, kEtcColor), data(0, 64, alpha)}};
  if (has(name, "_ETC2_R8G8B8A8_")) return {etc2, {data(0, 64, alpha), data(64, 64, kEtcColor)}};
  if (has(name, "_EAC_R11_")) return {etc2, {data(0, 64, 0)}};
  if (has(name, "_EAC_R11G11_")) return {etc2, {data(0, 64, 0), data(64, 64, 1)}};
  if (has(name, "_ASTC_") && gpu::block_of(format).bytes == 16) return {astc, {data(0, 128, 0)}};
  return {};
}

}  // namespace

std::vector<std::uint32_t> data_format_descriptor(VkFormat format) {
  const std::string_view name = codec::enumerant_name(EnumId::VkFormat, format);
  const bool srgb = has(name, "_SRGB");
  const bool depth = gpu::is_depth_stencil(format);
  const gpu::Block block = depth ? gpu::block_of(format, gpu::aspects_of(format)) : gpu::block_of(format);
  Blocks what;
  if (gpu::is_compressed(format))
    what = block_samples(format, name, srgb);
  else
    what.samples = texel_samples(format, srgb);
  // Numbers and depths are no colours.
  const bool colour = !depth && !gpu::is_integer(format);
  const std::uint32_t primaries = colour ? kPrimariesBt709 : 0;
  const std::uint32_t transfer = !colour ? 0 : srgb ? kTransferSrgb : kTransferLinear;
  const auto block_bytes = static_cast<std::uint32_t>(24 + 16 * what.samples.size());
  std::vector<std::uint32_t> words = {
      0,                      // vendor Khronos, type: basic format
      2 | block_bytes << 16,  // version 1.3 and later
      what.model | primaries << 8 | transfer << 16,
      (block.width - 1) | (block.height - 1) << 8,
      block.bytes,  // of the one plane
      0,
  };
  for (const Sample& sample : what.samples)
    words.insert(words.end(),
                 {sample.offset | (sample.bits - 1) << 16 | static_cast<std::uint32_t>(sample.channel) << 24,
                  0,  // its position
                  sample.lower, sample.upper});
  return words;
}

}  // namespace rondo::analyzers
