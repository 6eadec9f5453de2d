// SPDX-License-Identifier: Apache-2.0
// Blits, always with the nearest texel, and resolves.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/icd/execute.h"
#include "tests/icd/resolve.h"
#include "tests/icd/texel.h"

using namespace rondo;  // args_vk…

namespace fake {

void resolve_box(const Box& from, const Box& to) {
  if (from.empty() || to.empty()) return;
  const std::size_t bytes = to.plane->bytes;
  const std::uint32_t width = std::min(from.width, to.width), height = std::min(from.height, to.height);
  for (std::size_t slice = 0; slice < std::min(from.slices.size(), to.slices.size()); ++slice)
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        std::memcpy(to.row(slice, y) + x * to.block_bytes, from.row(slice, y) + x * from.block_bytes,
                    std::min<std::size_t>(bytes, from.plane->bytes));
}

namespace {

// One dimension of a blit: the source's texel for each of the target's.
struct Line {
  std::int32_t source_begin, source_end, target_begin, target_end;

  std::int32_t first() const { return std::min(target_begin, target_end); }
  std::int32_t last() const { return std::max(target_begin, target_end); }
  std::int32_t source(std::int32_t target, std::int32_t size) const {
    const double scale =
        static_cast<double>(source_end - source_begin) / static_cast<double>(target_end - target_begin);
    const double at = (target + 0.5 - target_begin) * scale + source_begin;
    return std::clamp(static_cast<std::int32_t>(std::floor(at)), 0, size - 1);
  }
};

void blit_texel(const Image& from, const Image& to, const std::byte* source, std::byte* target, std::size_t bytes) {
  const TexelFormat* in = texel_format(from.format);
  const TexelFormat* out = texel_format(to.format);
  if (from.format == to.format || in == nullptr || out == nullptr)
    std::memcpy(target, source, bytes);
  else
    encode(*out, decode(*in, source), target);
}

template <class Region>
void blit_region(const Image& from, const Image& to, const Region& r) {
  const auto sources = aspects_of(from, r.srcSubresource.aspectMask);
  const auto targets = aspects_of(to, r.dstSubresource.aspectMask);
  for (std::size_t a = 0; a < std::min(sources.size(), targets.size()); ++a) {
    const Box source = box_of(from, sources[a], r.srcSubresource.mipLevel, r.srcSubresource.baseArrayLayer,
                              r.srcSubresource.layerCount);
    const Box target =
        box_of(to, targets[a], r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer, r.dstSubresource.layerCount);
    if (source.empty() || target.empty()) continue;
    const Line x{r.srcOffsets[0].x, r.srcOffsets[1].x, r.dstOffsets[0].x, r.dstOffsets[1].x};
    const Line y{r.srcOffsets[0].y, r.srcOffsets[1].y, r.dstOffsets[0].y, r.dstOffsets[1].y};
    const bool volume = from.image_type == VK_IMAGE_TYPE_3D || to.image_type == VK_IMAGE_TYPE_3D;
    const auto layers = static_cast<std::int32_t>(target.slices.size());
    const Line z = volume ? Line{r.srcOffsets[0].z, r.srcOffsets[1].z, r.dstOffsets[0].z, r.dstOffsets[1].z}
                          : Line{0, layers, 0, layers};
    if (x.first() < 0 || y.first() < 0 || z.first() < 0 || x.last() > static_cast<std::int32_t>(target.width) ||
        y.last() > static_cast<std::int32_t>(target.height) || z.last() > layers) {
      violation("blits beyond the edge of an image");
      continue;
    }
    const std::size_t bytes = std::min(source.plane->bytes, target.plane->bytes);
    for (std::int32_t k = z.first(); k < z.last(); ++k)
      for (std::int32_t j = y.first(); j < y.last(); ++j)
        for (std::int32_t i = x.first(); i < x.last(); ++i) {
          const std::byte* texel =
              source.row(static_cast<std::size_t>(z.source(k, static_cast<std::int32_t>(source.slices.size()))),
                         static_cast<std::uint32_t>(y.source(j, static_cast<std::int32_t>(source.height)))) +
              static_cast<std::size_t>(x.source(i, static_cast<std::int32_t>(source.width))) * source.block_bytes;
          blit_texel(from, to, texel,
                     target.row(static_cast<std::size_t>(k), static_cast<std::uint32_t>(j)) +
                         static_cast<std::size_t>(i) * target.block_bytes,
                     bytes);
        }
  }
}

template <class Region>
void blit(VkImage from_handle, VkImage to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Image>(from_handle), to = get<Image>(to_handle);
  if (from == nullptr || to == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) blit_region(*from, *to, regions[i]);
}

template <class Region>
void resolve(VkImage from_handle, VkImage to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Image>(from_handle), to = get<Image>(to_handle);
  if (from == nullptr || to == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    for (VkImageAspectFlags left = r.srcSubresource.aspectMask; left != 0; left &= left - 1) {
      const auto aspect = static_cast<VkImageAspectFlagBits>(left & (~left + 1));
      resolve_box(box_of(*from, aspect, r.srcSubresource.mipLevel, r.srcSubresource.baseArrayLayer,
                         r.srcSubresource.layerCount, r.srcOffset, r.extent),
                  box_of(*to, aspect, r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer,
                         r.dstSubresource.layerCount, r.dstOffset, r.extent));
    }
  }
}

void blit1(Execution&, const args_vkCmdBlitImage& a) { blit(a.srcImage, a.dstImage, a.pRegions, a.regionCount); }
void blit2(Execution&, const args_vkCmdBlitImage2& a) {
  const VkBlitImageInfo2& i = *a.pBlitImageInfo;
  blit(i.srcImage, i.dstImage, i.pRegions, i.regionCount);
}
void resolve1(Execution&, const args_vkCmdResolveImage& a) {
  resolve(a.srcImage, a.dstImage, a.pRegions, a.regionCount);
}
void resolve2(Execution&, const args_vkCmdResolveImage2& a) {
  const VkResolveImageInfo2& i = *a.pResolveImageInfo;
  resolve(i.srcImage, i.dstImage, i.pRegions, i.regionCount);
}

}  // namespace

void install_blits(Table& table) {
  execute<blit1>(table, CommandId::vkCmdBlitImage);
  execute<blit2>(table, CommandId::vkCmdBlitImage2);
  execute<resolve1>(table, CommandId::vkCmdResolveImage);
  execute<resolve2>(table, CommandId::vkCmdResolveImage2);
}

}  // namespace fake
