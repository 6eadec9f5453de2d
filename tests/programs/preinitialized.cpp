// SPDX-License-Identifier: Apache-2.0
// One allocation holds an image in the layout PREINITIALIZED, which may not live in imported memory, and a
// buffer that the device fills beside what the host writes.
//   preinitialized [--undefined 1]   the image is in the layout UNDEFINED
#include "session.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 1u << 20;  // of the allocation
constexpr VkDeviceSize kFilled = 4096, kWritten = 64;

VkImage create_image(Session& s, VkImageLayout layout) {
  VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {64, 64, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.initialLayout = layout;
  VkImage image;
  CHECK(vkCreateImage(s.device, &info, nullptr, &image));
  return keep(s, vkDestroyImage, image);
}

VkBuffer create_buffer(Session& s) {
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes / 2, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

bool has_type(const Session& s, std::uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(s.physical, &properties);
  for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
    if ((allowed >> i & 1u) != 0 && (properties.memoryTypes[i].propertyFlags & kWanted) == kWanted) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Session s = open("preinitialized");
  const bool undefined = option(argc, argv, "--undefined", 0) != 0;
  const VkImage image = create_image(s, undefined ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_PREINITIALIZED);
  const VkBuffer buffer = create_buffer(s);
  VkMemoryRequirements of_image, of_buffer;
  vkGetImageMemoryRequirements(s.device, image, &of_image);
  vkGetBufferMemoryRequirements(s.device, buffer, &of_buffer);
  VkMemoryRequirements needs{kBytes, of_image.alignment, of_image.memoryTypeBits & of_buffer.memoryTypeBits};
  if (!has_type(s, needs.memoryTypeBits)) return cannot_run("no memory that the host can see takes both");
  if (of_image.size > kBytes / 2 || of_buffer.size > kBytes / 2) die("there is no room for both", 0);
  const VkDeviceMemory memory = keep(s, vkFreeMemory, allocate(s, needs, kWanted));
  CHECK(vkBindImageMemory(s.device, image, memory, 0));
  CHECK(vkBindBufferMemory(s.device, buffer, memory, kBytes / 2));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  std::uint32_t* const words = static_cast<std::uint32_t*>(mapped) + kBytes / 8;

  for (std::uint32_t round = 0; round < 3; ++round) {
    // On the page that the device fills, in front of what it fills, and on a page of its own.
    words[kWritten / 4 - 1] = words[kFilled / 2] = 0x1000 + round;
    vkCmdFillBuffer(s.cmd, buffer, kWritten, kFilled - kWritten, 0x12345678 + round);
    run(s);
    for (std::uint32_t i = kWritten / 4; i < kFilled / 4; ++i) EXPECT(s, words[i] == 0x12345678 + round);
    EXPECT(s, words[kWritten / 4 - 1] == 0x1000 + round && words[kFilled / 2] == 0x1000 + round);
    s.sum = s.sum * 31 + words[kFilled / 4 - 1];
  }
  return finish(s);
}
