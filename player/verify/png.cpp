// SPDX-License-Identifier: Apache-2.0
// libpng, behind this one file.
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "format/codec/schema.h"
#include "format/file.h"
#include "format/output_names.h"
#include "format/outputs.h"
#include "format/temporary_path.h"
#include "player/verify/encode_png.h"
#include "player/verify/observer.h"
#include "player/verify/pictures.h"

namespace rondo::player {

namespace {

constexpr std::size_t kMessage = 128;

bool is_bgra(VkFormat format) { return format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB; }
bool is_rgba(VkFormat format) {
  return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R8G8B8A8_SRGB ||
         format == VK_FORMAT_A8B8G8R8_UNORM_PACK32 || format == VK_FORMAT_A8B8G8R8_SRGB_PACK32;
}

// How a format's texels are pixels of a PNG.
struct Pixels {
  std::size_t components = 0;  // of a texel; 0: they are none
  int bits = 8;                // of a component
  bool reversed = false;       // blue comes first
  bool srgb = false;
};

Pixels pixels_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_S8_UINT:
      return {1};
    case VK_FORMAT_R8_SRGB:
      return {1, 8, false, true};
    case VK_FORMAT_R8G8_UNORM:
      return {2};
    case VK_FORMAT_R8G8_SRGB:
      return {2, 8, false, true};
    case VK_FORMAT_R8G8B8_UNORM:
      return {3};
    case VK_FORMAT_R8G8B8_SRGB:
      return {3, 8, false, true};
    case VK_FORMAT_B8G8R8_UNORM:
      return {3, 8, true};
    case VK_FORMAT_B8G8R8_SRGB:
      return {3, 8, true, true};
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32:
      return {4};
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32:
      return {4, 8, false, true};
    case VK_FORMAT_B8G8R8A8_UNORM:
      return {4, 8, true};
    case VK_FORMAT_B8G8R8A8_SRGB:
      return {4, 8, true, true};
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_D16_UNORM:
      return {1, 16};
    case VK_FORMAT_R16G16_UNORM:
      return {2, 16};
    case VK_FORMAT_R16G16B16_UNORM:
      return {3, 16};
    case VK_FORMAT_R16G16B16A16_UNORM:
      return {4, 16};
    default:
      return {};
  }
}

void append(png_structp png, png_bytep bytes, png_size_t count) {
  auto& out = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  try {
    out.insert(out.end(), first, first + count);
  } catch (const std::bad_alloc&) {  // may not go through libpng
    png_error(png, "not enough memory");
  }
}

void note_error(png_structp png, png_const_charp message) {
  std::snprintf(static_cast<char*>(png_get_error_ptr(png)), kMessage, "%s", message);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// False: `message` says why. libpng leaves by longjmp: nothing here has a destructor.
bool write(const Pixels& pixels, std::uint32_t width, std::uint32_t height, png_bytepp rows,
           std::vector<std::byte>* out, char* message) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, note_error, ignore_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    std::snprintf(message, kMessage, "libpng does not begin");
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, out, append, nullptr);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  // A third of the default's time, and hardly larger.
  png_set_compression_level(png, 3);
  const int type = pixels.components == 1   ? PNG_COLOR_TYPE_GRAY
                   : pixels.components == 4 ? PNG_COLOR_TYPE_RGB_ALPHA
                                            : PNG_COLOR_TYPE_RGB;
  png_set_IHDR(png, info, width, height, pixels.bits, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (pixels.srgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  if (pixels.bits == 16) png_set_swap(png);  // PNG's are big-endian
  if (pixels.reversed) png_set_bgr(png);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

// A third component, of zeros, behind each two.
std::vector<std::byte> with_blue(std::span<const std::byte> texels, std::size_t component) {
  std::vector<std::byte> out;
  out.reserve(texels.size() / 2 * 3);
  for (std::size_t at = 0; at < texels.size(); at += 2 * component) {
    const auto texel = texels.subspan(at, 2 * component);
    out.insert(out.end(), texel.begin(), texel.end());
    out.insert(out.end(), component, std::byte{0});
  }
  return out;
}

}  // namespace

// Alpha is left out: compositors ignore it unless asked, and viewers do not. Values are not stretched, so that pictures
// of one program can be compared: floating-point ones are clamped to 0 to 1.
Result<Picture> screenshot_of(VkFormat format, VkExtent3D extent, std::span<const std::byte> texels) {
  const ShownTexels shown = shown_texels({format, VK_IMAGE_ASPECT_COLOR_BIT, extent});
  const TexelFormat values(format, VK_IMAGE_ASPECT_COLOR_BIT);
  if (!shown.known() || (!values.is_float() && !values.is_normalized()))
    return fail(Status::failed, "images of " + std::string(codec::enumerant_name(EnumId::VkFormat, format)) +
                                    " are not written as PNG; only normalized and floating-point ones are");
  if (!is_bgra(format) && !is_rgba(format))
    return picture_of(shown, texels, {0, values.is_float() ? 1 : values.full(0), {}});
  // As picture_of(), and faster: most images are like this.
  const std::size_t pixels = std::size_t{extent.width} * extent.height;
  Picture picture{extent.width, extent.height, std::vector<std::byte>(pixels * 3)};
  const std::size_t red = is_bgra(format) ? 2 : 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    picture.rgb[i * 3] = texels[i * 4 + red];
    picture.rgb[i * 3 + 1] = texels[i * 4 + 1];
    picture.rgb[i * 3 + 2] = texels[i * 4 + 2 - red];
  }
  return picture;
}

