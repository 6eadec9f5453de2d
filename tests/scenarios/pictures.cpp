// SPDX-License-Identifier: Apache-2.0
#include "pictures.h"

#include <png.h>

#include <catch2/catch.hpp>

#include "fixture.h"

namespace scenario {

std::array<int, 3> PngPicture::at(std::size_t x, std::size_t y) const {
  const std::size_t first = (y * width + x) * 3;
  const auto component = [&](std::size_t i) { return static_cast<int>(static_cast<unsigned char>(rgb.at(first + i))); };
  return {component(0), component(1), component(2)};
}

PngPicture read_png(const std::string& path) {
  const std::string file = read_file(path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  PngPicture picture;
  const bool begun = png_image_begin_read_from_memory(&image, file.data(), file.size()) != 0;
  image.format = PNG_FORMAT_RGB;
  picture.rgb.resize(begun ? PNG_IMAGE_SIZE(image) : 0);
  const bool read = begun && png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) != 0;
  INFO(path << ": " << image.message);
  CHECK(read);
  picture.width = read ? image.width : 0;
  picture.height = read ? image.height : 0;
  png_image_free(&image);
  return picture;
}

}  // namespace scenario
