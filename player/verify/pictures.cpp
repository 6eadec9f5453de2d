// SPDX-License-Identifier: Apache-2.0
#include "player/verify/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "model/gpu/texels.h"

namespace rondo::player {

namespace {

constexpr std::size_t kMostSampled = std::size_t{1} << 20;  // values that a percentile is found of
constexpr std::byte kFull{0xff};

std::string value_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Which component of a texel is red, green and blue. kNoComponent: none, it is 0.
constexpr std::size_t kNoComponent = SIZE_MAX;
using Colors = std::array<std::size_t, 3>;

Colors colors_of(const ShownTexels& shown, const TexelFormat& format) {
  Colors colors{kNoComponent, kNoComponent, kNoComponent};
  std::size_t first = kNoComponent;
  for (std::size_t i = 0; i < format.components(); ++i) {
    const std::size_t color = std::string_view("rgb").find(format.component(i).name);
    if (color == std::string_view::npos) continue;
    colors[color] = i;
    first = first == kNoComponent || color == 0 ? i : first;
  }
  if (first == kNoComponent) first = 0;  // depth, stencil, or alpha alone
  if (shown.colors == 1) return {first, first, first};
  if (shown.colors == 2) colors[2] = kNoComponent;
  return colors;
}

// Calls visit(value) for each component that is shown: normalized ones as numbers from -1 or 0 to 1.
template <class Visit>
void each_value(const ShownTexels& shown, std::span<const std::byte> bytes, const Visit& visit) {
  const TexelFormat format(shown.texels.format, shown.texels.aspect);
  const Colors colors = colors_of(shown, format);
  const std::size_t size = gpu::block_of(shown.texels.format, shown.texels.aspect).bytes;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    for (std::size_t c = 0; c < (shown.colors == 1 ? 1 : colors.size()); ++c)
      if (colors[c] != kNoComponent) visit(format.value(bytes.subspan(at, size), colors[c]));
}

struct ValueSpread {
  double low = std::numeric_limits<double>::infinity(), high = -low;  // of the finite values
  std::uint64_t values = 0, not_finite = 0;
};

ValueSpread spread_of(const ShownTexels& shown, std::span<const std::span<const std::byte>> contents) {
  ValueSpread spread;
  for (const auto& bytes : contents)
    each_value(shown, bytes, [&](double value) {
      ++spread.values;
      if (!std::isfinite(value)) {
        ++spread.not_finite;
        return;
      }
      spread.low = std::min(spread.low, value);
      spread.high = std::max(spread.high, value);
    });
  if (spread.low > spread.high) spread.low = spread.high = 0;
  return spread;
}

// The value that `part` of the finite ones do not exceed.
double value_at_part(const ShownTexels& shown, std::span<const std::span<const std::byte>> contents,
                     std::uint64_t values, double part) {
  const std::uint64_t step = values / kMostSampled + 1;
  std::vector<double> some;
  std::uint64_t i = 0;
  for (const auto& bytes : contents)
    each_value(shown, bytes, [&](double value) {
      if (i++ % step == 0 && std::isfinite(value)) some.push_back(value);
    });
  if (some.empty()) return 0;
  const auto at = some.begin() + static_cast<std::ptrdiff_t>(std::floor(part * static_cast<double>(some.size() - 1)));
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

std::string black_to_white(const std::string& what, double low, double high) {
  return what + " " + value_text(low) + " to " + value_text(high) + " as black to white";
}

Shades stretched(const std::string& what, const ValueSpread& spread) {
  if (spread.low == spread.high) return {spread.low, spread.high, what + " " + value_text(spread.low) + " everywhere"};
  return {spread.low, spread.high, black_to_white(what, spread.low, spread.high)};
}

// Of red, green and blue of each texel, grey in all three: how far apart they are. Normalized ones as numbers up to 1.
// Infinite: one side alone is finite.
std::vector<double> differences(const ShownTexels& shown, std::span<const std::byte> a, std::span<const std::byte> b) {
  const TexelFormat format(shown.texels.format, shown.texels.aspect);
  const Colors colors = colors_of(shown, format);
  const std::size_t size = gpu::block_of(shown.texels.format, shown.texels.aspect).bytes;
  std::vector<double> out;
  out.reserve(a.size() / size * colors.size());
  for (std::size_t at = 0; at + size <= std::min(a.size(), b.size()); at += size)
    for (const std::size_t c : colors) {
      if (c == kNoComponent) {
        out.push_back(0);
        continue;
      }
      const double x = format.value(a.subspan(at, size), c), y = format.value(b.subspan(at, size), c);
      const bool same = x == y || (std::isnan(x) && std::isnan(y));
      const double full = format.is_normalized() ? format.full(c) : 1;
      out.push_back(same ? 0 : std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) / full : HUGE_VAL);
    }
  return out;
}

std::byte shade(double value, const Shades& shades) {
  if (shades.low >= shades.high) return value > 0 ? kFull : std::byte{0};
  const double part = std::clamp((value - shades.low) / (shades.high - shades.low), 0.0, 1.0);
  return static_cast<std::byte>(std::lround(part * 255));
}

}  // namespace

ShownTexels shown_texels(const Texels& texels) {
  ShownTexels shown{texels, 0};
  const TexelFormat format(texels.format, texels.aspect);
  for (std::size_t i = 0; i < format.components(); ++i)
    shown.colors += std::string_view("rgb").find(format.component(i).name) != std::string_view::npos ? 1 : 0;
  shown.colors = std::max(shown.colors, 1u);
  return shown;
}

Shades shades_of(const ShownTexels& shown, std::span<const std::span<const std::byte>> contents) {
  const TexelFormat format(shown.texels.format, shown.texels.aspect);
  if (!format.known()) return {};
  const bool is_depth = format.component(0).name == 'd';
  if (format.is_normalized() && !is_depth) {
    if (format.kind() != TexelFormat::Kind::sint) return {0, format.full(0), {}};
    return {-format.full(0), format.full(0), "-1 to 1 as black to white"};
  }
  const ValueSpread spread = spread_of(shown, contents);
  if (is_depth) {
    Shades shades = stretched("depth", spread);
    if (format.is_normalized()) {
      const double full = format.full(0);
      shades.text = stretched("depth", {spread.low / full, spread.high / full, 0, 0}).text;
    }
    return shades;
  }
  if (!format.is_float()) return stretched(format.component(0).name == 's' ? "stencil" : "values", spread);
  Shades shades;
  if (spread.low < 0) shades.low = std::min(value_at_part(shown, contents, spread.values, 0.01), 0.0);
  if (spread.high > 1) shades.high = std::max(value_at_part(shown, contents, spread.values, 0.99), 1.0);
  shades.text = black_to_white("values", shades.low, shades.high);
  if (spread.low < shades.low) shades.text += ", the least is " + value_text(spread.low);
  if (spread.high > shades.high) shades.text += ", the greatest is " + value_text(spread.high);
  if (spread.not_finite != 0)
    shades.text += ", " + std::to_string(spread.not_finite) + " that are not finite in magenta";
  return shades;
}

std::uint32_t slices_in_row(std::uint32_t slices) {
  std::uint32_t row = 1;
  while (row * row < slices) ++row;
  return row;
}

Picture picture_of(const ShownTexels& shown, std::span<const std::byte> bytes, const Shades& shades) {
  const TexelFormat format(shown.texels.format, shown.texels.aspect);
  const Colors colors = colors_of(shown, format);
  const VkExtent3D extent = shown.texels.extent;
  const std::size_t size = gpu::block_of(shown.texels.format, shown.texels.aspect).bytes;
  const std::uint32_t columns = slices_in_row(extent.depth);
  Picture out;
  out.width = extent.width * columns;
  out.height = extent.height * ((extent.depth + columns - 1) / columns);
  out.rgb.resize(std::size_t{out.width} * out.height * 3);
  if (!format.known() || size == 0) return out;
  // Components of a format may differ in their bits: each is stretched as the first one is.
  std::array<double, 3> factors{1, 1, 1};
  for (std::size_t c = 0; c < 3; ++c)
    if (format.is_normalized() && colors[c] != kNoComponent) factors[c] = format.full(0) / format.full(colors[c]);
  std::size_t at = 0;
  for (std::uint32_t z = 0; z < extent.depth; ++z)
    for (std::uint32_t y = 0; y < extent.height; ++y) {
      const std::size_t row = std::size_t{z / columns} * extent.height + y;
      std::size_t to = (row * out.width + std::size_t{z % columns} * extent.width) * 3;
      for (std::uint32_t x = 0; x < extent.width && at + size <= bytes.size(); ++x, at += size, to += 3) {
        bool finite = true;
        for (std::size_t c = 0; c < 3; ++c) {
          if (colors[c] == kNoComponent) continue;
          const double value = format.value(bytes.subspan(at, size), colors[c]) * factors[c];
          finite = finite && std::isfinite(value);
          if (std::isfinite(value)) out.rgb[to + c] = shade(value, shades);
        }
        if (finite) continue;
        out.rgb[to] = out.rgb[to + 2] = kFull;
        out.rgb[to + 1] = std::byte{0};
      }
    }
  return out;
}

Picture scaled(const Picture& picture, std::uint32_t side) {
  const std::uint32_t longer = std::max({picture.width, picture.height, 1u});
  Picture out;
  const auto resize = [&](std::uint64_t width, std::uint64_t height) {
    out.width = static_cast<std::uint32_t>(std::max<std::uint64_t>(width, 1));
    out.height = static_cast<std::uint32_t>(std::max<std::uint64_t>(height, 1));
    out.rgb.resize(std::size_t{out.width} * out.height * 3);
  };
  if (picture.rgb.empty()) return out;
  if (longer <= side)
    resize(std::uint64_t{picture.width} * (side / longer), std::uint64_t{picture.height} * (side / longer));
  else
    resize(std::uint64_t{picture.width} * side / longer, std::uint64_t{picture.height} * side / longer);
  // The pixels of `picture` that pixel `i` of `n` stands for, out of `of`: at least one.
  const auto from = [](std::uint32_t i, std::uint32_t n, std::uint32_t of) {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{i} * of / n);
    const auto last = static_cast<std::uint32_t>(std::uint64_t{i + 1} * of / n);
    return std::pair(first, std::max(last, first + 1));
  };
  for (std::uint32_t y = 0; y < out.height; ++y)
    for (std::uint32_t x = 0; x < out.width; ++x) {
      const auto [left, right] = from(x, out.width, picture.width);
      const auto [top, bottom] = from(y, out.height, picture.height);
      const std::uint64_t count = std::uint64_t{right - left} * (bottom - top);
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint64_t sum = count / 2;
        for (std::uint32_t v = top; v < bottom; ++v)
          for (std::uint32_t u = left; u < right; ++u)
            sum += std::to_integer<std::uint64_t>(picture.rgb[(std::size_t{v} * picture.width + u) * 3 + c]);
        out.rgb[(std::size_t{y} * out.width + x) * 3 + c] = static_cast<std::byte>(sum / count);
      }
    }
  return out;
}

