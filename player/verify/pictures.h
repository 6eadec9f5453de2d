// SPDX-License-Identifier: Apache-2.0
// Pictures of texels for people to look at: 8 bits of red, green and blue, whatever the format of the texels. What a
// picture loses (precision, range, alpha) its Shades say in words. No device is needed; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/vulkan.h"
#include "player/verify/difference.h"
#include "player/verify/texel_values.h"

namespace rondo::player {

// Rows from the top, three bytes a pixel (red, green, blue), without padding.
struct Picture {
  std::uint32_t width = 0, height = 0;  // in pixels
  std::vector<std::byte> rgb;
};

// Texels as a picture shows them.
struct ShownTexels {
  Texels texels;        // the size, format and aspect; of one sample
  unsigned colors = 3;  // how many components carry something: 1 is shown as grey, of 2 blue is 0
  bool known() const { return TexelFormat(texels.format, texels.aspect).known(); }
};
// As the format has them.
ShownTexels shown_texels(const Texels& texels);

// Which values are black and white. Values outside are clamped.
struct Shades {
  double low = 0, high = 1;  // black and white; equal: 0 is black, anything above is white
  std::string text;          // "depth 0.25 to 1 as black to white"; empty: values are as they are stored
};
// Depth, stencil and integers are stretched from the least to the greatest value, signed normalized ones go from -1 to
// 1, unsigned normalized ones are as they are stored. Floating-point colors go from 0 (or the value that 1 % are below,
// if some are negative) to 1 (or the value that 1 % are above, if some are greater). `contents`: all that is shown with
// these shades. `shown` is known().
Shades shades_of(const ShownTexels& shown, std::span<const std::span<const std::byte>> contents);

// Alpha is left out, unless there is nothing else. A texel with a value that is not finite is magenta. The slices of a
// 3D image lie side by side, slices_in_row() of them in a row. `bytes` has all texels, without padding.
Picture picture_of(const ShownTexels& shown, std::span<const std::byte> bytes, const Shades& shades);
std::uint32_t slices_in_row(std::uint32_t slices);

// Scaled so that the longer side has at most `side` pixels: smaller by averages, or larger by a whole number of times.
Picture scaled(const Picture& picture, std::uint32_t side);
// Copies `what` into `into`, with its top left corner at (x, y). It must fit.
void paste(const Picture& what, Picture& into, std::uint32_t x, std::uint32_t y);

// What was expected, what was found and their difference side by side, 8 pixels apart. The first two have the same
// shades. A component without a difference is black, the least difference a quarter of white, the greatest white.
// Values that are finite on one side only are magenta.
struct DifferencePicture {
  Picture picture;
  // "captured, replayed, difference: 403 of 250000 texels, white: 0.76, half of them at most 0.004"; and the shades
  std::string text;
};
// Both contents are of the same size, and `shown` is known().
DifferencePicture difference_picture(const ShownTexels& shown, std::span<const std::byte> captured,
                                     std::span<const std::byte> replayed);

}  // namespace rondo::player
