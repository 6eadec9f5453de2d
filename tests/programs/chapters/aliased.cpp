// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Creation", memory aliasing: buffers that overlap in one memory,
// written through one and read through another, two images that take turns in the
// same bytes, an image where a buffer was, and a buffer bound behind others' ends.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkBuffer create_unbound(Session& s, VkDeviceSize bytes) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = kStorage};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

VkDeviceMemory allocate(Session& s, VkDeviceSize bytes, std::uint32_t types) {
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes, memory_type(s, types, 0)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(s.device, &info, nullptr, &memory));
  return keep(s, vkFreeMemory, memory);
}

// Four buffers over the same bytes, the second from the middle of the first on.
void buffers(Session& s, const MappedBuffer& out) {
  const VkBuffer whole = create_unbound(s, 16384), half = create_unbound(s, 8192), twin = create_unbound(s, 16384),
                 end = create_unbound(s, 1000);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, whole, &needs);
  const VkDeviceMemory memory = allocate(s, 4 * needs.size, needs.memoryTypeBits);
  CHECK(vkBindBufferMemory(s.device, whole, memory, needs.size));
  CHECK(vkBindBufferMemory(s.device, half, memory, needs.size + 8192));
  CHECK(vkBindBufferMemory(s.device, twin, memory, needs.size));
  CHECK(vkBindBufferMemory(s.device, end, memory, 3 * needs.size));
  vkCmdFillBuffer(s.cmd, whole, 0, VK_WHOLE_SIZE, 1);
  barrier(s.cmd);
  vkCmdFillBuffer(s.cmd, half, 0, 4096, 2);
  vkCmdFillBuffer(s.cmd, end, 0, 1000, 3);
  barrier(s.cmd);
  copy(s.cmd, twin, 8000, out.buffer, 0, 400);
  copy(s.cmd, twin, 8000, half, 5000, 192);  // within the same memory, by two buffers
  barrier(s.cmd);
  copy(s.cmd, whole, 8192 + 4900, out.buffer, 400, 400);
  copy(s.cmd, end, 996, out.buffer, 800, 4);
  run(s);
  EXPECT(s, out.words[47] == 1 && out.words[48] == 2 && out.words[100 + 24] == 1 && out.words[200] == 3);
}

// Images that take turns: what one held is gone when the other begins; a buffer sees the bytes.
void images(Session& s, Pictures& p) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {16, 16, 1}, kBoth);
  info.flags = VK_IMAGE_CREATE_ALIAS_BIT;
  Image two[2];
  VkMemoryRequirements needs[2];
  for (int n = 0; n < 2; ++n) {
    if (n == 1) info.extent = {8, 20, 1};
    two[n].info = info;
    two[n].range = kColor;
    two[n].image = keep(s, vkDestroyImage, create_unbound_image(s, info));
    vkGetImageMemoryRequirements(s.device, two[n].image, &needs[n]);
  }
  const VkDeviceSize most = needs[0].size > needs[1].size ? needs[0].size : needs[1].size;
  const VkDeviceMemory memory = allocate(s, most, needs[0].memoryTypeBits & needs[1].memoryTypeBits);
  for (const Image& i : two) CHECK(vkBindImageMemory(s.device, i.image, memory, 0));
  for (std::uint32_t round = 0; round < 4; ++round) {
    const Image& i = two[round % 2];
    transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    clear(s.cmd, i, {.float32 = {1, 0, static_cast<float>(round) / 255, 1}});
    const std::uint32_t* words = take(s, p, i);
    run(s);
    EXPECT(s, words[7] == (0xff0000ff | round << 16));
  }
}

// Two images of one description and one memory: what one has, so has the other.
void twins(Session& s, const MappedBuffer& from, Pictures& p) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R32_UINT, {8, 8, 1}, kBoth);
  info.flags = VK_IMAGE_CREATE_ALIAS_BIT;
  Image two[2];
  for (Image& i : two) {
    i.info = info;
    i.range = kColor;
    i.image = keep(s, vkDestroyImage, create_unbound_image(s, info));
  }
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(s.device, two[0].image, &needs);
  const VkDeviceMemory memory = allocate(s, needs.size, needs.memoryTypeBits);
  for (const Image& i : two) CHECK(vkBindImageMemory(s.device, i.image, memory, 0));
  transition(s.cmd, two[0], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = info.extent};
  vkCmdCopyBufferToImage(s.cmd, from.buffer, two[0].image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  transition(s.cmd, two[0], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy back = all;
  back.bufferOffset = p.used;
  vkCmdCopyImageToBuffer(s.cmd, two[1].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p.out.buffer, 1, &back);
  p.used += 256;
  run(s);
  EXPECT(s, std::memcmp(p.out.words + back.bufferOffset / 4, from.words, 256) == 0);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("aliased", needs);
  const MappedBuffer out = buffer(s, 1024, kCopies), from = buffer(s, 256, kCopies);
  fill(from, 12);
  Pictures p = create_pictures(s, 8192);
  buffers(s, out);
  images(s, p);
  twins(s, from, p);
  add(s, out);
  add(s, p.out);
  return finish(s);
}
