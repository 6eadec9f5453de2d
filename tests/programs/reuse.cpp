// SPDX-License-Identifier: Apache-2.0
// A sub-allocator that gives bytes of one mapped block to one buffer after the other, at
// distances that another device's alignment does not allow: each is filled by the host, some
// before they are bound, and copied to where the host reads it.
#include <cstring>
#include <vector>

#include "support.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBlock = 256 * 1024;
constexpr std::uint32_t kRounds = 24;

VkBuffer unbound(const Context& c, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  VkBuffer buffer;
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &buffer));
  return buffer;
}

}  // namespace

int main() {
  Context c = create_context("reuse");
  Commands commands = create_commands(c);
  VkBuffer probe = unbound(c, kBlock, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, probe, &needs);
  vkDestroyBuffer(c.device, probe, nullptr);
  needs.size = kBlock;
  const VkDeviceMemory block =
      allocate(c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  void* mapped = nullptr;
  CHECK(vkMapMemory(c.device, block, 0, VK_WHOLE_SIZE, 0, &mapped));
  auto* const bytes = static_cast<unsigned char*>(mapped);
  MappedBuffer result = create_mapped_buffer(c, kBlock, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

  std::uint64_t sum = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const VkDeviceSize size = 8192 + round % 5 * 4096;
    std::vector<VkBuffer> buffers;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const VkBuffer buffer = unbound(c, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
      VkMemoryRequirements asked;
      vkGetBufferMemoryRequirements(c.device, buffer, &asked);
      const VkDeviceSize room = (asked.size + asked.alignment - 1) / asked.alignment * asked.alignment;
      const VkDeviceSize offset = (round % 3 + 1) * asked.alignment + i * room;
      if (offset + asked.size > kBlock) die("the block is too small", 1);
      if (i == 1) std::memset(bytes + offset, static_cast<int>(round * 3 + i + 1), size);
      CHECK(vkBindBufferMemory(c.device, buffer, block, offset));
      if (i != 1) std::memset(bytes + offset, static_cast<int>(round * 3 + i + 1), size);
      buffers.push_back(buffer);
    }
    run_once(c, commands, [&](VkCommandBuffer into) {
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const VkBufferCopy region{0, i * size, size};
        vkCmdCopyBuffer(into, buffers[i], result.buffer, 1, &region);
      }
      transfers_to_host(into);
    });
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto* at = reinterpret_cast<const unsigned char*>(result.words) + i * size;
      if (!unchecked() && (at[0] != round * 3 + i + 1 || at[size - 1] != at[0])) die("reuse: wrong bytes", round);
      sum = sum * 31 + at[0];
      vkDestroyBuffer(c.device, buffers[i], nullptr);
    }
  }
  std::printf("reuse: checksum %016llx\n", static_cast<unsigned long long>(sum));
  destroy(c, result);
  vkFreeMemory(c.device, block, nullptr);
  destroy(c, commands);
  destroy(c);
}
