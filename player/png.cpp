// SPDX-License-Identifier: Apache-2.0
// libpng, behind this one file.
#include <png.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "format/codec/schema.h"
#include "player/observer.h"

namespace rondo::player {

namespace {

bool is_bgra(VkFormat format) {
  return format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB;
}
bool is_rgba(VkFormat format) {
  return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R8G8B8A8_SRGB ||
         format == VK_FORMAT_A8B8G8R8_UNORM_PACK32 || format == VK_FORMAT_A8B8G8R8_SRGB_PACK32;
}

}  // namespace

Result<void> write_png(const std::string& path, VkFormat format, VkExtent3D extent,
                       std::span<const std::byte> texels) {
  if (!is_bgra(format) && !is_rgba(format))
    return fail(Status::failed, path + ": images of " +
                                    std::string(codec::enumerant_name(EnumId::VkFormat, format)) +
                                    " are not written as PNG; only 8-bit RGBA and BGRA ones are");
  // Alpha is left out: compositors ignore it unless asked, and viewers do not.
  const std::size_t pixels = std::size_t{extent.width} * extent.height;
  std::vector<std::uint8_t> rgb(pixels * 3);
  const auto* in = reinterpret_cast<const std::uint8_t*>(texels.data());
  const int red = is_bgra(format) ? 2 : 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    rgb[i * 3] = in[i * 4 + static_cast<std::size_t>(red)];
    rgb[i * 3 + 1] = in[i * 4 + 1];
    rgb[i * 3 + 2] = in[i * 4 + static_cast<std::size_t>(2 - red)];
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = extent.width;
  image.height = extent.height;
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) == 0)
    return fail(Status::failed, path + ": cannot be written: " + image.message);
  return {};
}

}  // namespace rondo::player
