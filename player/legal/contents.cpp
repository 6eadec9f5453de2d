// SPDX-License-Identifier: Apache-2.0
// Contents that a cut brings: that they fit where they go. Those of memories: plan_observe_memory.cpp.
#include <span>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

Wrong image_contents(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoImageContents>();
  const ObjectId id = c.id(&a.image);
  std::uint64_t bytes = 0;
  for (const RondoSubresource& part : std::span(a.pParts, a.partCount)) {
    if (Wrong w = check_part(v, id, part, true); !w.empty()) return w;
    const Image& image = *v.image(id);
    const VkExtent3D extent = gpu::part_extent(image.format, part.aspect, image.extent, part.mipLevel);
    const std::uint64_t sample = gpu::region_bytes(image.format, part.aspect, 0, 0, extent, 1);
    const auto samples = static_cast<std::uint64_t>(image.samples);
    if (sample == 0 || sample > (a.dataSize - bytes) / samples) return "has less bytes than its parts have texels";
    bytes += sample * samples;
  }
  return bytes == a.dataSize ? Wrong() : "has more bytes than its parts have texels";
}

Wrong mips(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoMips>();
  const ObjectId id = c.id(&a.image);
  const Image* image = v.image(id);
  if (image == nullptr || a.levelCount < 2 || a.levelCount > image->mips) return "makes no mips";
  if (gpu::is_compressed(image->format) || gpu::is_integer(image->format) || image->type == VK_IMAGE_TYPE_1D)
    return "makes mips of " + v.name(id) + ", which is not blitted";
  for (std::uint32_t i = 0; i < a.levelCount; ++i) {
    const RondoSubresource part{VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_COLOR_BIT, a.baseMipLevel + i, a.arrayLayer,
                                a.layout};
    for (const bool writes : {false, true})
      if (Wrong w = check_part(v, id, part, writes); !w.empty()) return w;
  }
  return {};
}

}  // namespace

void add_content_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::rondoImageContents)] = image_contents;
  table[static_cast<std::size_t>(CommandId::rondoMips)] = mips;
}

}  // namespace rondo::player::validity
