// SPDX-License-Identifier: Apache-2.0
#include "screen.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace scenario {

namespace {

// Words of the file's header, big-endian.
constexpr std::size_t kHeaderSize = 0;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kHeight = 5;
constexpr std::size_t kBytesPerLine = 12;
constexpr std::size_t kColors = 19;
constexpr std::size_t kColorBytes = 12;

std::uint32_t word(const std::uint8_t* file, std::size_t index) {
  const std::uint8_t* b = file + 4 * index;
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}

}  // namespace

Screen::Screen() : server_(directory_.path()) {
  const std::string name = directory_.file("Xvfb_screen0");
  size_ = std::filesystem::file_size(name);
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot map " + name);
  file_ = static_cast<const std::uint8_t*>(mapped);
  // Once: a server that is reset because its last client left writes the header anew, and in the machine's
  // order at first.
  width_ = word(file_, kWidth);
  height_ = word(file_, kHeight);
  bytes_per_line_ = word(file_, kBytesPerLine);
  pixels_ = word(file_, kHeaderSize) + word(file_, kColors) * kColorBytes;
  if (pixels_ + bytes_per_line_ * height_ > size_) throw std::runtime_error(name + " is no picture yet");
}

Screen::~Screen() { ::munmap(const_cast<std::uint8_t*>(file_), size_); }

std::uint32_t Screen::pixel(unsigned x, unsigned y) const {
  const std::uint8_t* p = file_ + pixels_ + y * bytes_per_line_ + std::size_t{x} * 4;
  return std::uint32_t{p[2]} << 16 | std::uint32_t{p[1]} << 8 | p[0];
}

bool Screen::has_other_than(const std::vector<std::uint32_t>& colors, unsigned x, unsigned y, unsigned width,
                            unsigned height) const {
  for (unsigned row = y; row < y + height; ++row)
    for (unsigned column = x; column < x + width; ++column)
      if (std::find(colors.begin(), colors.end(), pixel(column, row)) == colors.end()) return true;
  return false;
}

std::size_t Screen::count(std::uint32_t color) const {
  std::size_t pixels = 0;
  for (unsigned y = 0; y < height_; ++y)
    for (unsigned x = 0; x < width_; ++x) pixels += pixel(x, y) == color ? 1 : 0;
  return pixels;
}

}  // namespace scenario
