// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Creation", images that the host reads and writes: linear,
// with rows and layers where the driver puts them, preinitialized or general,
// written before the device sees them and after, and read by the host.
#include "image.h"
#include "words.h"

using namespace program;

namespace {

struct Linear {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkSubresourceLayout place{};
  unsigned char* bytes = nullptr;  // of the whole memory
  VkExtent2D extent{};
  std::uint32_t texel = 0;
};

bool possible(const Session& s, const VkImageCreateInfo& info) {
  VkImageFormatProperties properties;
  return vkGetPhysicalDeviceImageFormatProperties(s.physical, info.format, info.imageType, info.tiling, info.usage,
                                                  info.flags, &properties) == VK_SUCCESS;
}

Linear create(Session& s, VkFormat format, std::uint32_t texel, VkExtent2D extent, VkImageLayout layout) {
  VkImageCreateInfo info = image_info(format, {extent.width, extent.height, 1}, kCopies);
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.initialLayout = layout;
  Linear l;
  if (!possible(s, info)) return l;
  l.extent = extent;
  l.texel = texel;
  l.image = keep(s, vkDestroyImage, create_unbound_image(s, info));
  l.memory = keep(s, vkFreeMemory,
                  bind_to_memory_of_its_own(
                      s, l.image, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
  const VkImageSubresource first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  vkGetImageSubresourceLayout(s.device, l.image, &first, &l.place);
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, l.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  l.bytes = static_cast<unsigned char*>(mapped);
  return l;
}

unsigned char* row(const Linear& l, std::uint32_t y) { return l.bytes + l.place.offset + y * l.place.rowPitch; }

// Texels only: what lies between the rows stays as it is.
void write(const Linear& l, std::uint32_t seed) {
  for (std::uint32_t y = 0; y < l.extent.height; ++y)
    for (std::uint32_t x = 0; x < l.extent.width * l.texel; ++x)
      row(l, y)[x] = static_cast<unsigned char>(mix(seed + y, x) >> 8);
}

std::uint32_t sum(const Linear& l) {
  std::uint32_t all = 0;
  for (std::uint32_t y = 0; y < l.extent.height; ++y)
    for (std::uint32_t x = 0; x < l.extent.width * l.texel; ++x) all = all * 31 + row(l, y)[x];
  return all;
}

VkBufferImageCopy whole(const Linear& l, VkDeviceSize at) {
  return {.bufferOffset = at,
          .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
          .imageExtent = {l.extent.width, l.extent.height, 1}};
}

struct Shape {
  VkFormat format;
  std::uint32_t texel;
  VkExtent2D extent;
};
constexpr Shape kShapes[] = {{VK_FORMAT_R8_UNORM, 1, {1, 1}},
                             {VK_FORMAT_R8_UNORM, 1, {17, 5}},
                             {VK_FORMAT_R8G8B8A8_UNORM, 4, {33, 9}},
                             {VK_FORMAT_B8G8R8A8_SRGB, 4, {64, 3}},
                             {VK_FORMAT_R16G16B16A16_SFLOAT, 8, {7, 7}},
                             {VK_FORMAT_R32G32B32A32_UINT, 16, {3, 40}},
                             {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {19, 2}}};

}  // namespace

int main() {
  Needs needs;
  Session s = open("linear_images", needs);
  const MappedBuffer out = buffer(s, 65536, kCopies);
  VkDeviceSize at = 0;
  std::uint32_t made = 0;
  for (const Shape& shape : kShapes) {
    // The host wrote the first; the device copies it into the second, whose layout is general.
    const Linear from = create(s, shape.format, shape.texel, shape.extent, VK_IMAGE_LAYOUT_PREINITIALIZED);
    const Linear to = create(s, shape.format, shape.texel, shape.extent, VK_IMAGE_LAYOUT_UNDEFINED);
    if (from.image == VK_NULL_HANDLE) continue;
    ++made;
    write(from, made);
    change_layout(s.cmd, from.image, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_GENERAL);
    change_layout(s.cmd, to.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkImageCopy region{.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .extent = {shape.extent.width, shape.extent.height, 1}};
    vkCmdCopyImage(s.cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    run(s);
    EXPECT(s, sum(from) == sum(to));
    s.sum = s.sum * 31 + sum(to);

    // Over what the device left, in the middle of the image, and once more through a buffer.
    std::memset(row(to, shape.extent.height / 2), 0x5a, shape.texel);
    barrier(s.cmd);
    const VkBufferImageCopy copied = whole(to, at);
    vkCmdCopyImageToBuffer(s.cmd, to.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &copied);
    at += 4096;
    run(s);
    const auto* bytes = reinterpret_cast<const unsigned char*>(out.words) + copied.bufferOffset;
    EXPECT(s, bytes[shape.extent.height / 2 * shape.extent.width * shape.texel] == 0x5a);
  }
  EXPECT(s, made > 3);
  add(s, out);
  return finish(s);
}
