// SPDX-License-Identifier: Apache-2.0
// What hosts do with mapped memory: map a part, unmap, map another part; map
// all of it and flush or invalidate ranges; write one byte, an odd range, a
// range over a page's end; write between submits and after the last; read what
// the device wrote; free while mapped.
#include "support.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 5 * 4096;

struct Both {
  VkBuffer from = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;  // of `from`
  VkDeviceSize atom = 1;                   // ranges to flush are multiples of it
  std::vector<unsigned char> expected;     // of `from`
};

Both create_both(const Context& c) {
  Both b;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = kBytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &b.from));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, b.from, &needs);
  b.memory = allocate(c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);  // coherent or not
  CHECK(vkBindBufferMemory(c.device, b.from, b.memory, 0));
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(c.physical, &properties);
  b.atom = properties.limits.nonCoherentAtomSize;
  b.expected.assign(kBytes, 0);
  return b;
}

unsigned char* map(const Context& c, const Both& b, VkDeviceSize offset, VkDeviceSize size) {
  void* mapped = nullptr;
  CHECK(vkMapMemory(c.device, b.memory, offset, size, 0, &mapped));
  return static_cast<unsigned char*>(mapped);
}

VkMappedMemoryRange range(const Both& b, VkDeviceSize offset, VkDeviceSize size) {
  VkMappedMemoryRange r{};
  r.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
  r.memory = b.memory;
  r.offset = offset / b.atom * b.atom;
  r.size = size == VK_WHOLE_SIZE ? size : (offset + size + b.atom - 1) / b.atom * b.atom - r.offset;
  return r;
}

void flush(const Context& c, const Both& b, VkDeviceSize offset, VkDeviceSize size) {
  const VkMappedMemoryRange r = range(b, offset, size);
  CHECK(vkFlushMappedMemoryRanges(c.device, 1, &r));
}

// Bytes [at, at + size) become `value`; `mapped` begins at byte `base`.
void write(Both& b, unsigned char* mapped, VkDeviceSize base, VkDeviceSize at, VkDeviceSize size, int value) {
  std::memset(mapped + (at - base), value, size);
  std::memset(b.expected.data() + at, value, size);
}

// Lets the device see what was written, and compares.
void copy(const Context& c, const Commands& commands, const Both& b, const MappedBuffer& to) {
  run_once(c, commands, [&](VkCommandBuffer buffer) {
    const VkBufferCopy all{0, 0, kBytes};
    vkCmdCopyBuffer(buffer, b.from, to.buffer, 1, &all);
    transfers_to_host(buffer);
  });
  if (std::memcmp(to.words, b.expected.data(), kBytes) != 0) die("the device saw other bytes", 0);
}

}  // namespace

int main() {
  Context c = create_context("mappings");
  Commands commands = create_commands(c);
  Both b = create_both(c);
  MappedBuffer to = create_mapped_buffer(c, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

  unsigned char* all = map(c, b, 0, VK_WHOLE_SIZE);
  std::memset(all, 0, kBytes);
  flush(c, b, 0, VK_WHOLE_SIZE);
  write(b, all, 0, 1, 1, 1);  // one byte
  flush(c, b, 1, 1);
  copy(c, commands, b, to);
  write(b, all, 0, 4093, 7, 2);  // over the end of a page
  write(b, all, 0, 8191, 4098, 3);
  flush(c, b, 4093, 7);
  flush(c, b, 8191, 4098);
  copy(c, commands, b, to);
  vkUnmapMemory(c.device, b.memory);

  unsigned char* part = map(c, b, 4096, 8192);  // from a page's begin
  write(b, part, 4096, 5000, 333, 4);
  flush(c, b, 4096, 8192);
  vkUnmapMemory(c.device, b.memory);  // the submit comes when nothing is mapped
  copy(c, commands, b, to);

  part = map(c, b, 12 * b.atom + 4096, 3 * b.atom);  // from the middle of one
  write(b, part, 12 * b.atom + 4096, 12 * b.atom + 4097, 2 * b.atom, 5);
  flush(c, b, 12 * b.atom + 4096, VK_WHOLE_SIZE);
  copy(c, commands, b, to);
  vkUnmapMemory(c.device, b.memory);

  // The device writes; the host reads it, and changes a part of it.
  run_once(c, commands, [&](VkCommandBuffer buffer) {
    vkCmdFillBuffer(buffer, b.from, 0, kBytes, 0x07070707);
    transfers_to_host(buffer);
  });
  std::memset(b.expected.data(), 7, kBytes);
  all = map(c, b, 0, VK_WHOLE_SIZE);
  const VkMappedMemoryRange whole = range(b, 0, VK_WHOLE_SIZE);
  CHECK(vkInvalidateMappedMemoryRanges(c.device, 1, &whole));
  if (std::memcmp(all, b.expected.data(), kBytes) != 0) die("the host saw other bytes", 0);
  for (VkDeviceSize at = 0; at < kBytes; at += 1111) write(b, all, 0, at, 1, 8);
  flush(c, b, 0, VK_WHOLE_SIZE);
  copy(c, commands, b, to);
  copy(c, commands, b, to);  // nothing was written between

  std::printf("mappings: 7 submits, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(to.words, kBytes / 4)));
  write(b, all, 0, 100, 100, 9);  // nobody will see it
  destroy(c, to);
  vkDestroyBuffer(c.device, b.from, nullptr);
  vkFreeMemory(c.device, b.memory, nullptr);  // still mapped
  destroy(c, commands);
  destroy(c);
  return 0;
}
