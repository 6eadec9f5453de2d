// SPDX-License-Identifier: Apache-2.0
// An X server whose picture can be looked at while programs draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "process.h"

namespace scenario {

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const std::string& display() const { return server_.name(); }
  std::size_t count(std::uint32_t color) const;  // pixels (0xRRGGBB)
  // Whether any pixel (0xRRGGBB) of the rectangle is none of these.
  bool has_other_than(const std::vector<std::uint32_t>& colors, unsigned x, unsigned y, unsigned width,
                      unsigned height) const;

 private:
  std::uint32_t pixel(unsigned x, unsigned y) const;

  TemporaryDirectory directory_;
  VirtualDisplay server_;
  const std::uint8_t* file_ = nullptr;  // what the server keeps its picture in: XWD
  std::size_t size_ = 0, pixels_ = 0;   // bytes; where the pixels begin
  std::size_t width_ = 0, height_ = 0, bytes_per_line_ = 0;
};

}  // namespace scenario
