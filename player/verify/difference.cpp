// SPDX-License-Identifier: Apache-2.0
#include "player/verify/difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "model/gpu/texels.h"
#include "player/verify/texel_values.h"

namespace rondo::player {

namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// How far apart floating-point numbers are.
struct Distance {
  double absolute = 0, relative = 0;
  bool finite = true;  // of all

  void add(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) {
      finite = finite && (a == b || (std::isnan(a) && std::isnan(b)));
      return;
    }
    const double apart = std::abs(a - b);
    absolute = std::max(absolute, apart);
    if (const double size = std::max(std::abs(a), std::abs(b)); size != 0) relative = std::max(relative, apart / size);
  }
  std::string text() const {
    return "largest absolute difference " + number(absolute) + ", relative " + number(relative) +
           (finite ? "" : ", and some are not finite on one side only");
  }
};

float float_at(std::span<const std::byte> bytes, std::size_t at) {
  float value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Bits that a number of some calculation may well have.
bool looks_like_float(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 23 & 0xff;
  return bits == 0 || bits == 0x80000000 || (exponent > 127 - 60 && exponent < 127 + 60);
}

}  // namespace

std::string describe_bytes(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                           std::uint64_t offset) {
  std::size_t first = captured.size(), last = 0, count = 0;
  for (std::size_t i = 0; i < captured.size(); ++i)
    if (captured[i] != replayed[i]) {
      first = std::min(first, i);
      last = i;
      ++count;
    }
  // Whole words around the first difference, up to the next equal one.
  const std::size_t begin = first / 4 * 4;
  std::size_t end = begin;
  while (end < captured.size() && end - begin < 16 &&
         !std::equal(captured.begin() + static_cast<std::ptrdiff_t>(end),
                     captured.begin() + static_cast<std::ptrdiff_t>(std::min(end + 4, captured.size())),
                     replayed.begin() + static_cast<std::ptrdiff_t>(end)))
    end = std::min(end + 4, captured.size());
  std::string text = "bytes " + std::to_string(offset + begin) + " to " + std::to_string(offset + end) + ": captured " +
                     hexadecimal(captured.subspan(begin, end - begin)) + ", replayed " +
                     hexadecimal(replayed.subspan(begin, end - begin)) + "; " + std::to_string(count) + " of " +
                     std::to_string(captured.size()) + " bytes differ, the last at " + std::to_string(offset + last);
  // As numbers, where all that differs may be some.
  Distance distance;
  bool floats = true;
  for (std::size_t at = begin; at + 4 <= captured.size() && floats; at += 4) {
    if (word_at(captured, at) == word_at(replayed, at)) continue;
    floats = looks_like_float(word_at(captured, at)) && looks_like_float(word_at(replayed, at));
    distance.add(float_at(captured, at), float_at(replayed, at));
  }
  if (begin + 4 > captured.size()) return text;
  text += "; as 32-bit numbers " + std::to_string(word_at(captured, begin)) + " and " +
          std::to_string(word_at(replayed, begin));
  if (floats)
    text += ", as floats " + number(static_cast<double>(float_at(captured, begin))) + " and " +
            number(static_cast<double>(float_at(replayed, begin))) + ", " + distance.text();
  return text;
}

std::string describe_texels(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                            const Texels& texels) {
  const gpu::Block block = gpu::block_of(texels.format, texels.aspect);
  if (block.bytes == 0 || captured.size() % block.bytes != 0) return describe_bytes(captured, replayed, 0);
  const auto blocks = [](std::uint32_t size, std::uint32_t unit) { return (size + unit - 1) / unit; };
  const std::size_t row = std::max(blocks(texels.extent.width, block.width), 1u);
  const std::size_t slice = row * std::max(blocks(texels.extent.height, block.height), 1u);
  const TexelFormat format(texels.format, texels.aspect);
  const std::size_t all = captured.size() / block.bytes;
  std::size_t first = all, count = 0;
  Distance distance;
  for (std::size_t i = 0; i < all; ++i) {
    const auto a = captured.subspan(i * block.bytes, block.bytes), b = replayed.subspan(i * block.bytes, block.bytes);
    if (std::equal(a.begin(), a.end(), b.begin())) continue;
    first = std::min(first, i);
    ++count;
    for (std::size_t c = 0; format.is_float() && c < format.components(); ++c)
      distance.add(format.value(a, c), format.value(b, c));
  }
  if (first == all) return "no texel differs";
  const bool compressed = block.width > 1 || block.height > 1;
  std::string text = std::string(compressed ? "block" : "pixel") + " (" + std::to_string(first % row * block.width) +
                     ", " + std::to_string(first % slice / row * block.height);
  if (texels.extent.depth > 1) text += ", " + std::to_string(first / slice);
  if (texels.samples != VK_SAMPLE_COUNT_1_BIT) text += ", sample " + std::to_string(first / slice);
  text += "): captured " + format.text(captured.subspan(first * block.bytes, block.bytes)) + ", replayed " +
          format.text(replayed.subspan(first * block.bytes, block.bytes)) + "; " + std::to_string(count) + " of " +
          std::to_string(all) + (compressed ? " blocks differ" : " pixels differ");
  return format.is_float() ? text + ", " + distance.text() : text;
}

std::optional<Reader::Bytes> CapturedContents::bytes(const Digest& digest) {
  if (!std::exchange(tried_, true)) {
    ReaderOptions options;
    options.salvage = true;
    options.files = files_;
    auto reader = Reader::open(path_, options);
    if (reader) reader_ = std::move(*reader);
  }
  if (reader_ == nullptr) return std::nullopt;
  auto bytes = reader_->blob(digest);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace rondo::player