void paste(const Picture& what, Picture& into, std::uint32_t x, std::uint32_t y) {
  const std::size_t row = std::size_t{what.width} * 3;
  for (std::uint32_t i = 0; i < what.height; ++i)
    std::copy_n(what.rgb.begin() + static_cast<std::ptrdiff_t>(i * row), row,
                into.rgb.begin() + static_cast<std::ptrdiff_t>((std::size_t{y + i} * into.width + x) * 3));
}

DifferencePicture difference_picture(const ShownTexels& shown, std::span<const std::byte> captured,
                                     std::span<const std::byte> replayed) {
  constexpr std::uint32_t kGap = 8;
  const std::array both{captured, replayed};
  const Shades shades = shades_of(shown, both);
  const Picture expected = picture_of(shown, captured, shades), found = picture_of(shown, replayed, shades);
  std::vector<double> apart = differences(shown, captured, replayed);
  double greatest = 0;
  std::vector<double> of_texels;  // the greatest difference of each texel that differs
  for (std::size_t i = 0; i + 2 < apart.size(); i += 3) {
    double most = 0;
    bool differs = false;
    for (std::size_t k = i; k < i + 3; ++k) {
      differs = differs || apart[k] != 0;
      if (std::isfinite(apart[k])) most = std::max(most, apart[k]);
    }
    if (differs) of_texels.push_back(most);
    greatest = std::max(greatest, most);
  }
  // A small difference is still to be seen.
  constexpr double kLeast = 0.25;
  for (double& one : apart)
    if (one > 0) one = greatest * kLeast + one * (1 - kLeast);
  // Three floating-point numbers a texel: the same layout as the contents have.
  ShownTexels of_apart = shown;
  of_apart.texels.format = VK_FORMAT_R64G64B64_SFLOAT;
  of_apart.texels.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  of_apart.colors = 3;
  const Picture third = picture_of(of_apart, std::as_bytes(std::span(apart)), {0, greatest == 0 ? 1 : greatest, {}});
  DifferencePicture out;
  out.text = "captured, replayed, difference (none in what is shown)";
  if (greatest != 0) {
    const auto middle = of_texels.begin() + static_cast<std::ptrdiff_t>((of_texels.size() - 1) / 2);
    std::nth_element(of_texels.begin(), middle, of_texels.end());
    out.text = "captured, replayed, difference: " + std::to_string(of_texels.size()) + " of " +
               std::to_string(apart.size() / 3) + " texels, white: " + value_text(greatest) +
               ", half of them at most " + value_text(*middle);
  }
  if (!shades.text.empty()) out.text += "; " + shades.text;
  out.picture = {expected.width * 3 + 2 * kGap, expected.height, {}};
  out.picture.rgb.assign(std::size_t{out.picture.width} * out.picture.height * 3, std::byte{0x80});
  std::uint32_t x = 0;
  for (const Picture* one : {&expected, &found, &third}) {
    paste(*one, out.picture, x, 0);
    x += expected.width + kGap;
  }
  return out;
}

}  // namespace rondo::player
