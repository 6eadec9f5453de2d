// SPDX-License-Identifier: Apache-2.0
// How alike two images are, for devices that round otherwise: the peak
// signal-to-noise ratio in dB, 10 * log10(peak^2 / mean squared difference).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "player/verify/difference.h"

namespace rondo::player {

// Whether it says something of such texels: of normalized and floating-point
// components. Integers, stencils, compressed blocks and shared exponents are equal or not.
bool has_psnr(const Texels& texels);

// Over all components of all texels, alpha included. The peak is 1 of normalized
// ones (sRGB as stored), of floating-point ones the largest finite magnitude that was
// captured (1 where that is 0). Infinite where no value differs, nothing where one
// side alone is not finite. `captured` and `replayed` are of the same size, has_psnr().
std::optional<double> psnr(std::span<const std::byte> captured, std::span<const std::byte> replayed,
                           const Texels& texels);

// "its PSNR is 31.42 dB, and 40 are asked for"
std::string psnr_text(const std::optional<double>& found, double wanted);

}  // namespace rondo::player
