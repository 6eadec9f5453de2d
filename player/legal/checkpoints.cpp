// SPDX-License-Identifier: Apache-2.0
// Contents that are read to be compared.
#include <bit>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

Wrong check_buffers(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoCheckpointBuffers>();
  if (a.unverified != nullptr) return {};
  for (std::uint32_t i = 0; i < a.count; ++i) {
    const ObjectId id = c.id(&a.pBuffers[i]);
    if (id == ObjectId::null || a.pRanges[i].size == 0 || a.pRanges[i].size == VK_WHOLE_SIZE) return "reads nothing";
    if (Wrong w = check_bytes(v, "pRanges", id, a.pRanges[i].offset, a.pRanges[i].size); !w.empty()) return w;
    v.needs_usage(id, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  }
  return {};
}

}  // namespace

Wrong check_part(Validity& v, ObjectId id, const RondoSubresource& part, bool writes) {
  if (Wrong w = check_bound(v, "pImages", id); !w.empty()) return w;
  const Image* image = v.image(id);
  const std::string verb = writes ? "writes " : "reads ";
  if (image == nullptr) return verb + "nothing";
  const std::string what = verb + v.name(id) + ", ";
  const VkImageAspectFlags aspects = gpu::aspects_of(image->format);
  const bool planar = gpu::is_planar(image->format);
  if (!std::has_single_bit(part.aspect) || (part.aspect & ~aspects) != 0 ||
      (planar && part.aspect == VK_IMAGE_ASPECT_COLOR_BIT))
    return what + "which has no such aspect";
  const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const bool together = planar ? part.together == VK_IMAGE_ASPECT_COLOR_BIT
                               : part.together == part.aspect || (part.together == both && aspects == both);
  if (!together) return what + "whose aspects do not change their layout so";
  const bool sampled = image->samples != VK_SAMPLE_COUNT_1_BIT;
  if (part.layout == VK_IMAGE_LAYOUT_UNDEFINED || part.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
    return what + "whose contents are not defined";
  if (gpu::block_of(image->format, part.aspect).bytes == 0)
    return what + (writes ? "which cannot be written" : "which cannot be read");
  const VkImageSubresourceRange range{part.aspect, part.mipLevel, 1, part.arrayLayer, 1};
  if (Wrong w = check_range(v, "pParts", id, range, 0); !w.empty()) return w;
  if (sampled) return check_samples(v, id, part, writes);
  return v.needs_image_usage("pImages", id, writes ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

namespace {

Wrong check_subresources(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoCheckpointSubresources>();
  if (a.unverified != nullptr) return {};
  for (std::uint32_t i = 0; i < a.count; ++i)
    if (Wrong w = check_part(v, c.id(&a.pImages[i]), a.pParts[i], false); !w.empty()) return w;
  return {};
}

}  // namespace

void add_checkpoint_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::rondoCheckpointBuffers)] = check_buffers;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointSubresources)] = check_subresources;
}

}  // namespace rondo::player::validity
