// SPDX-License-Identifier: Apache-2.0
// Memory that says how much it matters, when it is allocated and later
// (VK_EXT_pageable_device_local_memory).
#include "words.h"

using namespace program;

int main() {
  Needs needs({VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME});
  NEED(needs, MemoryPriorityFeaturesEXT, memoryPriority);
  NEED(needs, PageableDeviceLocalMemoryFeaturesEXT, pageableDeviceLocalMemory);
  Session s = open("memory_priorities", needs);
  LOAD(s, vkSetDeviceMemoryPriorityEXT);
  const MappedBuffer from = buffer(s, 4096, kCopies), to = buffer(s, 4096, kCopies);
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = kCopies};
  VkBuffer between;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &between));
  VkMemoryRequirements wanted;
  vkGetBufferMemoryRequirements(s.device, between, &wanted);
  const VkMemoryPriorityAllocateInfoEXT priority{VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, nullptr, 0.75f};
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &priority, wanted.size,
                                        memory_type(s, wanted.memoryTypeBits, 0)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &memory));
  CHECK(vkBindBufferMemory(s.device, between, memory, 0));
  fill(from, 3);
  copy(s.cmd, from.buffer, 0, between, 0, 4096);
  run(s);
  vkSetDeviceMemoryPriorityEXT(s.device, memory, 0);
  vkSetDeviceMemoryPriorityEXT(s.device, to.memory, 1);
  copy(s.cmd, between, 0, to.buffer, 0, 4096);
  run(s);
  EXPECT(s, std::memcmp(from.words, to.words, 4096) == 0);
  vkDestroyBuffer(s.device, between, nullptr);
  vkFreeMemory(s.device, memory, nullptr);
  add(s, to);
  return finish(s);
}
