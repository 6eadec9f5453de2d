// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/texel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fake {
namespace {

std::uint64_t load_bits(const std::byte* texel, unsigned shift, unsigned bits) {
  std::uint64_t word = 0;
  // No component crosses the eighth byte from the one it begins in.
  std::memcpy(&word, texel + shift / 8, (shift % 8 + bits + 7) / 8);
  word >>= shift % 8;
  return bits == 64 ? word : word & ((std::uint64_t{1} << bits) - 1);
}

void store_bits(std::byte* texel, unsigned shift, unsigned bits, std::uint64_t value) {
  std::uint64_t word = 0;
  const std::size_t bytes = (shift % 8 + bits + 7) / 8;
  std::memcpy(&word, texel + shift / 8, bytes);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  word = (word & ~(mask << shift % 8)) | (value & mask) << shift % 8;
  std::memcpy(texel + shift / 8, &word, bytes);
}

template <class To, class From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// Floats of fewer bits: 5 bits of exponent, the rest mantissa, a sign if told.
std::uint64_t small_float(float value, unsigned mantissa, bool sign) {
  const bool negative = std::signbit(value);
  if (negative && !sign) return 0;
  const std::uint64_t top = sign && negative ? std::uint64_t{1} << (mantissa + 5) : 0;
  if (std::isnan(value)) return top | std::uint64_t{31} << mantissa | 1;
  const double magnitude = std::fabs(static_cast<double>(value));
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -static_cast<int>(mantissa)), 15);
  if (magnitude > largest) return top | std::uint64_t{31} << mantissa;
  int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  auto scaled =
      static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, static_cast<int>(mantissa) - exponent)));
  const std::uint64_t one = std::uint64_t{1} << mantissa;
  if (scaled >= 2 * one) {
    scaled /= 2;
    ++exponent;
  }
  if (scaled < one) return top | scaled;  // a denormal, or nothing
  return top | static_cast<std::uint64_t>(exponent + 15) << mantissa | (scaled - one);
}

float from_small_float(std::uint64_t bits, unsigned mantissa, bool sign) {
  const bool negative = sign && (bits >> (mantissa + 5) & 1) != 0;
  const auto exponent = static_cast<int>(bits >> mantissa & 31);
  const auto fraction = static_cast<double>(bits & ((std::uint64_t{1} << mantissa) - 1));
  const double one = std::ldexp(1.0, static_cast<int>(mantissa));
  double value = exponent == 0 ? std::ldexp(fraction / one, -14) : std::ldexp(1 + fraction / one, exponent - 15);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return static_cast<float>(negative ? -value : value);
}

float to_srgb(float linear) {
  const float v = std::clamp(linear, 0.0f, 1.0f);
  return v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

float from_srgb(float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); }

double largest(unsigned bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llrint(value)); }

std::uint64_t encoded(const Component& c, float value) {
  if (std::isnan(value) && c.kind != Kind::sfloat && c.kind != Kind::ufloat) value = 0;
  switch (c.kind) {
    case Kind::unorm:
      return rounded(std::clamp(static_cast<double>(value), 0.0, 1.0) * largest(c.bits));
    case Kind::srgb: {
      const float v = c.channel == 'A' ? std::clamp(value, 0.0f, 1.0f) : to_srgb(value);
      return rounded(static_cast<double>(v) * largest(c.bits));
    }
    case Kind::snorm:
      return rounded(std::clamp(static_cast<double>(value), -1.0, 1.0) * largest(c.bits - 1u));
    case Kind::uscaled:
      return rounded(std::clamp(static_cast<double>(value), 0.0, largest(c.bits)));
    case Kind::sscaled:
      return rounded(std::clamp(static_cast<double>(value), -largest(c.bits - 1u) - 1, largest(c.bits - 1u)));
    case Kind::sfloat:
      if (c.bits == 64) return same_bits<std::uint64_t>(static_cast<double>(value));
      if (c.bits == 32) return same_bits<std::uint32_t>(value);
      return small_float(value, 10, true);
    case Kind::ufloat:
      return small_float(value, c.bits - 5u, false);
    case Kind::sfixed5:  // 5 bits behind the point
      return rounded(
          std::clamp(std::ldexp(static_cast<double>(value), 5), -largest(c.bits - 1u) - 1, largest(c.bits - 1u)));
    default:
      return 0;
  }
}

