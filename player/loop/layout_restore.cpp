// SPDX-License-Identifier: Apache-2.0
#include "player/loop/layout_restore.h"

#include <algorithm>

#include "model/gpu/one_shot.h"

namespace rondo::player {

namespace {

constexpr VkAccessFlags kAny = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

}  // namespace

std::uint32_t LayoutRestore::device_of(ObjectId id) const {
  return run_.plan().place_of(run_.plan().objects.objects()[id].device);
}

void LayoutRestore::add(ByFamily& to, ObjectId image, const VkImageSubresourceRange& range, std::uint32_t family,
                        VkImageLayout from, VkImageLayout layout) {
  if (run_.slot(image) == 0) return;
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = barrier.dstAccessMask = kAny;
  barrier.oldLayout = from;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = reinterpret_cast<VkImage>(run_.slot(image));
  barrier.subresourceRange = range;
  to[{device_of(image), family}].images.push_back(barrier);
}

// One half of it, as it was recorded.
void LayoutRestore::add(ByFamily& to, const Transfer& transfer, std::uint32_t family) {
  if (run_.slot(transfer.resource) == 0) return;
  Barriers& barriers = to[{device_of(transfer.resource), family}];
  if (transfer.is_image) {
    add(to, transfer.resource, transfer.range, family, transfer.from, transfer.to);
    barriers.images.back().srcQueueFamilyIndex = transfer.source;
    barriers.images.back().dstQueueFamilyIndex = transfer.target;
    return;
  }
  barriers.buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, kAny, kAny, transfer.source,
                              transfer.target, reinterpret_cast<VkBuffer>(run_.slot(transfer.resource)),
                              transfer.offset, transfer.size});
}

Result<void> LayoutRestore::submit(const ByFamily& all) {
  for (const auto& [where, barriers] : all) {
    const auto& device = run_.device_at(where.first);
    if (device == nullptr) continue;
    // Who used it last has a queue; what only the host did may be done by any.
    LiveQueue queue{ObjectId::null, device->service_queue, device->service_family};
    for (const LiveQueue& one : device->queues)
      if (one.family == where.second && queue.family != one.family) queue = one;
    gpu::OneShot& commands = device->one_shot(queue.family);
    auto begun = commands.begin();
    if (!begun) return tl::unexpected<Error>(begun.error());
    device->dispatch.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                                          static_cast<std::uint32_t>(barriers.buffers.size()), barriers.buffers.data(),
                                          static_cast<std::uint32_t>(barriers.images.size()), barriers.images.data());
    RONDO_TRY(commands.submit_and_wait(queue.handle, {}));
  }
  return {};
}

Result<void> LayoutRestore::prepare() {
  ByFamily general;
  for (const LayoutChange& change : changes_.preinitialized)
    add(general, change.image, change.range, change.before.family, VK_IMAGE_LAYOUT_PREINITIALIZED,
        VK_IMAGE_LAYOUT_GENERAL);
  return submit(general);
}

Result<void> LayoutRestore::restore() {
  ByFamily answers, layouts, releases;
  for (const Transfer& transfer : changes_.unanswered) add(answers, transfer, transfer.target);
  RONDO_TRY(submit(answers));
  // From UNDEFINED nobody has to give them up, either.
  for (const LayoutChange& change : changes_.images)
    if (change.before.layout != VK_IMAGE_LAYOUT_UNDEFINED && change.before.layout != VK_IMAGE_LAYOUT_PREINITIALIZED)
      add(layouts, change.image, change.range, change.before.family, VK_IMAGE_LAYOUT_UNDEFINED, change.before.layout);
  RONDO_TRY(submit(layouts));
  for (const Transfer& transfer : changes_.answered) add(releases, transfer, transfer.source);
  return submit(releases);
}

}  // namespace rondo::player
