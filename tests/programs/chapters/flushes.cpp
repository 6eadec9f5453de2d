// SPDX-License-Identifier: Apache-2.0
// Chapter "Memory Allocation", memory that is not coherent where there is any:
// ranges of several memories in one command, to the end of a mapping of a part, of
// more than was written, in another order than it was; invalidated before it is
// read, and read of what the device left while the host wrote beside it.
#include "words.h"

using namespace program;

namespace {

constexpr VkDeviceSize kAtom = 256, kBytes = 64 * kAtom;  // the largest atom that a device may have

struct Part {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize from = 0, bytes = VK_WHOLE_SIZE;  // of the mapping
  unsigned char* mapped = nullptr;               // its beginning

  std::uint32_t* at(VkDeviceSize offset) const { return reinterpret_cast<std::uint32_t*>(mapped + offset - from); }
};

// The first type that is not coherent, else any that the host sees.
std::uint32_t type_of(const Session& s, std::uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(s.physical, &p);
  for (std::uint32_t i = 0; i < p.memoryTypeCount; ++i)
    if ((allowed >> i & 1) != 0 && (p.memoryTypes[i].propertyFlags &
                                    (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) ==
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
      return i;
  return memory_type(s, allowed, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
}

void map(Session& s, Part& p, VkDeviceSize from, VkDeviceSize bytes) {
  if (p.mapped != nullptr) vkUnmapMemory(s.device, p.memory);
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, p.memory, from, bytes, 0, &mapped));
  p.from = from;
  p.bytes = bytes;
  p.mapped = static_cast<unsigned char*>(mapped);
}

Part create_part(Session& s) {
  Part p;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes, .usage = kCopies};
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &p.buffer));
  keep(s, vkDestroyBuffer, p.buffer);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, p.buffer, &needs);
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                        type_of(s, needs.memoryTypeBits)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &p.memory));
  keep(s, vkFreeMemory, p.memory);
  CHECK(vkBindBufferMemory(s.device, p.buffer, p.memory, 0));
  return p;
}

VkMappedMemoryRange range(const Part& p, VkDeviceSize at, VkDeviceSize bytes) {
  return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, p.memory, at, bytes};
}

void write(const Part& p, VkDeviceSize at, VkDeviceSize bytes, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < bytes / 4; ++i) p.at(at)[i] = mix(seed, i);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("flushes", needs);
  const MappedBuffer out = buffer(s, 2 * kBytes, kCopies);
  Part a = create_part(s), b = create_part(s);
  for (const Part& p : {a, b}) vkCmdFillBuffer(s.cmd, p.buffer, 0, VK_WHOLE_SIZE, 1);
  run(s);
  map(s, a, 0, VK_WHOLE_SIZE);
  map(s, b, 8 * kAtom, 16 * kAtom);
  const VkMappedMemoryRange before[2] = {range(a, 0, VK_WHOLE_SIZE), range(b, 8 * kAtom, VK_WHOLE_SIZE)};
  CHECK(vkInvalidateMappedMemoryRanges(s.device, 2, before));
  EXPECT(s, *a.at(0) == 1 && *b.at(23 * kAtom) == 1);
  // Words in the middles of atoms; whole atoms are flushed, the last written first.
  write(a, 4, 100, 2);
  write(a, 40 * kAtom - 8, 16, 3);
  write(b, 23 * kAtom + 128, 128, 4);
  write(b, 8 * kAtom, 4, 5);
  const VkMappedMemoryRange ranges[4] = {range(b, 22 * kAtom, VK_WHOLE_SIZE), range(a, 39 * kAtom, 2 * kAtom),
                                         range(b, 8 * kAtom, kAtom), range(a, 0, kAtom)};
  CHECK(vkFlushMappedMemoryRanges(s.device, 4, ranges));
  copy(s.cmd, a.buffer, 0, out.buffer, 0, kBytes);
  copy(s.cmd, b.buffer, 0, out.buffer, kBytes, kBytes);
  barrier(s.cmd);
  vkCmdFillBuffer(s.cmd, a.buffer, 10 * kAtom, 4 * kAtom, 6);
  run(s);
  EXPECT(s, out.words[1] == mix(2, 0) && out.words[0] == 1 && out.words[40 * kAtom / 4] == mix(3, 2));
  EXPECT(s,
         out.words[(kBytes + 23 * kAtom + 252) / 4] == mix(4, 31) && out.words[(kBytes + 8 * kAtom) / 4] == mix(5, 0));

  // The device's and the host's side by side, atom by atom.
  write(a, 14 * kAtom, kAtom, 7);
  write(a, 9 * kAtom, kAtom, 8);
  const VkMappedMemoryRange beside[2] = {range(a, 9 * kAtom, kAtom), range(a, 14 * kAtom, kAtom)},
                            made = range(a, 10 * kAtom, 4 * kAtom);
  CHECK(vkFlushMappedMemoryRanges(s.device, 2, beside));
  CHECK(vkInvalidateMappedMemoryRanges(s.device, 1, &made));
  EXPECT(s, *a.at(10 * kAtom) == 6 && *a.at(14 * kAtom - 4) == 6);
  map(s, a, 9 * kAtom, 6 * kAtom);
  map(s, b, 0, kAtom);
  write(b, 0, kAtom, 9);
  const VkMappedMemoryRange last = range(b, 0, VK_WHOLE_SIZE);
  CHECK(vkFlushMappedMemoryRanges(s.device, 1, &last));
  vkUnmapMemory(s.device, b.memory);
  copy(s.cmd, a.buffer, 0, out.buffer, 0, kBytes);
  copy(s.cmd, b.buffer, 0, out.buffer, kBytes, kBytes);
  run(s);
  EXPECT(s, out.words[9 * kAtom / 4] == mix(8, 0) && out.words[10 * kAtom / 4] == 6 &&
                out.words[14 * kAtom / 4] == mix(7, 0));
  EXPECT(s, out.words[kBytes / 4] == mix(9, 0));
  add(s, out);
  return finish(s);
}
