// SPDX-License-Identifier: Apache-2.0
#include "player/verify/psnr.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/gpu/texels.h"
#include "player/verify/texel_values.h"

namespace rondo::player {

bool has_psnr(const Texels& texels) {
  const TexelFormat format(texels.format, texels.aspect);
  return format.known() && (format.is_float() || format.is_normalized());
}

std::optional<double> psnr(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                           const Texels& texels) {
  const TexelFormat format(texels.format, texels.aspect);
  const std::size_t bytes = gpu::block_of(texels.format, texels.aspect).bytes, count = captured.size() / bytes;
  const bool floats = format.is_float();
  double squares = 0, peak = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = captured.subspan(i * bytes, bytes), b = replayed.subspan(i * bytes, bytes);
    const bool same = std::equal(a.begin(), a.end(), b.begin());
    if (same && !floats) continue;
    for (std::size_t c = 0; c < format.components(); ++c) {
      const double x = format.value(a, c), full = floats ? 1 : format.full(c);
      if (floats && std::isfinite(x)) peak = std::max(peak, std::abs(x));
      if (same) continue;
      const double y = format.value(b, c);
      if (std::isfinite(x) && std::isfinite(y)) {
        const double apart = x / full - y / full;
        squares += apart * apart;
      } else if (x != y && !(std::isnan(x) && std::isnan(y))) {
        return std::nullopt;
      }
    }
  }
  if (squares == 0) return std::numeric_limits<double>::infinity();
  if (!floats || peak == 0) peak = 1;
  const double mean = squares / static_cast<double>(count * format.components());
  return 20 * std::log10(peak) - 10 * std::log10(mean);
}

std::string psnr_text(const std::optional<double>& found, double wanted) {
  if (!found) return "it has no PSNR, for a value is not finite on one side only";
  char text[80];
  std::snprintf(text, sizeof text, "its PSNR is %.2f dB, and %g are asked for", *found, wanted);
  return text;
}

}  // namespace rondo::player
