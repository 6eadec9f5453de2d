// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Creation", binding: buffers and images of one memory bound by
// one command each, with device indices of a group of one beside, requirements
// asked of objects and of nothing, resources shared between families by name.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kCount = 6;

VkDeviceSize up(VkDeviceSize at, VkDeviceSize alignment) { return (at + alignment - 1) / alignment * alignment; }

VkBuffer create_buffer(Session& s, std::uint32_t i) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 100 + i * 60, .usage = kCopies};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("bound_at_once", needs);
  VkBuffer buffers[kCount];
  VkImage images[kCount];
  VkBindBufferMemoryInfo buffer_binds[kCount];
  VkBindImageMemoryInfo image_binds[kCount];
  const std::uint32_t self = 0;
  const VkBindBufferMemoryDeviceGroupInfo of_buffers{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO, nullptr, 1,
                                                     &self};
  const VkBindImageMemoryDeviceGroupInfo of_images{
      VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO, nullptr, 0, nullptr, 0, nullptr};
  VkDeviceSize end = 4096, images_end = 0;
  std::uint32_t types = ~0u, image_types = ~0u;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    buffers[i] = create_buffer(s, i);
    const VkBufferMemoryRequirementsInfo2 asked{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                                buffers[i]};
    VkMemoryRequirements2 needed{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetBufferMemoryRequirements2(s.device, &asked, &needed);
    end = up(end, needed.memoryRequirements.alignment);
    buffer_binds[i] = {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, i % 2 == 0 ? &of_buffers : nullptr, buffers[i],
                       VK_NULL_HANDLE, end};
    end += needed.memoryRequirements.size;
    types &= needed.memoryRequirements.memoryTypeBits;

    images[i] =
        keep(s, vkDestroyImage,
             create_unbound_image(s, image_info(VK_FORMAT_R8G8B8A8_UINT, {5 + i, 3, 1},
                                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)));
    const VkImageMemoryRequirementsInfo2 image_asked{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                                     images[i]};
    vkGetImageMemoryRequirements2(s.device, &image_asked, &needed);
    images_end = up(images_end, needed.memoryRequirements.alignment);
    image_binds[i] = {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, i % 2 == 0 ? &of_images : nullptr, images[i],
                      VK_NULL_HANDLE, images_end};
    images_end += needed.memoryRequirements.size;
    image_types &= needed.memoryRequirements.memoryTypeBits;
  }
  const VkMemoryAllocateFlagsInfo mask{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                       VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT, 1};
  const VkMemoryAllocateInfo allocations[2] = {
      {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, end,
       memory_type(s, types, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)},
      {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &mask, images_end, memory_type(s, image_types, 0)}};
  VkDeviceMemory memories[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(vkAllocateMemory(s.device, &allocations[i], nullptr, &memories[i]));
    keep(s, vkFreeMemory, memories[i]);
  }
  for (VkBindBufferMemoryInfo& bind : buffer_binds) bind.memory = memories[0];
  for (VkBindImageMemoryInfo& bind : image_binds) bind.memory = memories[1];
  CHECK(vkBindBufferMemory2(s.device, kCount, buffer_binds));
  CHECK(vkBindImageMemory2(s.device, kCount, image_binds));

  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memories[0], 4096, VK_WHOLE_SIZE, 0, &mapped));
  auto* bytes = static_cast<unsigned char*>(mapped) - 4096;
  for (VkDeviceSize i = 4096; i < end; ++i)
    bytes[i] = static_cast<unsigned char>(mix(3, static_cast<std::uint32_t>(i)) >> 9);
  const MappedBuffer out = buffer(s, 4096, kCopies);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    change_layout(s.cmd, images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkBufferImageCopy in{
        .bufferOffset = 4, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {5 + i, 3, 1}};
    vkCmdCopyBufferToImage(s.cmd, buffers[i], images[i], VK_IMAGE_LAYOUT_GENERAL, 1, &in);
    barrier(s.cmd);
    VkBufferImageCopy back = in;
    back.bufferOffset = i * 512;
    vkCmdCopyImageToBuffer(s.cmd, images[i], VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &back);
  }
  run(s);
  for (std::uint32_t i = 0; i < kCount; ++i)
    EXPECT(s, std::memcmp(out.words + i * 128, bytes + buffer_binds[i].memoryOffset + 4, (5 + i) * 12) == 0);
  add(s, out);
  return finish(s);
}
