// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/part_pictures.h"

#include "analyzers/text/text.h"
#include "model/gpu/texels.h"
#include "player/verify/encode_png.h"

namespace rondo::analyzers {

namespace {

// Slice by slice, as if they were 2D images. `decoded` keeps the texels.
Result<player::ShownTexels> decode(player::Snapshot& snapshot, const player::SnapshotImage& image,
                                   const player::Texels& texels, std::span<const std::byte> bytes,
                                   std::vector<std::byte>& decoded) {
  player::ShownTexels shown{texels};
  shown.texels.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  const std::size_t slice = bytes.size() / texels.extent.depth;
  for (std::uint32_t z = 0; z < texels.extent.depth; ++z) {
    const auto one = snapshot.decode(image, texels.format, {texels.extent.width, texels.extent.height},
                                     bytes.subspan(z * slice, slice));
    if (!one) return tl::unexpected(one.error());
    shown.texels.format = one->format;
    shown.colors = one->colors;
    decoded.insert(decoded.end(), one->texels.begin(), one->texels.end());
  }
  return shown;
}

}  // namespace

bool wants_picture(const player::SnapshotImage& image, const player::SnapshotPart& part) {
  constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  return (part.aspect & kDepthStencil) != 0 || part.extent.depth != 1 ||
         !player::fits_png(gpu::format_of_part(image.format, part.aspect));
}

Result<PartPicture> picture_of_part(player::Snapshot& snapshot, const player::SnapshotImage& image,
                                    const player::SnapshotPart& part, std::span<const std::byte> bytes) {
  player::Texels texels{image.format, part.aspect, part.extent};
  constexpr VkImageAspectFlags kPlanes =
      VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;
  if ((part.aspect & kPlanes) != 0) {
    texels.format = gpu::format_of_part(image.format, part.aspect);
    texels.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  }
  player::ShownTexels shown = player::shown_texels(texels);
  PartPicture out;
  std::vector<std::byte> decoded;
  if (!shown.known()) {
    const auto found = decode(snapshot, image, texels, bytes, decoded);
    if (!found) return tl::unexpected(found.error());
    shown = *found;
    bytes = decoded;
    out.shows = "decoded by the device";
  }
  const player::Shades shades = player::shades_of(shown, std::span(&bytes, 1));
  if (!shades.text.empty()) append(out.shows, "{}{}", out.shows.empty() ? "" : ", ", shades.text);
  if (out.shows.empty()) out.shows = "values as they are stored, in 8 bits";
  out.picture = player::picture_of(shown, bytes, shades);
  out.slices_in_row = player::slices_in_row(part.extent.depth);
  return out;
}

}  // namespace rondo::analyzers
