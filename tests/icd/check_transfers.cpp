// SPDX-License-Identifier: Apache-2.0
// What copies, blits, resolves, clears and fills may name.
#include <algorithm>

#include "tests/icd/access.h"
#include "tests/icd/install.h"
#include "tests/icd/ranges.h"
#include "tests/icd/texel.h"

namespace fake {
namespace {

constexpr VkBufferUsageFlags kBufferSource = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
constexpr VkBufferUsageFlags kBufferTarget = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kImageSource = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
constexpr VkImageUsageFlags kImageTarget = VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// --- buffers ----------------------------------------------------------------

void check_fill(Call&, const args_vkCmdFillBuffer& a) {
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (!is_usable(*buffer, kBufferTarget, "dstBuffer") || !is_multiple(a.dstOffset, 4, "dstOffset")) return;
  if (a.size != VK_WHOLE_SIZE && !is_multiple(a.size, 4, "size")) return;
  is_within(*buffer, a.dstOffset, a.size, "dstOffset + size");
}

void check_update(Call&, const args_vkCmdUpdateBuffer& a) {
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (!is_usable(*buffer, kBufferTarget, "dstBuffer") || !is_multiple(a.dstOffset, 4, "dstOffset") ||
      !is_multiple(a.dataSize, 4, "dataSize"))
    return;
  if (a.dataSize > 65536) return violation("dataSize is more than 65536");
  is_within(*buffer, a.dstOffset, a.dataSize, "dstOffset + dataSize");
}

template <class Info>
void check_buffers(const Info& info) {
  const auto from = get<Buffer>(info.srcBuffer), to = get<Buffer>(info.dstBuffer);
  if (!is_usable(*from, kBufferSource, "srcBuffer") || !is_usable(*to, kBufferTarget, "dstBuffer")) return;
  if (info.regionCount == 0) return violation("regionCount is 0");
  for (std::uint32_t i = 0; i < info.regionCount; ++i) {
    const auto& r = info.pRegions[i];
    if (r.size == VK_WHOLE_SIZE) return violation("a region's size is VK_WHOLE_SIZE");
    if (!is_within(*from, r.srcOffset, r.size, "a region's source") ||
        !is_within(*to, r.dstOffset, r.size, "a region's target"))
      return;
    if (from == to && r.srcOffset < r.dstOffset + r.size && r.dstOffset < r.srcOffset + r.size)
      return harmless("a region's source and target overlap");  // whichever bytes come first
  }
}

// --- buffers and images -------------------------------------------------------

bool is_one_bit(VkImageAspectFlags aspects) { return aspects != 0 && (aspects & (aspects - 1)) == 0; }

template <class Region>
bool check_buffer_region(const Buffer& buffer, const Image& image, const Region& r) {
  const VkImageSubresourceLayers& sub = r.imageSubresource;
  if (!has_box(image, sub, r.imageOffset, r.imageExtent, "a region's box")) return false;
  const auto aspects = aspects_of(image, sub.aspectMask);
  if (!is_one_bit(sub.aspectMask) || aspects.size() != 1) {
    violation("a region names several aspects");
    return false;
  }
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  if (!volume && r.imageExtent.depth != 1) {
    violation("a region of an image without depth is deeper than 1");
    return false;
  }
  if ((r.bufferRowLength != 0 && r.bufferRowLength < r.imageExtent.width) ||
      (r.bufferImageHeight != 0 && r.bufferImageHeight < r.imageExtent.height)) {
    harmless("bufferRowLength or bufferImageHeight is less than the region's extent");
    return false;
  }
  const Plane& plane = *image.layout(aspects[0], sub.mipLevel, sub.baseArrayLayer).plane;
  const bool depth_stencil = aspects[0] == VK_IMAGE_ASPECT_DEPTH_BIT || aspects[0] == VK_IMAGE_ASPECT_STENCIL_BIT;
  // Read or written at the place that they are rounded down to, or as they are: within the buffer.
  if (r.bufferRowLength % plane.block_width != 0 || r.bufferImageHeight % plane.block_height != 0 ||
      r.bufferOffset % (depth_stencil ? 4 : plane.bytes) != 0) {
    harmless("bufferOffset, bufferRowLength or bufferImageHeight is no multiple of the format's blocks");
    return false;
  }
  const auto blocks = [](std::uint32_t texels, std::uint32_t of_block) {
    return (std::uint64_t{texels} + of_block - 1) / of_block;
  };
  const std::uint64_t width = blocks(r.imageExtent.width, plane.block_width),
                      height = blocks(r.imageExtent.height, plane.block_height);
  const std::uint64_t row = r.bufferRowLength == 0 ? width : r.bufferRowLength / plane.block_width;
  const std::uint64_t rows = r.bufferImageHeight == 0 ? height : r.bufferImageHeight / plane.block_height;
  const std::uint64_t slices = volume ? r.imageExtent.depth : sub.layerCount;
  VkDeviceSize slice_pitch = 0;
  if (__builtin_mul_overflow(row * rows, VkDeviceSize{plane.bytes}, &slice_pitch)) slice_pitch = UINT64_MAX;
  return is_within(buffer, r.bufferOffset, slices, slice_pitch, ((height - 1) * row + width) * plane.bytes,
                   "a region's part of the buffer");
}

template <class Info>
void check_buffer_image(VkBuffer buffer_handle, VkImage image_handle, const Info& info, bool to_image) {
  const auto buffer = get<Buffer>(buffer_handle);
  const auto image = get<Image>(image_handle);
  if (!is_usable(*buffer, to_image ? kBufferSource : kBufferTarget, to_image ? "srcBuffer" : "dstBuffer") ||
      !is_usable(*image, to_image ? kImageTarget : kImageSource, to_image ? "dstImage" : "srcImage"))
    return;
  if (info.regionCount == 0) return violation("regionCount is 0");
  if (image->samples != 1) return violation("the image is multisampled");
  for (std::uint32_t i = 0; i < info.regionCount; ++i)
    if (!check_buffer_region(*buffer, *image, info.pRegions[i])) return;
}

// --- images -------------------------------------------------------------------

std::uint32_t slices_of(const Image& image, const VkImageSubresourceLayers& layers, const VkExtent3D& extent) {
  return image.image_type == VK_IMAGE_TYPE_3D ? extent.depth : layers.layerCount;
}

template <class Region>
bool check_copied_region(const Image& from, const Image& to, const Region& r) {
  if (!has_box(from, r.srcSubresource, r.srcOffset, r.extent, "a region's source") ||
      !has_layers(to, r.dstSubresource, "a region's target"))
    return false;
  const auto sources = aspects_of(from, r.srcSubresource.aspectMask),
             targets = aspects_of(to, r.dstSubresource.aspectMask);
  if (sources.size() != targets.size()) {
    violation("a region names other aspects of the source than of the target");
    return false;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Plane& a = *from.layout(sources[i], r.srcSubresource.mipLevel, r.srcSubresource.baseArrayLayer).plane;
    const Image::Layout layout = to.layout(targets[i], r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer);
    const Plane& b = *layout.plane;
    if (a.bytes != b.bytes) {
      violation("the formats' blocks are of different sizes");
      return false;
    }
    // The extent counts the source's texels; the target has as many blocks.
    const auto scaled = [](std::uint32_t texels, std::uint32_t from_block, std::uint32_t to_block, std::int32_t offset,
                           std::uint32_t whole) {
      const std::uint64_t wanted = (std::uint64_t{texels} + from_block - 1) / from_block * to_block;
      const std::int64_t left = std::int64_t{whole} - offset;
      // The last block may reach beyond the edge.
      const bool cut =
          left > 0 && wanted > static_cast<std::uint64_t>(left) && wanted - static_cast<std::uint64_t>(left) < to_block;
      return static_cast<std::uint32_t>(cut ? static_cast<std::uint64_t>(left)
                                            : std::min<std::uint64_t>(wanted, UINT32_MAX));
    };
    VkExtent3D extent = r.extent;
    extent.width = scaled(extent.width, a.block_width, b.block_width, r.dstOffset.x, layout.extent.width);
    extent.height = scaled(extent.height, a.block_height, b.block_height, r.dstOffset.y, layout.extent.height);
    if (to.image_type == VK_IMAGE_TYPE_3D && from.image_type != VK_IMAGE_TYPE_3D && extent.depth == 1)
      extent.depth = r.srcSubresource.layerCount;
    VkImageSubresourceLayers one = r.dstSubresource;
    one.aspectMask = targets[i];
    if (!has_box(to, one, r.dstOffset, extent, "a region's target")) return false;
  }
  const std::uint32_t read = slices_of(from, r.srcSubresource, r.extent),
                      written = slices_of(to, r.dstSubresource, r.extent);
  if (read != written) {
    violation("a region's source has another number of slices than its target");
    return false;
  }
  return true;
}

template <class Info>
bool check_pair(const Info& info, std::shared_ptr<Image>& from, std::shared_ptr<Image>& to) {
  from = get<Image>(info.srcImage);
  to = get<Image>(info.dstImage);
  if (!is_usable(*from, kImageSource, "srcImage") || !is_usable(*to, kImageTarget, "dstImage")) return false;
  if (info.regionCount == 0) {
    violation("regionCount is 0");
    return false;
  }
  return true;
}

template <class Info>
void check_images(const Info& info) {
  std::shared_ptr<Image> from, to;
  if (!check_pair(info, from, to)) return;
  if (from->samples != to->samples) return violation("the images have different sample counts");
  for (std::uint32_t i = 0; i < info.regionCount; ++i)
    if (!check_copied_region(*from, *to, info.pRegions[i])) return;
}

bool check_blit_side(const Image& image, const VkImageSubresourceLayers& layers, const VkOffset3D (&corners)[2],
                     const char* name) {
  if (!has_layers(image, layers, name)) return false;
  const auto aspects = aspects_of(image, layers.aspectMask);
  const VkExtent3D whole = image.layout(aspects[0], layers.mipLevel, layers.baseArrayLayer).extent;
  const auto inside = [](std::int32_t at, std::uint32_t limit) {
    return at >= 0 && static_cast<std::uint32_t>(at) <= limit;
  };
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  for (const VkOffset3D& corner : corners)
    if (!inside(corner.x, whole.width) || !inside(corner.y, whole.height) || !inside(corner.z, whole.depth)) {
      violation(std::string(name) + " reaches beyond the edge of the image");
      return false;
    }
  if (!volume && (corners[0].z != 0 || corners[1].z != 1)) {
    violation(std::string(name) + " of an image without depth is not from 0 to 1 deep");
    return false;
  }
  return true;
}

template <class Info>
void check_blit(const Info& info) {
  std::shared_ptr<Image> from, to;
  if (!check_pair(info, from, to)) return;
  if (from->samples != 1 || to->samples != 1) return violation("an image is multisampled");
  for (std::uint32_t i = 0; i < info.regionCount; ++i) {
    const auto& r = info.pRegions[i];
    if (!check_blit_side(*from, r.srcSubresource, r.srcOffsets, "a region's source") ||
        !check_blit_side(*to, r.dstSubresource, r.dstOffsets, "a region's target"))
      return;
    if (r.srcSubresource.aspectMask != r.dstSubresource.aspectMask)
      return violation("a region names other aspects of the source than of the target");
    const bool volume = from->image_type == VK_IMAGE_TYPE_3D || to->image_type == VK_IMAGE_TYPE_3D;
    if (volume ? r.srcSubresource.layerCount != 1 || r.dstSubresource.layerCount != 1
               : r.srcSubresource.layerCount != r.dstSubresource.layerCount)
      return violation("a region's source has other layers than its target");
    const bool same = from->format == to->format;
    const TexelFormat *source = texel_format(from->format), *target = texel_format(to->format);
    if (!same && (source == nullptr || target == nullptr || is_integer(*source) != is_integer(*target)))
      return violation("the formats cannot be converted into one another");
  }
  if (info.filter == VK_FILTER_CUBIC_EXT) violation("filter is cubic");
}

template <class Info>
void check_resolve(const Device& device, const Info& info) {
  std::shared_ptr<Image> from, to;
  if (!check_pair(info, from, to)) return;
  if (from->samples == 1 || to->samples != 1) return violation("resolves from one sample, or into several");
  if (from->format != to->format) return violation("the images have different formats");
  for (std::uint32_t i = 0; i < info.regionCount; ++i) {
    const auto& r = info.pRegions[i];
    if (!has_box(*from, r.srcSubresource, r.srcOffset, r.extent, "a region's source") ||
        !has_box(*to, r.dstSubresource, r.dstOffset, r.extent, "a region's target"))
      return;
    if (r.srcSubresource.aspectMask != r.dstSubresource.aspectMask)
      return violation("a region names other aspects of the source than of the target");
    if (r.srcSubresource.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT && !device.enabled("VK_KHR_maintenance10"))
      return violation("a region names another aspect than color");
    if (r.srcSubresource.layerCount != r.dstSubresource.layerCount)
      return violation("a region's source has other layers than its target");
  }
}

template <class A>
void check_clear(const A& a, VkImageAspectFlags allowed) {
  const auto image = get<Image>(a.image);
  if (!is_usable(*image, kImageTarget, "image")) return;
  if (a.rangeCount == 0) return violation("rangeCount is 0");
  for (std::uint32_t i = 0; i < a.rangeCount; ++i) {
    if (!has_range(*image, a.pRanges[i], "a range")) return;
    if ((a.pRanges[i].aspectMask & ~allowed) != 0) return violation("a range names aspects of another kind");
  }
  if (allowed == VK_IMAGE_ASPECT_COLOR_BIT && texel_format(image->format) == nullptr)
    violation("the format cannot be cleared");
}

void check_clear_color(Call&, const args_vkCmdClearColorImage& a) { check_clear(a, VK_IMAGE_ASPECT_COLOR_BIT); }
void check_clear_depth(Call&, const args_vkCmdClearDepthStencilImage& a) {
  check_clear(a, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
}

void check_copy_buffer(Call&, const args_vkCmdCopyBuffer& a) { check_buffers(a); }
void check_copy_buffer2(Call&, const args_vkCmdCopyBuffer2& a) { check_buffers(*a.pCopyBufferInfo); }
void check_to_image(Call&, const args_vkCmdCopyBufferToImage& a) {
  check_buffer_image(a.srcBuffer, a.dstImage, a, true);
}
void check_to_image2(Call&, const args_vkCmdCopyBufferToImage2& a) {
  const auto& i = *a.pCopyBufferToImageInfo;
  check_buffer_image(i.srcBuffer, i.dstImage, i, true);
}
void check_from_image(Call&, const args_vkCmdCopyImageToBuffer& a) {
  check_buffer_image(a.dstBuffer, a.srcImage, a, false);
}
void check_from_image2(Call&, const args_vkCmdCopyImageToBuffer2& a) {
  const auto& i = *a.pCopyImageToBufferInfo;
  check_buffer_image(i.dstBuffer, i.srcImage, i, false);
}
void check_copy_image(Call&, const args_vkCmdCopyImage& a) { check_images(a); }
void check_copy_image2(Call&, const args_vkCmdCopyImage2& a) { check_images(*a.pCopyImageInfo); }
void check_blit1(Call&, const args_vkCmdBlitImage& a) { check_blit(a); }
void check_blit2(Call&, const args_vkCmdBlitImage2& a) { check_blit(*a.pBlitImageInfo); }
void check_resolve1(Call& call, const args_vkCmdResolveImage& a) { check_resolve(*call.device, a); }
void check_resolve2(Call& call, const args_vkCmdResolveImage2& a) { check_resolve(*call.device, *a.pResolveImageInfo); }

}  // namespace

void install_transfer_checks(Table& table) {
  table.check<check_fill>(CommandId::vkCmdFillBuffer);
  table.check<check_update>(CommandId::vkCmdUpdateBuffer);
  table.check<check_copy_buffer>(CommandId::vkCmdCopyBuffer);
  table.check<check_copy_buffer2>(CommandId::vkCmdCopyBuffer2);
  table.check<check_to_image>(CommandId::vkCmdCopyBufferToImage);
  table.check<check_to_image2>(CommandId::vkCmdCopyBufferToImage2);
  table.check<check_from_image>(CommandId::vkCmdCopyImageToBuffer);
  table.check<check_from_image2>(CommandId::vkCmdCopyImageToBuffer2);
  table.check<check_copy_image>(CommandId::vkCmdCopyImage);
  table.check<check_copy_image2>(CommandId::vkCmdCopyImage2);
  table.check<check_blit1>(CommandId::vkCmdBlitImage);
  table.check<check_blit2>(CommandId::vkCmdBlitImage2);
  table.check<check_resolve1>(CommandId::vkCmdResolveImage);
  table.check<check_resolve2>(CommandId::vkCmdResolveImage2);
  table.check<check_clear_color>(CommandId::vkCmdClearColorImage);
  table.check<check_clear_depth>(CommandId::vkCmdClearDepthStencilImage);
}

}  // namespace fake
