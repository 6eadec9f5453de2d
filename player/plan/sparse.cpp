// SPDX-License-Identifier: Apache-2.0
#include "player/plan/sparse.h"

#include <algorithm>

namespace rondo::player {

namespace {

std::string text_of(const VkExtent3D& e) {
  return std::to_string(e.width) + " x " + std::to_string(e.height) + " x " + std::to_string(e.depth);
}

bool same(const VkSparseImageMemoryRequirements& a, const VkSparseImageMemoryRequirements& b) {
  const VkExtent3D &x = a.formatProperties.imageGranularity, &y = b.formatProperties.imageGranularity;
  return x.width == y.width && x.height == y.height && x.depth == y.depth &&
         a.formatProperties.flags == b.formatProperties.flags && a.imageMipTailFirstLod == b.imageMipTailFirstLod &&
         a.imageMipTailSize == b.imageMipTailSize && a.imageMipTailOffset == b.imageMipTailOffset &&
         a.imageMipTailStride == b.imageMipTailStride;
}

// Of these aspects. A driver that has one kind for all may name another aspect: lavapipe says color of depth.
const VkSparseImageMemoryRequirements* find(std::span<const VkSparseImageMemoryRequirements> kinds,
                                            VkImageAspectFlags aspects) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const VkSparseImageMemoryRequirements& one) {
    return (one.formatProperties.aspectMask & aspects) != 0;
  });
  if (found != kinds.end()) return &*found;
  constexpr VkImageAspectFlags kMetadata = VK_IMAGE_ASPECT_METADATA_BIT;
  const bool only = kinds.size() == 1 && ((kinds[0].formatProperties.aspectMask | aspects) & kMetadata) == 0;
  return only ? &kinds[0] : nullptr;
}

std::string tiles_shortfall(const SparseUse& use, VkDeviceSize page, const VkSparseImageMemoryRequirements& kind) {
  const VkExtent3D& tile = kind.formatProperties.imageGranularity;
  const std::array<std::uint32_t, 3> size{std::max(tile.width, 1u), std::max(tile.height, 1u),
                                          std::max(tile.depth, 1u)};
  if (use.mips > kind.imageMipTailFirstLod)
    return "its mip " + std::to_string(use.mips - 1) +
           " has tiles of its own, and here lies in the mip tail, which begins with mip " +
           std::to_string(kind.imageMipTailFirstLod);
  for (std::size_t i = 0; i < size.size(); ++i)
    if (use.tiles[i] % size[i] != 0) return "its tiles have " + text_of(tile) + " texels here, and are bound at others";
  for (const auto& [extent, room] : use.room) {
    VkDeviceSize tiles = 1;
    for (std::size_t i = 0; i < size.size(); ++i) tiles *= (std::uint64_t{extent[i]} + size[i] - 1) / size[i];
    if (tiles > room / page)
      return std::to_string(tiles) + " of its tiles of " + std::to_string(page) + " bytes are bound to " +
             std::to_string(room) + " bytes";
  }
  return {};
}

}  // namespace

std::string sparse_shortfall(const SparseUse& use, const VkMemoryRequirements& needs,
                             std::span<const VkSparseImageMemoryRequirements> kinds) {
  const VkDeviceSize page = std::max<VkDeviceSize>(needs.alignment, 1);
  if (use.places % page != 0) return "its pages have " + std::to_string(page) + " bytes here, and are bound at others";
  if (use.end > needs.size)
    return "byte " + std::to_string(use.end - 1) + " of it is bound, and it has " + std::to_string(needs.size) +
           " here";
  for (const VkSparseImageMemoryRequirements& told : use.told) {
    const auto* here = find(kinds, told.formatProperties.aspectMask);
    if (here == nullptr) return "it has no tiles here";
    if (!same(told, *here))
      return "its tiles have " + text_of(told.formatProperties.imageGranularity) + " texels, and a tail of " +
             std::to_string(told.imageMipTailSize) + " bytes from mip " + std::to_string(told.imageMipTailFirstLod) +
             "; here " + text_of(here->formatProperties.imageGranularity) + ", " +
             std::to_string(here->imageMipTailSize) + " and " + std::to_string(here->imageMipTailFirstLod);
  }
  if (use.mips == 0) return {};
  const auto* kind = find(kinds, use.aspects);
  return kind == nullptr ? "it has no tiles here" : tiles_shortfall(use, page, *kind);
}

}  // namespace rondo::player
