// SPDX-License-Identifier: Apache-2.0
// Memory that is mapped and unmapped by VK_KHR_map_memory2: whole, from an offset, in turns
// with the older commands, and freed while it is mapped.
#include "chapter.h"

#ifdef VK_KHR_map_memory2

using namespace program;

int main() {
  Needs needs({VK_KHR_MAP_MEMORY_2_EXTENSION_NAME});
  Session s = open("mapped_again", needs);
  LOAD(s, vkMapMemory2KHR);
  LOAD(s, vkUnmapMemory2KHR);
  constexpr VkDeviceSize kBytes = 64 * 1024;
  const MappedBuffer out = create_readback(s, 4 * kBytes);
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = kBytes,
                                .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer source;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &source));
  VkMemoryRequirements wanted;
  vkGetBufferMemoryRequirements(s.device, source, &wanted);
  const VkDeviceMemory memory =
      allocate(s, wanted, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(s.device, source, memory, 0));

  const auto map = [&](VkDeviceSize offset, VkDeviceSize size) {
    const VkMemoryMapInfoKHR asked{VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR, nullptr, 0, memory, offset, size};
    void* pointer = nullptr;
    CHECK(vkMapMemory2KHR(s.device, &asked, &pointer));
    return static_cast<std::uint32_t*>(pointer);
  };
  const auto unmap = [&] {
    const VkMemoryUnmapInfoKHR asked{VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR, nullptr, 0, memory};
    CHECK(vkUnmapMemory2KHR(s.device, &asked));
  };
  const auto copy = [&](VkDeviceSize at) {
    const VkBufferCopy region{0, at * kBytes, kBytes};
    vkCmdCopyBuffer(s.cmd, source, out.buffer, 1, &region);
    barrier(s.cmd);
  };

  std::uint32_t* words = map(0, VK_WHOLE_SIZE);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) words[i] = i * 2654435761u;
  unmap();
  copy(0);
  run(s);

  words = map(kBytes / 2, 4096);
  EXPECT(s, words[0] == static_cast<std::uint32_t>(kBytes / 8) * 2654435761u);
  words[1] = 0x01234567;
  copy(1);
  run(s);  // while it is mapped
  words[2] = 0x89abcdef;
  unmap();

  // What the device writes is there again, by either command.
  vkCmdFillBuffer(s.cmd, source, 0, 4096, 0x42424242);
  run(s);
  void* pointer = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &pointer));
  words = static_cast<std::uint32_t*>(pointer);
  EXPECT(s, words[1023] == 0x42424242 && words[kBytes / 8 + 2] == 0x89abcdef);
  words[0] = 1;
  unmap();
  words = map(0, kBytes);
  words[4] = 2;
  vkUnmapMemory(s.device, memory);
  copy(2);
  run(s);
  words = map(0, VK_WHOLE_SIZE);
  words[5] = 3;
  copy(3);
  run(s);
  EXPECT(s, out.words[kBytes / 4 * 2] == 1 && out.words[kBytes / 4 * 2 + 4] == 2);
  EXPECT(s, out.words[kBytes / 4 * 3 + 5] == 3 && out.words[kBytes / 4 + kBytes / 8 + 1] == 0x01234567);
  words[6] = 4;  // nobody sees it
  vkDestroyBuffer(s.device, source, nullptr);
  vkFreeMemory(s.device, memory, nullptr);
  add(s, out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_map_memory2"); }

#endif
