// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/texels.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "format/codec/schema.h"

namespace rondo::gpu {

namespace {

// ASTC in the order of the enumeration, UNORM and SRGB in turns.
constexpr std::uint32_t kAstc[][2] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                      {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};

// Of an uncompressed color format of Vulkan 1.0; 0: it is another one.
std::uint32_t texel_bytes(VkFormat format) {
  // Vulkan 1.0 numbers its formats in order of their layout.
  struct Range {
    VkFormat last;
    std::uint32_t bytes;
  };
  static constexpr Range ranges[] = {
      {VK_FORMAT_UNDEFINED, 0},
      {VK_FORMAT_R4G4_UNORM_PACK8, 1},
      {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
      {VK_FORMAT_R8_SRGB, 1},
      {VK_FORMAT_R8G8_SRGB, 2},
      {VK_FORMAT_B8G8R8_SRGB, 3},
      {VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
      {VK_FORMAT_R16_SFLOAT, 2},
      {VK_FORMAT_R16G16_SFLOAT, 4},
      {VK_FORMAT_R16G16B16_SFLOAT, 6},
      {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
      {VK_FORMAT_R32_SFLOAT, 4},
      {VK_FORMAT_R32G32_SFLOAT, 8},
      {VK_FORMAT_R32G32B32_SFLOAT, 12},
      {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
      {VK_FORMAT_R64_SFLOAT, 8},
      {VK_FORMAT_R64G64_SFLOAT, 16},
      {VK_FORMAT_R64G64B64_SFLOAT, 24},
      {VK_FORMAT_R64G64B64A64_SFLOAT, 32},
      {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
  };
  for (const Range& range : ranges)
    if (format <= range.last) return range.bytes;
  return 0;
}

std::string_view name_of(VkFormat format) { return codec::enumerant_name(EnumId::VkFormat, format); }
bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

std::uint32_t aspect_bytes(VkFormat format, VkImageAspectFlags aspect) {
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return 1;
  if (aspect != VK_IMAGE_ASPECT_DEPTH_BIT) return 0;
  return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT ? 2 : 4;
}

// Of one texel of this plane, in the plane's own texels; 0: no such format.
std::uint32_t plane_bytes(VkFormat format, VkImageAspectFlags aspect) {
  if (aspect != VK_IMAGE_ASPECT_PLANE_0_BIT && aspect != VK_IMAGE_ASPECT_PLANE_1_BIT &&
      aspect != VK_IMAGE_ASPECT_PLANE_2_BIT)
    return 0;
  const std::uint32_t both = aspect == VK_IMAGE_ASPECT_PLANE_1_BIT ? 2 : 1;
  switch (format) {
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
      return 1;
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_422_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_444_UNORM:
      return both;
    case VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM:
      return 2;
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G16_B16R16_2PLANE_420_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_422_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_444_UNORM:
      return 2 * both;
    default:
      return 0;
  }
}

}  // namespace

Block block_of(VkFormat format) {
  if (format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format <= VK_FORMAT_BC7_SRGB_BLOCK) {
    const bool small = format <= VK_FORMAT_BC1_RGBA_SRGB_BLOCK || format == VK_FORMAT_BC4_UNORM_BLOCK ||
                       format == VK_FORMAT_BC4_SNORM_BLOCK;
    return {4, 4, small ? 8u : 16u};
  }
  if (format >= VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK && format <= VK_FORMAT_EAC_R11G11_SNORM_BLOCK) {
    const bool small = format <= VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK || format == VK_FORMAT_EAC_R11_UNORM_BLOCK ||
                       format == VK_FORMAT_EAC_R11_SNORM_BLOCK;
    return {4, 4, small ? 8u : 16u};
  }
  if (format >= VK_FORMAT_ASTC_4x4_UNORM_BLOCK && format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK) {
    const auto& astc = kAstc[(format - VK_FORMAT_ASTC_4x4_UNORM_BLOCK) / 2];
    return {astc[0], astc[1], 16};
  }
  if (format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK) return {1, 1, texel_bytes(format)};
  const std::string_view name = name_of(format);
  if (const std::uint32_t astc = static_cast<std::uint32_t>(format) - VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK;
      astc < std::size(kAstc))
    return {kAstc[astc][0], kAstc[astc][1], 16};
  if (has(name, "PLANE")) return {1, 1, 0};
  if (has(name, "_422_")) return {2, 1, has(name, "PACK16") || has(name, "G16") ? 8u : 4u};
  if (has(name, "PVRTC")) return {has(name, "2BPP") ? 8u : 4u, 4, 8};
  if (has(name, "4PACK16")) return {1, 1, 8};
  if (has(name, "2PACK16") || has(name, "R16G16_")) return {1, 1, 4};
  if (has(name, "PACK16")) return {1, 1, 2};
  if (has(name, "_A8_UNORM")) return {1, 1, 1};
  return {1, 1, 0};
}

Block block_of(VkFormat format, VkImageAspectFlags aspect) {
  if (const std::uint32_t bytes = plane_bytes(format, aspect); bytes != 0) return {1, 1, bytes};
  if (is_depth_stencil(format)) return {1, 1, aspect_bytes(format, aspect)};
  return block_of(format);
}

VkFormat format_of_part(VkFormat format, VkImageAspectFlags aspect) {
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return VK_FORMAT_S8_UINT;
  switch (format) {
    case VK_FORMAT_D16_UNORM_S8_UINT:
      return VK_FORMAT_D16_UNORM;
    case VK_FORMAT_D24_UNORM_S8_UINT:
      return VK_FORMAT_X8_D24_UNORM_PACK32;
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return VK_FORMAT_D32_SFLOAT;
    default:
      break;
  }
  if (!is_planar(format)) return format;
  // Two components: the second of two planes.
  const std::string_view name = name_of(format);
  const bool two = aspect == VK_IMAGE_ASPECT_PLANE_1_BIT && has(name, "2PLANE");
  const auto one_of = [&](VkFormat one, VkFormat both) { return two ? both : one; };
  if (plane_bytes(format, aspect) == 0) return VK_FORMAT_UNDEFINED;
  if (has(name, "G8_")) return one_of(VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM);
  if (has(name, "G10X6_")) return one_of(VK_FORMAT_R10X6_UNORM_PACK16, VK_FORMAT_R10X6G10X6_UNORM_2PACK16);
  if (has(name, "G12X4_")) return one_of(VK_FORMAT_R12X4_UNORM_PACK16, VK_FORMAT_R12X4G12X4_UNORM_2PACK16);
  if (has(name, "G16_")) return one_of(VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM);
  return VK_FORMAT_UNDEFINED;
}

bool is_planar(VkFormat format) { return format > VK_FORMAT_ASTC_12x12_SRGB_BLOCK && has(name_of(format), "PLANE"); }
bool is_compressed(VkFormat format) {
  const Block block = block_of(format);
  return block.width > 1 || block.height > 1;
}
bool is_depth_stencil(VkFormat format) {
  return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}
bool has_stencil(VkFormat format) { return format >= VK_FORMAT_S8_UINT && format <= VK_FORMAT_D32_SFLOAT_S8_UINT; }
bool is_integer(VkFormat format) {
  return !is_depth_stencil(format) && (has(name_of(format), "_UINT") || has(name_of(format), "_SINT"));
}

VkImageAspectFlags aspects_of(VkFormat format) {
  if (is_depth_stencil(format))
    return (format != VK_FORMAT_S8_UINT ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT} : 0) |
           (has_stencil(format) ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT} : 0);
  VkImageAspectFlags all = VK_IMAGE_ASPECT_COLOR_BIT;
  if (is_planar(format)) all |= VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT;
  if (is_planar(format) && has(name_of(format), "3PLANE")) all |= VK_IMAGE_ASPECT_PLANE_2_BIT;
  return all;
}

VkExtent3D plane_extent(VkFormat format, VkImageAspectFlags aspect, VkExtent3D extent) {
  if ((aspect & (VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT)) == 0 || !is_planar(format)) return extent;
  const std::string_view name = name_of(format);
  if (!has(name, "_444_")) extent.width = std::max(extent.width / 2, 1u);
  if (has(name, "_420_")) extent.height = std::max(extent.height / 2, 1u);
  return extent;
}

VkExtent3D part_extent(VkFormat format, VkImageAspectFlags aspect, VkExtent3D image, std::uint32_t mip) {
  const VkExtent3D plane = plane_extent(format, aspect, image);
  const auto at = [&](std::uint32_t size) { return std::max(mip < 32 ? size >> mip : 0u, 1u); };
  return {at(plane.width), at(plane.height), at(plane.depth)};
}

std::uint64_t region_bytes(VkFormat format, VkImageAspectFlags aspect, std::uint32_t row_length,
                           std::uint32_t image_height, const VkExtent3D& extent, std::uint32_t layers) {
  const Block block = block_of(format, aspect);
  const std::uint64_t bytes = block.bytes;
  if (bytes == 0 || extent.width == 0 || extent.height == 0 || extent.depth == 0 || layers == 0) return 0;
  const auto blocks = [](std::uint32_t texels, std::uint32_t unit) {
    return (std::uint64_t{texels} + unit - 1) / unit;
  };
  const std::uint64_t row = blocks(std::max(row_length, extent.width), block.width);
  const std::uint64_t rows = blocks(std::max(image_height, extent.height), block.height);
  const std::uint64_t slices = std::uint64_t{extent.depth} * layers;  // one of them is 1
  // Each below 2^32: the product of three may not fit.
  if (slices > (std::uint64_t{1} << 26) || row > (std::uint64_t{1} << 31) / bytes || rows > (std::uint64_t{1} << 31))
    return UINT64_MAX - 1;
  const unsigned __int128 all =
      ((static_cast<unsigned __int128>(slices - 1) * rows + blocks(extent.height, block.height) - 1) * row +
       blocks(extent.width, block.width)) *
      bytes;
  return all > UINT64_MAX - 1 ? UINT64_MAX - 1 : static_cast<std::uint64_t>(all);
}

}  // namespace rondo::gpu