bool fits_png(VkFormat format) { return pixels_of(format).components != 0; }

Result<std::vector<std::byte>> encode_png(VkFormat format, std::uint32_t width, std::uint32_t height,
                                          std::span<const std::byte> texels) {
  const Pixels pixels = pixels_of(format);
  const std::size_t component = static_cast<std::size_t>(pixels.bits) / 8;
  const std::size_t row = std::size_t{width} * pixels.components * component;
  if (row == 0 || height == 0 || texels.size() != row * height)
    return fail(Status::failed, "a picture of " + std::to_string(width) + " x " + std::to_string(height) + " is not " +
                                    std::to_string(texels.size()) + " bytes of this format");
  std::vector<std::byte> wide;
  if (pixels.components == 2) wide = with_blue(texels, component);
  const std::byte* const first = wide.empty() ? texels.data() : wide.data();
  const std::size_t stride = wide.empty() ? row : row / 2 * 3;
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y)
    rows[y] = const_cast<png_bytep>(reinterpret_cast<const png_byte*>(first + y * stride));
  std::vector<std::byte> out;
  char message[kMessage] = "";
  if (!write(pixels, width, height, rows.data(), &out, message))
    return fail(Status::failed, std::string("libpng: ") + message);
  return out;
}

Result<void> write_png(const std::string& path, VkFormat format, VkExtent3D extent, std::span<const std::byte> texels) {
  const Result<Picture> picture = screenshot_of(format, extent, texels);
  if (!picture) return fail(picture.error().status, path + ": " + picture.error().message);
  return write_picture(path, *picture);
}

Result<void> write_picture(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  const auto failure = [&](const std::string& why) {
    return fail(Status::failed, path + ": cannot be written: " + why);
  };
  std::vector<std::byte> encoded(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = encoded.size();
  if (png_image_write_to_memory(&image, encoded.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0)
    return failure(std::string("libpng: ") + image.message);
  RONDO_TRY(spare_other_kinds(path, Links::refused));
  TemporaryPath temporary = TemporaryPath::beside(path, ".part");
  const int fd = open_output(temporary.get(), Opening::temporary);
  std::FILE* const file = fd >= 0 ? ::fdopen(fd, "wb") : nullptr;
  if (file == nullptr) return failure(errno_text(errno));
  // libpng would not say why a write failed.
  const bool kept = std::fwrite(encoded.data(), 1, size, file) == size && std::fflush(file) == 0 &&
                    keep_output(fd, temporary.get(), path, attributes_for({}, {})) == 0;
  const int error = errno;
  std::fclose(file);
  if (!kept) return failure(errno_text(error));
  temporary.forget();
  return {};
}

}  // namespace rondo::player
