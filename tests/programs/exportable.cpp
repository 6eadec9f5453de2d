// SPDX-License-Identifier: Apache-2.0
// A buffer, an image and memory that are made so that they may be exported, as far as the
// device says that it can, and never are.
#include "image.h"
#include "session.h"

using namespace program;

namespace {

constexpr auto kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkDeviceSize kBytes = 4096;

bool may_be(const Session& s, VkBufferUsageFlags usage) {
  const VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                usage, kHandle};
  VkExternalBufferProperties answer{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(s.physical, &info, &answer);
  return (answer.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
}

VkDeviceMemory allocate(Session& s, const VkMemoryRequirements& needs, VkMemoryPropertyFlags properties,
                        bool exportable) {
  const VkExportMemoryAllocateInfo types{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr, kHandle};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, exportable ? &types : nullptr, needs.size,
                                  memory_type(s, needs.memoryTypeBits, properties)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(s.device, &info, nullptr, &memory));
  return keep(s, vkFreeMemory, memory);
}

struct Shared {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint32_t* words = nullptr;
};

Shared create_buffer(Session& s, VkBufferUsageFlags usage, bool exportable) {
  const VkExternalMemoryBufferCreateInfo types{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kHandle};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = exportable ? &types : nullptr;
  info.size = kBytes;
  info.usage = usage;
  Shared b;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, b.buffer, &needs);
  const VkDeviceMemory memory =
      allocate(s, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, exportable);
  keep(s, vkDestroyBuffer, b.buffer);
  CHECK(vkBindBufferMemory(s.device, b.buffer, memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  b.words = static_cast<std::uint32_t*>(mapped);
  return b;
}

}  // namespace

int main() {
  Session s = open("exportable");
  const bool exportable = may_be(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const Shared from = create_buffer(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, exportable);
  const Shared to = create_buffer(s, VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
  const VkExternalMemoryImageCreateInfo types{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr, kHandle};
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, 32, VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  info.pNext = exportable ? &types : nullptr;
  VkImage image;
  CHECK(vkCreateImage(s.device, &info, nullptr, &image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(s.device, image, &needs);
  const VkDeviceMemory memory = allocate(s, needs, 0, exportable);
  keep(s, vkDestroyImage, image);
  CHECK(vkBindImageMemory(s.device, image, memory, 0));

  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < kBytes / 4; ++i) from.words[i] = mix(round, i);
    VkImageMemoryBarrier ready{};
    ready.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    ready.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    ready.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    ready.srcQueueFamilyIndex = ready.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    ready.image = image;
    ready.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &ready);
    VkBufferImageCopy all{};
    all.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    all.imageExtent = {32, 32, 1};
    vkCmdCopyBufferToImage(s.cmd, from.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
    barrier(s.cmd);
    vkCmdCopyImageToBuffer(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &all);
    run(s);
    EXPECT(s, std::memcmp(from.words, to.words, kBytes) == 0);
    s.sum = s.sum * 31 + checksum(to.words, kBytes / 4);
  }
  return finish(s);
}
