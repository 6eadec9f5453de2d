// SPDX-License-Identifier: Apache-2.0
#include "player/verify/texel_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "format/codec/schema.h"
#include "model/gpu/texels.h"

namespace rondo::player {

namespace {

// A binary floating-point number of so many exponent and mantissa bits.
double decode_float(std::uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits, bool is_signed) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  const std::uint64_t exponent = bits >> mantissa_bits & ((std::uint64_t{1} << exponent_bits) - 1);
  const bool negative = is_signed && (bits >> (mantissa_bits + exponent_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double fraction = std::ldexp(static_cast<double>(mantissa), -static_cast<int>(mantissa_bits));
  double value = 0;
  if (exponent == (std::uint64_t{1} << exponent_bits) - 1)
    value = mantissa != 0 ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias);
  else
    value = std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
  return negative ? -value : value;
}

std::uint64_t bits_of(std::span<const std::byte> texel, std::uint32_t offset, std::uint32_t count) {
  // No component lies across more than eight bytes.
  const std::size_t first = std::min<std::size_t>(offset / 8, texel.size());
  std::uint64_t value = 0;
  std::memcpy(&value, texel.data() + first, std::min(texel.size() - first, sizeof value));
  value >>= offset % 8;
  return count < 64 ? value & ((std::uint64_t{1} << count) - 1) : value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

TexelFormat::TexelFormat(VkFormat format, VkImageAspectFlags aspect) {
  if (!gpu::is_depth_stencil(format)) {
    parse(format);
    return;
  }
  const std::uint32_t bytes = gpu::block_of(format, aspect).bytes;
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) {
    components_ = {{'s', 8, 0}};
    return;
  }
  const bool is_float = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
  kind_ = is_float ? Kind::sfloat : Kind::uint;
  normalized_ = !is_float;
  components_ = {{'d', is_float ? 32 : std::min(bytes * 8, 24u), 0}};
}

// VK_FORMAT_<letter><bits>…_<type>[_PACK<n>]: the first letter is the lowest
// byte's, or the highest bits' of a packed format.
void TexelFormat::parse(VkFormat format) {
  std::string_view name = codec::enumerant_name(EnumId::VkFormat, format);
  constexpr std::string_view prefix = "VK_FORMAT_";
  const std::uint32_t bytes = gpu::block_of(format).bytes;
  if (!name.starts_with(prefix) || bytes == 0 || gpu::is_compressed(format) || gpu::is_planar(format)) return;
  name.remove_prefix(prefix.size());
  const bool packed = name.find("_PACK") != std::string_view::npos;
  std::vector<Component> found;
  std::uint32_t at = 0;
  while (!name.empty() && name.front() != '_') {
    const char letter = name.front();
    name.remove_prefix(1);
    std::uint32_t bits = 0;
    for (; !name.empty() && is_digit(name.front()); name.remove_prefix(1))
      bits = bits * 10 + static_cast<std::uint32_t>(name.front() - '0');
    if (bits == 0 || bits > 64 || letter == 'E') return;  // a shared exponent
    found.push_back({static_cast<char>(letter | 0x20), bits, at});
    at += bits;
  }
  if (at > bytes * 8) return;
  if (packed)
    for (Component& c : found) c.offset = bytes * 8 - c.offset - c.bits;
  if (name.starts_with("_SFLOAT"))
    kind_ = Kind::sfloat;
  else if (name.starts_with("_UFLOAT"))
    kind_ = Kind::ufloat;
  else if (name.starts_with("_S") && !name.starts_with("_SRGB"))
    kind_ = Kind::sint;
  normalized_ = name.starts_with("_UNORM") || name.starts_with("_SNORM") || name.starts_with("_SRGB");
  std::erase_if(found, [](const Component& c) { return c.name == 'x'; });
  components_ = std::move(found);
}

double TexelFormat::value(std::span<const std::byte> texel, std::size_t i) const {
  const Component& c = components_[i];
  const std::uint64_t bits = bits_of(texel, c.offset, c.bits);
  switch (kind_) {
    case Kind::uint:
      return static_cast<double>(bits);
    case Kind::sint:
      return static_cast<double>(static_cast<std::int64_t>(bits << (64 - c.bits)) >> (64 - c.bits));
    case Kind::ufloat:
      return decode_float(bits, 5, c.bits - 5, false);
    case Kind::sfloat:
      return c.bits == 16   ? decode_float(bits, 5, 10, true)
             : c.bits == 32 ? decode_float(bits, 8, 23, true)
                            : std::bit_cast<double>(bits);
  }
  return 0;
}

double TexelFormat::full(std::size_t i) const {
  const std::uint32_t bits = components_[i].bits - (kind_ == Kind::sint ? 1 : 0);
  return std::ldexp(1.0, static_cast<int>(bits)) - 1;
}

std::string TexelFormat::text(std::span<const std::byte> texel) const {
  if (!known()) return hexadecimal(texel);
  std::string all = "(";
  for (std::size_t i = 0; i < components_.size(); ++i) {
    char number[40];
    std::snprintf(number, sizeof number, is_float() ? "%s%c %.9g" : "%s%c %.0f", i != 0 ? ", " : "",
                  components_[i].name, value(texel, i));
    all += number;
  }
  return all + ")";
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::size_t most = 32;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), most))) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x", std::to_integer<unsigned>(byte));
    text += pair;
  }
  return bytes.size() > most ? text + "…" : text;
}

}  // namespace rondo::player
