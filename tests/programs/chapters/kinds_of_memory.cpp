// SPDX-License-Identifier: Apache-2.0
// Chapter "Memory Allocation": memory of every type, mapped in pieces and again,
// flushed and invalidated by whole atoms, with everything that an allocation may
// carry; budgets and priorities where the device has them.
#include "words.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 64 * 1024;

VkBuffer create_buffer(Session& s) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes, .usage = kCopies};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return buffer;
}

// Writes through a mapping of [at, at + bytes), which is flushed as far as its atoms reach.
void write(Session& s, VkDeviceMemory memory, VkDeviceSize at, VkDeviceSize bytes, std::uint32_t seed, bool coherent) {
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, at, bytes, 0, &mapped));
  const VkDeviceSize length = bytes == VK_WHOLE_SIZE ? kBytes - at : bytes;
  auto* words = static_cast<std::uint32_t*>(mapped);
  for (std::uint32_t i = 0; i < length / 4; ++i) words[i] = mix(seed, i);
  if (!coherent) {
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, at, bytes};
    CHECK(vkFlushMappedMemoryRanges(s.device, 1, &range));
  }
  vkUnmapMemory(s.device, memory);
}

std::uint64_t read(Session& s, VkDeviceMemory memory, bool coherent) {
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  if (!coherent) {
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, 0, VK_WHOLE_SIZE};
    CHECK(vkInvalidateMappedMemoryRanges(s.device, 1, &range));
  }
  const std::uint64_t sum = checksum(static_cast<std::uint32_t*>(mapped), kBytes / 4);
  vkUnmapMemory(s.device, memory);
  return sum;
}

// How many types there are is the driver's business (and a recorder's): only what the first
// coherent one held is printed.
void use(Session& s, std::uint32_t type, VkMemoryPropertyFlags flags, bool priorities, const MappedBuffer& out) {
  const VkBuffer buffer = create_buffer(s);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, buffer, &needs);
  if ((needs.memoryTypeBits & (1u << type)) == 0) return vkDestroyBuffer(s.device, buffer, nullptr);
  const VkMemoryPriorityAllocateInfoEXT priority{VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, nullptr, 0.25f};
  const VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                priorities ? &priority : nullptr, VK_NULL_HANDLE, buffer};
  const VkMemoryAllocateFlagsInfo no_flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &dedicated, 0, 0};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &no_flags, needs.size, type};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(s.device, &info, nullptr, &memory));
  CHECK(vkBindBufferMemory(s.device, buffer, memory, 0));
  VkDeviceSize committed = 0;
  if ((flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0) vkGetDeviceMemoryCommitment(s.device, memory, &committed);

  vkCmdFillBuffer(s.cmd, buffer, 0, VK_WHOLE_SIZE, flags);
  run(s);
  const bool mapped = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  const bool coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  if (mapped) {  // each piece begins and ends with an atom of any device
    write(s, memory, 0, 256, 10 + flags, coherent);
    write(s, memory, 1024, 4096, 20 + flags, coherent);
    write(s, memory, 512, 256, 30 + flags, coherent);
    write(s, memory, kBytes - 8192, VK_WHOLE_SIZE, 40 + flags, coherent);
  }
  barrier(s.cmd);
  copy(s.cmd, buffer, 0, out.buffer, 0, kBytes);
  vkCmdFillBuffer(s.cmd, buffer, 2048, 1024, 0xabcdef);
  run(s);
  const std::uint64_t sum = mapped ? read(s, memory, coherent) : 0;
  if (coherent && s.sum == 0) s.sum = sum + checksum(out.words, kBytes / 4);
  vkFreeMemory(s.device, memory, nullptr);  // before the buffer, which is not used again
  vkDestroyBuffer(s.device, buffer, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  needs.wished = {VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME};
  Session s = open("kinds_of_memory", needs);
  const bool priorities = has(needs, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
  const bool budgets = has(needs, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                               budgets ? &budget : nullptr};
  vkGetPhysicalDeviceMemoryProperties2(s.physical, &properties);
  const VkPhysicalDeviceMemoryProperties& memory = properties.memoryProperties;
  if (budgets) EXPECT(s, budget.heapBudget[0] > 0 && budget.heapBudget[0] <= memory.memoryHeaps[0].size);
  const MappedBuffer out = buffer(s, kBytes, kCopies);
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    constexpr VkMemoryPropertyFlags not_for_buffers =
        VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if ((flags & not_for_buffers) == 0) use(s, type, flags, priorities, out);
  }
  return finish(s);
}
