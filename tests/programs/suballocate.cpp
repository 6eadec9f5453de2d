// SPDX-License-Identifier: Apache-2.0
// Blocks of memory that buffers and images share: one holds a buffer and a
// linear image that the host fills before any device sees it, the other an
// optimal image, an attachment that is never used, and what the host reads.
#include "image.h"

using namespace program;

namespace {

constexpr std::uint32_t kSide = 16;
constexpr VkDeviceSize kPixels = kSide * kSide;

VkImage create_image(const Context& c, VkImageTiling tiling, VkImageUsageFlags usage, VkImageLayout layout) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, usage);
  info.tiling = tiling;
  info.initialLayout = layout;
  return create_unbound_image(c, info);
}

VkBuffer create_buffer(const Context& c, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  VkBuffer buffer;
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &buffer));
  return buffer;
}

// Memory for resources that lie one behind the other, mapped.
struct Block {
  VkMemoryRequirements needs{0, 1, ~0u};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  unsigned char* bytes = nullptr;

  VkDeviceSize reserve(const VkMemoryRequirements& more) {
    // Far apart enough for any granularity between linear and optimal.
    const VkDeviceSize step = more.alignment > 65536 ? more.alignment : 65536;
    const VkDeviceSize offset = (needs.size + step - 1) / step * step;
    needs.size = offset + more.size;
    needs.memoryTypeBits &= more.memoryTypeBits;
    return offset;
  }
  VkDeviceSize reserve(const Context& c, VkBuffer buffer) {
    VkMemoryRequirements more;
    vkGetBufferMemoryRequirements(c.device, buffer, &more);
    return reserve(more);
  }
  VkDeviceSize reserve(const Context& c, VkImage image) {
    VkMemoryRequirements more;
    vkGetImageMemoryRequirements(c.device, image, &more);
    return reserve(more);
  }
  void make(const Context& c) {
    memory = allocate(c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    void* mapped = nullptr;
    CHECK(vkMapMemory(c.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    bytes = static_cast<unsigned char*>(mapped);
  }
};

void move(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace

int main() {
  Context c = create_context("suballocate");
  const VkImage filled =
      create_image(c, VK_IMAGE_TILING_LINEAR, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_LAYOUT_PREINITIALIZED);
  const VkBuffer given = create_buffer(c, 4 * kPixels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  Block inputs;
  const VkDeviceSize given_at = inputs.reserve(c, given), filled_at = inputs.reserve(c, filled);
  inputs.make(c);
  CHECK(vkBindBufferMemory(c.device, given, inputs.memory, given_at));
  CHECK(vkBindImageMemory(c.device, filled, inputs.memory, filled_at));

  const VkImage copy =
      create_image(c, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                   VK_IMAGE_LAYOUT_UNDEFINED);
  const VkImage attachment = create_image(c, VK_IMAGE_TILING_OPTIMAL,
                                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
                                          VK_IMAGE_LAYOUT_UNDEFINED);
  const VkBuffer read = create_buffer(c, 8 * kPixels, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Block outputs;
  const VkDeviceSize copy_at = outputs.reserve(c, copy), attachment_at = outputs.reserve(c, attachment),
                     read_at = outputs.reserve(c, read);
  outputs.make(c);
  CHECK(vkBindImageMemory(c.device, copy, outputs.memory, copy_at));
  CHECK(vkBindImageMemory(c.device, attachment, outputs.memory, attachment_at));
  CHECK(vkBindBufferMemory(c.device, read, outputs.memory, read_at));

  const VkImageSubresource first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout rows;
  vkGetImageSubresourceLayout(c.device, filled, &first, &rows);
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < 4 * kSide; ++x) {
      inputs.bytes[filled_at + rows.offset + y * rows.rowPitch + x] = static_cast<unsigned char>(y * 7 + x);
      inputs.bytes[given_at + y * 4 * kSide + x] = static_cast<unsigned char>(y ^ x);
    }

  Commands commands = create_commands(c);
  begin(commands);
  move(commands.buffer, filled, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  move(commands.buffer, copy, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkImageCopy whole{};
  whole.srcSubresource = whole.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  whole.extent = {kSide, kSide, 1};
  vkCmdCopyImage(commands.buffer, filled, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole);
  move(commands.buffer, copy, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy out{};
  out.imageSubresource = whole.srcSubresource;
  out.imageExtent = whole.extent;
  vkCmdCopyImageToBuffer(commands.buffer, copy, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, read, 1, &out);
  const VkBufferCopy rest{0, 4 * kPixels, 4 * kPixels};
  vkCmdCopyBuffer(commands.buffer, given, read, 1, &rest);
  const VkMemoryBarrier host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0,
                       nullptr, 0, nullptr);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);

  const unsigned char* result = outputs.bytes + read_at;
  for (std::uint32_t i = 0; i < 4 * kPixels; ++i) {
    const std::uint32_t y = i / (4 * kSide), x = i % (4 * kSide);
    if (result[i] != static_cast<unsigned char>(y * 7 + x)) die("wrong pixel", i);
    if (result[4 * kPixels + i] != static_cast<unsigned char>(y ^ x)) die("wrong byte", i);
  }
  std::printf("suballocate: %u pixels through two blocks\n", static_cast<unsigned>(kPixels));
  destroy(c, commands);
  for (const VkBuffer buffer : {given, read}) vkDestroyBuffer(c.device, buffer, nullptr);
  for (const VkImage image : {filled, copy, attachment}) vkDestroyImage(c.device, image, nullptr);
  for (const VkDeviceMemory memory : {inputs.memory, outputs.memory}) vkFreeMemory(c.device, memory, nullptr);
  destroy(c);
  return 0;
}
