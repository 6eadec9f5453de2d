// SPDX-License-Identifier: Apache-2.0
// A word through every memory type that a buffer may have: the host writes it
// where it can see the type (and flushes where it has to), a copy moves it on,
// and the host reads what came out in coherent memory.
#include "support.h"

using namespace program;

namespace {

constexpr std::uint32_t kWords = 1024;
constexpr VkDeviceSize kBytes = kWords * sizeof(std::uint32_t);
constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

std::uint32_t value(std::uint32_t type, std::uint32_t round, std::uint32_t word) {
  return (type + 1) * 2654435761u ^ round * 97u ^ word;
}

void copy(const Context& c, const Commands& commands, VkBuffer from, VkBuffer to) {
  begin(commands);
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                          VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  vkCmdPipelineBarrier(commands.buffer, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  const VkBufferCopy whole{0, 0, kBytes};
  vkCmdCopyBuffer(commands.buffer, from, to, 1, &whole);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
}

void through_all_types() {
  Context c = create_context("memory_types");
  Commands commands = create_commands(c);
  MappedBuffer in = create_mapped_buffer(c, kBytes, kCopies);
  MappedBuffer out = create_mapped_buffer(c, kBytes, kCopies);
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(c.physical, &memory);
  std::uint32_t types = 0, seen = 0, flushed = 0;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if ((flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)) != 0) continue;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = kBytes;
    info.usage = kCopies;
    VkBuffer buffer;
    CHECK(vkCreateBuffer(c.device, &info, nullptr, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(c.device, buffer, &needs);
    if ((needs.memoryTypeBits >> type & 1) == 0) {
      vkDestroyBuffer(c.device, buffer, nullptr);
      continue;
    }
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    VkDeviceMemory block;
    CHECK(vkAllocateMemory(c.device, &allocate, nullptr, &block));
    CHECK(vkBindBufferMemory(c.device, buffer, block, 0));
    ++types;
    const bool visible = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    const bool coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    void* mapped = nullptr;
    if (visible) CHECK(vkMapMemory(c.device, block, 0, VK_WHOLE_SIZE, 0, &mapped));
    const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, block, 0, VK_WHOLE_SIZE};
    for (std::uint32_t round = 0; round < 3; ++round) {
      std::uint32_t* const words = visible ? static_cast<std::uint32_t*>(mapped) : in.words;
      for (std::uint32_t i = 0; i < kWords; ++i) words[i] = value(type, round, i);
      if (visible && !coherent) {
        CHECK(vkFlushMappedMemoryRanges(c.device, 1, &all));
        ++flushed;
      }
      if (!visible) copy(c, commands, in.buffer, buffer);
      copy(c, commands, buffer, out.buffer);
      for (std::uint32_t i = 0; i < kWords; ++i)
        if (out.words[i] != value(type, round, i)) die("wrong word of a type", type);
      // And back: the device writes what the host reads.
      for (std::uint32_t i = 0; i < kWords; ++i) in.words[i] = ~value(type, round, i);
      copy(c, commands, in.buffer, buffer);
      if (!visible) continue;
      if (!coherent) CHECK(vkInvalidateMappedMemoryRanges(c.device, 1, &all));
      for (std::uint32_t i = 0; i < kWords; ++i)
        if (words[i] != ~value(type, round, i)) die("wrong word read of a type", type);
    }
    if (visible) ++seen;
    if (visible) vkUnmapMemory(c.device, block);
    vkDestroyBuffer(c.device, buffer, nullptr);
    vkFreeMemory(c.device, block, nullptr);
  }
  std::printf("memory_types: %u types, %u seen by the host, %u flushes\n", types, seen, flushed);
  destroy(c, out);
  destroy(c, in);
  destroy(c, commands);
  destroy(c);
}

}  // namespace

// Once, or as often as said, each time on a device of its own.
int main(int argc, char** argv) {
  for (int times = argc > 1 ? std::atoi(argv[1]) : 1; times > 0; --times) through_all_types();
  return 0;
}
