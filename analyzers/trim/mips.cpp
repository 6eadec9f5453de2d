// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/mips.h"

#include <algorithm>

#include "model/gpu/one_shot.h"
#include "model/gpu/texels.h"
#include "model/gpu/upload.h"
#include "player/run/mips.h"

namespace rondo::trim {

namespace {

// An image like it, of these mips.
class Scratch {
 public:
  Scratch(player::DeviceState& device, const player::SnapshotImage& like, VkExtent3D extent, std::uint32_t mips)
      : device_(device) {
    const Dispatch& vk = device.dispatch;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = like.type;
    info.format = like.format;
    info.extent = extent;
    info.mipLevels = mips;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (vk.vkCreateImage(device.handle, &info, nullptr, &image) < 0) return;
    VkMemoryRequirements needs{};
    vk.vkGetImageMemoryRequirements(device.handle, image, &needs);
    const std::uint32_t type = gpu::find_memory_type(device.access.memory, needs.memoryTypeBits, 0);
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    ready = type != UINT32_MAX && vk.vkAllocateMemory(device.handle, &allocate, nullptr, &memory_) >= 0 &&
            vk.vkBindImageMemory(device.handle, image, memory_, 0) >= 0;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    device_.dispatch.vkDestroyImage(device_.handle, image, nullptr);
    device_.dispatch.vkFreeMemory(device_.handle, memory_, nullptr);
  }
  VkImage image = VK_NULL_HANDLE;
  bool ready = false;

 private:
  player::DeviceState& device_;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

Result<void> by_commands(player::DeviceState& device, const player::LiveQueue& queue, const auto& record) {
  gpu::OneShot& commands = device.one_shot(queue.family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  record(device.dispatch, *begun);
  return commands.submit_and_wait(queue.handle, {});
}

}  // namespace

Result<std::uint32_t> mips_made_by_blits(player::Run& run, const player::LiveQueue& queue,
                                         const player::SnapshotImage& image, std::uint32_t base,
                                         const std::vector<std::vector<std::byte>>& levels) {
  player::DeviceState& device = *run.device_at(image.device);
  const VkQueueFamilyProperties& family = run.targets()[device.index].families[queue.family];
  const auto count = static_cast<std::uint32_t>(levels.size());
  if ((family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0 || !can_make_mips(run, image.device, image.format)) return 1u;
  const VkExtent3D extent = gpu::part_extent(image.format, VK_IMAGE_ASPECT_COLOR_BIT, image.extent, base);
  Scratch scratch(device, image, extent, count);
  if (!scratch.ready) return 1u;  // then they are kept
  gpu::ImageSource first;
  first.image = scratch.image;
  first.format = image.format;
  first.extent = extent;
  first.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  RONDO_TRY(by_commands(device, queue, [&](const Dispatch& vk, VkCommandBuffer commands) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.newLayout = first.layout;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = scratch.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr,
                            0, nullptr, 1, &barrier);
  }));
  {
    gpu::Upload upload(device.access, queue.family, family.minImageTransferGranularity);
    RONDO_TRY(upload.write(queue.handle, first, levels[0]));
  }
  RONDO_TRY(by_commands(device, queue, [&](const Dispatch& vk, VkCommandBuffer commands) {
    player::record_mips(vk, commands, {scratch.image, extent, 0, count, 0, VK_IMAGE_LAYOUT_UNDEFINED});
  }));
  for (std::uint32_t mip = 1; mip < count; ++mip) {
    gpu::ImageSource one = first;
    one.mip = mip;
    one.extent = gpu::part_extent(image.format, VK_IMAGE_ASPECT_COLOR_BIT, extent, mip);
    const auto texels = run.readback(device, queue.family).read(queue.handle, one);
    if (!texels) return tl::unexpected<Error>(texels.error());
    if (!std::equal(texels->begin(), texels->end(), levels[mip].begin(), levels[mip].end())) return mip;
  }
  return count;
}

}  // namespace rondo::trim
