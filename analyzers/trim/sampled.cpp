// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/sampled.h"

#include <algorithm>

#include "model/gpu/texels.h"

namespace rondo::trim {

using player::SnapshotImage;
using player::SnapshotPart;

namespace {

// An image of the same kind, of one layer, that nobody knows.
class Trial {
 public:
  explicit Trial(player::DeviceState& device) : device_(device) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    const Dispatch& vk = device_.dispatch;
    if (image_ != VK_NULL_HANDLE) vk.vkDestroyImage(device_.handle, image_, nullptr);
    if (memory_ != VK_NULL_HANDLE) vk.vkFreeMemory(device_.handle, memory_, nullptr);
  }

  Result<VkImage> create(const SnapshotImage& like, const player::LiveQueue& queue) {
    const Dispatch& vk = device_.dispatch;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = like.format;
    info.extent = like.extent;
    info.mipLevels = info.arrayLayers = 1;
    info.samples = like.samples;
    info.usage = gpu::samples_usage(like.format);
    if (VkResult r = vk.vkCreateImage(device_.handle, &info, nullptr, &image_); r != VK_SUCCESS)
      return fail(Status::failed, gpu::describe("vkCreateImage", r));
    VkMemoryRequirements needs;
    vk.vkGetImageMemoryRequirements(device_.handle, image_, &needs);
    const std::uint32_t type = gpu::find_memory_type(device_.access.memory, needs.memoryTypeBits, 0);
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    VkResult r = vk.vkAllocateMemory(device_.handle, &allocate, nullptr, &memory_);
    if (r == VK_SUCCESS) r = vk.vkBindImageMemory(device_.handle, image_, memory_, 0);
    if (r != VK_SUCCESS) return fail(Status::failed, gpu::describe("memory for an image", r));
    return into_general(like.format, queue).transform([this] { return image_; });
  }

 private:
  Result<void> into_general(VkFormat format, const player::LiveQueue& queue) {
    gpu::OneShot& commands = device_.one_shot(queue.family);
    const auto begun = commands.begin();
    if (!begun) return tl::unexpected<Error>(begun.error());
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image_;
    barrier.subresourceRange = {gpu::aspects_of(format), 0, 1, 0, 1};
    device_.dispatch.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                          0, 0, nullptr, 0, nullptr, 1, &barrier);
    return commands.submit_and_wait(queue.handle, {});
  }

  player::DeviceState& device_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

gpu::ImageSource source_of(const SnapshotImage& image, const SnapshotPart& part) {
  gpu::ImageSource source;
  source.format = image.format;
  source.extent = part.extent;
  source.aspect = part.aspect;
  source.together = part.together;
  source.mip = part.mip;
  source.layer = part.layer;
  source.samples = image.samples;
  return source;
}

}  // namespace

gpu::Samples& Sampled::samples(player::DeviceState& device, std::uint32_t family) {
  auto& made = samples_[{device.index, family}];
  if (made == nullptr) made = std::make_unique<gpu::Samples>(device.access, family);
  return *made;
}

Result<std::span<const std::byte>> Sampled::read(const SnapshotImage& image, const SnapshotPart& part,
                                                 VkImageLayout layout, const player::LiveQueue& queue) {
  player::DeviceState& device = *run_.device_at(image.device);
  gpu::ImageSource source = source_of(image, part);
  source.image = reinterpret_cast<VkImage>(run_.slot(image.id));
  source.layout = layout;
  texels_.resize(static_cast<std::size_t>(gpu::bytes_of(gpu::Source(source))));
  RONDO_TRY(samples(device, queue.family).read(queue.handle, source, texels_));
  return std::span<const std::byte>(texels_);
}

Result<bool> Sampled::survives(const SnapshotImage& image, const SnapshotPart& part, VkImageLayout layout,
                               const player::LiveQueue& queue) {
  // Color and stencil go as bits.
  if (part.aspect != VK_IMAGE_ASPECT_DEPTH_BIT) return true;
  const auto texels = read(image, part, layout, queue);
  if (!texels) return tl::unexpected<Error>(texels.error());
  player::DeviceState& device = *run_.device_at(image.device);
  Trial trial(device);
  const auto other = trial.create(image, queue);
  if (!other) return tl::unexpected<Error>(other.error());
  gpu::ImageSource there = source_of(image, part);
  there.image = *other;
  there.layout = VK_IMAGE_LAYOUT_GENERAL;
  there.layer = 0;
  gpu::Samples& shaders = samples(device, queue.family);
  RONDO_TRY(shaders.write(queue.handle, there, *texels));
  std::vector<std::byte> again(texels->size());
  RONDO_TRY(shaders.read(queue.handle, there, again));
  return std::equal(again.begin(), again.end(), texels->begin());
}

}  // namespace rondo::trim
