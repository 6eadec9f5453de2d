// SPDX-License-Identifier: Apache-2.0
// Memory that is shared: buffers and images side by side in one allocation,
// two buffers over the same bytes, dedicated allocations, and what the host
// writes through one resource and the device reads through another.
#include "objects.h"

using namespace program;

namespace {

constexpr VkBufferUsageFlags kBoth = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkExtent3D kExtent{16, 16, 1};
constexpr VkDeviceSize kTexels = 16 * 16;

VkBuffer create_buffer(const Context& c, VkDeviceSize bytes) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = kBoth;
  VkBuffer buffer;
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &buffer));
  return buffer;
}

VkMemoryRequirements needs_of(const Context& c, VkBuffer buffer) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, buffer, &needs);
  return needs;
}

// Where the next resource begins, and what all of them need together.
struct Layout {
  VkMemoryRequirements all{0, 1, ~0u};
  VkDeviceSize add(const VkMemoryRequirements& needs, VkDeviceSize granularity) {
    const VkDeviceSize step = needs.alignment > granularity ? needs.alignment : granularity;
    const VkDeviceSize at = (all.size + step - 1) / step * step;
    all.size = at + needs.size;
    all.memoryTypeBits &= needs.memoryTypeBits;
    return at;
  }
};

void image_to_buffer(VkCommandBuffer commands, VkImage image, VkBuffer to, VkDeviceSize offset) {
  VkBufferImageCopy region{};
  region.bufferOffset = offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = kExtent;
  vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, &region);
}

void clear(VkCommandBuffer commands, VkImage image, std::uint32_t value) {
  change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkClearColorValue color{};
  color.uint32[0] = value;
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

}  // namespace

int main() {
  Context c = create_context("shared_memory");
  Commands commands = create_commands(c);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(c.physical, &properties);
  const VkDeviceSize apart = properties.limits.bufferImageGranularity;
  MappedBuffer out = create_mapped_buffer(c, 4 * kTexels * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

  // One allocation: a buffer, an image, a buffer, and a second buffer over the last.
  constexpr VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkBuffer first = create_buffer(c, 1000), second = create_buffer(c, kTexels * 4);
  VkBuffer alias = create_buffer(c, kTexels * 4);
  VkImageCreateInfo image_description = image_info(VK_FORMAT_R32_UINT, kExtent, usage);
  image_description.tiling = VK_IMAGE_TILING_LINEAR;
  VkImage image = create_unbound_image(c, image_description);
  VkMemoryRequirements image_needs;
  vkGetImageMemoryRequirements(c.device, image, &image_needs);
  Layout layout;
  const VkDeviceSize at_first = layout.add(needs_of(c, first), apart);
  const VkDeviceSize at_image = layout.add(image_needs, apart);
  const VkDeviceSize at_second = layout.add(needs_of(c, second), apart);
  VkDeviceMemory memory =
      allocate(c, layout.all, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(c.device, first, memory, at_first));
  CHECK(vkBindImageMemory(c.device, image, memory, at_image));
  const VkBuffer over[2] = {second, alias};
  VkBindBufferMemoryInfo binds[2]{};
  for (int i = 0; i < 2; ++i) {
    binds[i].sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
    binds[i].buffer = over[i];
    binds[i].memory = memory;
    binds[i].memoryOffset = at_second;
  }
  CHECK(vkBindBufferMemory2(c.device, 2, binds));
  void* mapped = nullptr;
  CHECK(vkMapMemory(c.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));

  // An allocation of its own for one image.
  VkImage alone = create_unbound_image(c, image_info(VK_FORMAT_R32_UINT, kExtent, usage));
  vkGetImageMemoryRequirements(c.device, alone, &image_needs);
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.image = alone;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &dedicated;
  info.allocationSize = image_needs.size;
  info.memoryTypeIndex = memory_type(c, image_needs.memoryTypeBits, 0);
  VkDeviceMemory own;
  CHECK(vkAllocateMemory(c.device, &info, nullptr, &own));
  CHECK(vkBindImageMemory(c.device, alone, own, 0));

  for (std::uint32_t round = 0; round < 6; ++round) {
    auto* words = reinterpret_cast<std::uint32_t*>(static_cast<char*>(mapped) + at_second);
    for (std::uint32_t i = 0; i < kTexels; ++i) words[i] = mix(round, i);
    run_once(c, commands, [&](VkCommandBuffer b) {
      vkCmdFillBuffer(b, first, 0, 1000, round);
      clear(b, image, 100 + round);
      clear(b, alone, 200 + round);
      const VkBufferCopy all{0, 0, kTexels * 4}, some{0, 3 * kTexels * 4, 1000};
      vkCmdCopyBuffer(b, alias, out.buffer, 1, &all);
      image_to_buffer(b, image, out.buffer, kTexels * 4);
      image_to_buffer(b, alone, out.buffer, 2 * kTexels * 4);
      transfer_barrier(b, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
      vkCmdCopyBuffer(b, first, out.buffer, 1, &some);
      transfers_to_host(b);
    });
    for (std::uint32_t i = 0; i < kTexels; ++i)
      if (out.words[i] != mix(round, i) || out.words[kTexels + i] != 100 + round ||
          out.words[2 * kTexels + i] != 200 + round || (i < 250 && out.words[3 * kTexels + i] != round))
        die("wrong word in round", round);
  }
  std::printf("shared_memory: 6 submits, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(out.words, 3 * kTexels + 250)));
  for (VkBuffer buffer : {first, second, alias}) vkDestroyBuffer(c.device, buffer, nullptr);
  for (VkImage one : {image, alone}) vkDestroyImage(c.device, one, nullptr);
  for (VkDeviceMemory one : {memory, own}) vkFreeMemory(c.device, one, nullptr);
  destroy(c, out);
  destroy(c, commands);
  destroy(c);
  return 0;
}