std::int64_t extended(std::uint64_t bits, unsigned width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

float decoded(const Component& c, std::uint64_t bits) {
  switch (c.kind) {
    case Kind::unorm:
      return static_cast<float>(static_cast<double>(bits) / largest(c.bits));
    case Kind::srgb: {
      const auto v = static_cast<float>(static_cast<double>(bits) / largest(c.bits));
      return c.channel == 'A' ? v : from_srgb(v);
    }
    case Kind::snorm:
      return static_cast<float>(std::max(static_cast<double>(extended(bits, c.bits)) / largest(c.bits - 1u), -1.0));
    case Kind::uscaled:
      return static_cast<float>(bits);
    case Kind::sscaled:
      return static_cast<float>(extended(bits, c.bits));
    case Kind::sfloat:
      if (c.bits == 64) return static_cast<float>(same_bits<double>(bits));
      if (c.bits == 32) return same_bits<float>(static_cast<std::uint32_t>(bits));
      return from_small_float(bits, 10, true);
    case Kind::ufloat:
      return from_small_float(bits, c.bits - 5u, false);
    case Kind::sfixed5:
      return std::ldexp(static_cast<float>(extended(bits, c.bits)), -5);
    default:
      return 0;
  }
}

std::size_t channel_index(char channel) {
  switch (channel) {
    case 'G':
      return 1;
    case 'B':
      return 2;
    case 'A':
      return 3;
    default:
      return 0;  // R, D, S
  }
}

// E5B9G9R9 (the specification, "Shared Exponent to RGB").
std::uint32_t shared_exponent(const float* color) {
  constexpr int kBias = 15, kMantissa = 9;
  const double most = (std::ldexp(1.0, kMantissa) - 1) / std::ldexp(1.0, kMantissa) * std::ldexp(1.0, 31 - kBias);
  double channel[3];
  double top = 0;
  for (int i = 0; i < 3; ++i) {
    channel[i] = std::isnan(color[i]) ? 0.0 : std::clamp(static_cast<double>(color[i]), 0.0, most);
    top = std::max(top, channel[i]);
  }
  int exponent = top == 0 ? 0 : std::max(-kBias - 1, std::ilogb(top)) + 1 + kBias;
  const auto scaled = [&](double v) { return rounded(std::ldexp(v, -(exponent - kBias - kMantissa))); };
  if (scaled(top) == std::uint64_t{1} << kMantissa) ++exponent;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(exponent) << 27 | scaled(channel[2]) << 18 |
                                    scaled(channel[1]) << 9 | scaled(channel[0]));
}

}  // namespace

const TexelFormat* texel_format(VkFormat format) {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i)
    if (kTexelFormats[i].format == format)
      return kTexelFormats[i].count == 0 && format != VK_FORMAT_E5B9G9R9_UFLOAT_PACK32 ? nullptr : &kTexelFormats[i];
  return nullptr;
}

bool is_integer(const TexelFormat& format) {
  return format.count != 0 && (format.components[0].kind == Kind::uint || format.components[0].kind == Kind::sint);
}

void encode(const TexelFormat& format, const VkClearColorValue& color, std::byte* texel) {
  if (format.format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
    const std::uint32_t word = shared_exponent(color.float32);
    std::memcpy(texel, &word, sizeof word);
    return;
  }
  for (std::size_t i = 0; i < format.count; ++i) {
    const Component& c = format.components[i];
    const std::size_t at = channel_index(c.channel);
    std::uint64_t bits = 0;
    if (c.kind == Kind::uint) {
      bits = c.bits >= 32 ? color.uint32[at] : std::min<std::uint64_t>(color.uint32[at], (1u << c.bits) - 1);
    } else if (c.kind == Kind::sint) {
      std::int64_t value = color.int32[at];
      if (c.bits < 32) value = std::clamp<std::int64_t>(value, -(1 << (c.bits - 1)), (1 << (c.bits - 1)) - 1);
      bits = static_cast<std::uint64_t>(value);
    } else {
      bits = encoded(c, color.float32[at]);
    }
    store_bits(texel, c.shift, c.bits, bits);
  }
}

void encode_depth(VkFormat format, float depth, std::byte* texel) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D16_UNORM_S8_UINT:
      store_bits(texel, 0, 16, encoded({'D', 16, 0, 0, Kind::unorm}, depth));
      return;
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT:
      store_bits(texel, 0, 24, encoded({'D', 24, 0, 0, Kind::unorm}, depth));
      return;
    default:
      store_bits(texel, 0, 32, same_bits<std::uint32_t>(depth));
  }
}

VkClearColorValue decode(const TexelFormat& format, const std::byte* texel) {
  VkClearColorValue color{};
  const bool integer = is_integer(format);
  if (integer)
    color.uint32[3] = 1;
  else
    color.float32[3] = 1;
  if (format.format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
    std::uint32_t word;
    std::memcpy(&word, texel, sizeof word);
    const int exponent = static_cast<int>(word >> 27) - 15 - 9;
    for (unsigned i = 0; i < 3; ++i) color.float32[i] = std::ldexp(static_cast<float>(word >> (9 * i) & 511), exponent);
    return color;
  }
  for (std::size_t i = 0; i < format.count; ++i) {
    const Component& c = format.components[i];
    const std::uint64_t bits = load_bits(texel, c.shift, c.bits);
    const std::size_t at = channel_index(c.channel);
    if (c.kind == Kind::uint)
      color.uint32[at] = static_cast<std::uint32_t>(bits);
    else if (c.kind == Kind::sint)
      color.int32[at] = static_cast<std::int32_t>(extended(bits, c.bits));
    else
      color.float32[at] = decoded(c, bits);
  }
  return color;
}

}  // namespace fake
