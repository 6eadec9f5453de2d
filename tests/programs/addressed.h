// SPDX-License-Identifier: Apache-2.0
// Mapped buffers that have device addresses.
#pragma once

#include "session.h"

namespace program {

struct Addressed : MappedBuffer {
  VkDeviceAddress address = 0;
};

// Lives as long as the session, filled with zeros.
inline Addressed create_addressed(Session& s, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  Addressed b;
  b.bytes = bytes;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = bytes,
                                .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  keep(s, vkDestroyBuffer, b.buffer);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, b.buffer, &needs);
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
      memory_type(s, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &b.memory));
  keep(s, vkFreeMemory, b.memory);
  CHECK(vkBindBufferMemory(s.device, b.buffer, b.memory, 0));
  void* mapped;
  CHECK(vkMapMemory(s.device, b.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  b.words = static_cast<std::uint32_t*>(mapped);
  std::memset(mapped, 0, static_cast<std::size_t>(bytes));
  const VkBufferDeviceAddressInfo asked{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, b.buffer};
  b.address = vkGetBufferDeviceAddress(s.device, &asked);
  return b;
}

template <class Item, std::size_t N>
Addressed addressed_of(Session& s, VkBufferUsageFlags usage, const Item (&items)[N]) {
  Addressed b = create_addressed(s, sizeof items, usage);
  std::memcpy(b.words, items, sizeof items);
  return b;
}

}  // namespace program
