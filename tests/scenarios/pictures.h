// SPDX-License-Identifier: Apache-2.0
// Pictures that a tool wrote, as pixels.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace scenario {

// A PNG file as 8 bits of red, green and blue. 0 x 0: it is none, which a check has said.
struct PngPicture {
  std::size_t width = 0, height = 0;
  std::string rgb;  // rows from the top

  std::array<int, 3> at(std::size_t x, std::size_t y) const;
};
PngPicture read_png(const std::string& path);

}  // namespace scenario
