// SPDX-License-Identifier: Apache-2.0
// Which images of several samples go sample by sample.
#include <algorithm>

#include "analyzers/trim/put_back.h"
#include "model/gpu/texels.h"

namespace rondo::trim {

using player::SnapshotImage;
using player::SnapshotPart;

Result<bool> PutBack::can_be_drawn(const SnapshotImage& image, const std::vector<std::size_t>& parts) {
  const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
  player::DeviceState& device = *run_.device_at(image.device);
  const VkImageAspectFlags all = gpu::aspects_of(image.format);
  for (const std::size_t i : parts) {
    const SnapshotPart& part = image.parts[i];
    // Draws leave nothing but all aspects of a layer in one layout.
    if (part.together != all) return false;
    const std::uint32_t family = image.families.empty() ? layouts.at(i).family : VK_QUEUE_FAMILY_IGNORED;
    const QueueOf* queue = queue_for(image.device, family, VK_QUEUE_GRAPHICS_BIT);
    if (queue == nullptr || (queue->can & VK_QUEUE_COMPUTE_BIT) == 0) return false;
    const auto live = std::find_if(device.queues.begin(), device.queues.end(),
                                   [&](const player::LiveQueue& one) { return one.id == queue->id; });
    if (live == device.queues.end()) return false;
    const auto survives = samples_.survives(image, part, layouts.at(i).layout, *live);
    if (!survives) return cannot(image.id, "cannot be read: " + survives.error().message);
    if (!*survives) return false;
  }
  return true;
}

Result<void> PutBack::choose_sampled() {
  for (const SnapshotImage& image : there_.images) {
    if (sampled_.count(image.id) == 0 || !is_there(image.id)) continue;
    const std::vector<std::size_t> parts = parts_of(image);
    const auto drawn = can_be_drawn(image, parts);
    if (!drawn) return tl::unexpected<Error>(drawn.error());
    if (!*drawn) sampled_.erase(image.id);
  }
  return {};
}

}  // namespace rondo::trim
