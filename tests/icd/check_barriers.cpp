// SPDX-License-Identifier: Apache-2.0
// What barriers and events may name.
#include "tests/icd/install.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/ranges.h"

namespace fake {
namespace {

bool check_families(std::uint32_t from, std::uint32_t to) {
  const auto known = [](std::uint32_t family) {
    return family < queue_families().size() || family == VK_QUEUE_FAMILY_IGNORED ||
           family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
  };
  if (from == to || (known(from) && known(to) && from != VK_QUEUE_FAMILY_IGNORED && to != VK_QUEUE_FAMILY_IGNORED))
    return true;
  harmless("a barrier is between queue families that the device does not have");
  return false;
}

// Drivers change the layout of what is there.
bool names_aspects(const Image& image, const VkImageSubresourceRange& range) {
  VkImageAspectFlags known = 0;
  for (const Plane& plane : planes_of(image.format)) known |= plane.aspect;
  if ((known & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) == 0) known |= VK_IMAGE_ASPECT_COLOR_BIT;
  if (range.aspectMask != 0 && (range.aspectMask & ~known) == 0) return true;
  harmless("a barrier's range names aspects that the image lacks");
  return false;
}

template <class Barrier>
bool check_buffers(const Barrier* barriers, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto buffer = get<Buffer>(barriers[i].buffer);
    if (!check_families(barriers[i].srcQueueFamilyIndex, barriers[i].dstQueueFamilyIndex) ||
        !is_usable(*buffer, 0, "a barrier's buffer") ||
        !is_within(*buffer, barriers[i].offset, barriers[i].size, "a barrier's range"))
      return false;
  }
  return true;
}

template <class Barrier>
bool check_images(const Barrier* barriers, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Barrier& b = barriers[i];
    const auto image = get<Image>(b.image);
    if (!check_families(b.srcQueueFamilyIndex, b.dstQueueFamilyIndex) || !is_usable(*image, 0, "a barrier's image") ||
        !names_aspects(*image, b.subresourceRange) || !has_range(*image, b.subresourceRange, "a barrier's range"))
      return false;
    const bool changes = b.oldLayout != b.newLayout || b.srcQueueFamilyIndex != b.dstQueueFamilyIndex;
    if (changes && (b.newLayout == VK_IMAGE_LAYOUT_UNDEFINED || b.newLayout == VK_IMAGE_LAYOUT_PREINITIALIZED)) {
      violation("a barrier's newLayout is undefined or preinitialized");
      return false;
    }
  }
  return true;
}

template <class A>
void check_barriers(Call&, const A& a) {
  if (check_buffers(a.pBufferMemoryBarriers, a.bufferMemoryBarrierCount))
    check_images(a.pImageMemoryBarriers, a.imageMemoryBarrierCount);
}

bool check_dependency(const VkDependencyInfo& info) {
  return check_buffers(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount) &&
         check_images(info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
}

void check_barrier2(Call&, const args_vkCmdPipelineBarrier2& a) { check_dependency(*a.pDependencyInfo); }
void check_set2(Call&, const args_vkCmdSetEvent2& a) { check_dependency(*a.pDependencyInfo); }

void check_wait(Call& call, const args_vkCmdWaitEvents& a) {
  if (a.eventCount == 0) return harmless("eventCount is 0");  // a barrier and no more
  check_barriers(call, a);
}
void check_wait2(Call&, const args_vkCmdWaitEvents2& a) {
  if (a.eventCount == 0) return harmless("eventCount is 0");  // a barrier and no more
  for (std::uint32_t i = 0; i < a.eventCount; ++i)
    if (!check_dependency(a.pDependencyInfos[i])) return;
}

}  // namespace

void install_barrier_checks(Table& table) {
  table.check<check_barriers<args_vkCmdPipelineBarrier>>(CommandId::vkCmdPipelineBarrier);
  table.check<check_barrier2>(CommandId::vkCmdPipelineBarrier2);
  table.check<check_set2>(CommandId::vkCmdSetEvent2);
  table.check<check_wait>(CommandId::vkCmdWaitEvents);
  table.check<check_wait2>(CommandId::vkCmdWaitEvents2);
}

}  // namespace fake
