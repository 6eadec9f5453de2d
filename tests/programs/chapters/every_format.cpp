// SPDX-License-Identifier: Apache-2.0
// Chapter "Formats": an image of every format that can be copied, filled from a
// buffer, copied to another one, which comes back: packed, small and large texels,
// depth, stencil, and blocks of every kind that the device has.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags kCopied = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
constexpr std::uint32_t kBytes = 4096;  // no format's 13 by 9 texels are more

VkImageAspectFlags aspect_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return kDepthAndStencil;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

bool possible(const Session& s, const VkImageCreateInfo& info) {
  VkImageFormatProperties there;
  return can_be(s, info.format, kCopied) &&
         vkGetPhysicalDeviceImageFormatProperties(s.physical, info.format, info.imageType, info.tiling, info.usage,
                                                  info.flags, &there) == VK_SUCCESS;
}

struct Pair {
  VkImage images[2] = {};
  VkDeviceMemory memories[2] = {};
};

void round_trip(Session& s, const VkImageCreateInfo& info, const MappedBuffer& from, const MappedBuffer& out) {
  const VkImageAspectFlags aspects = aspect_of(info.format);
  Pair p;
  for (int i = 0; i < 2; ++i) {
    p.images[i] = create_unbound_image(s, info);
    p.memories[i] = bind_to_memory_of_its_own(s, p.images[i]);
    change_layout(s.cmd, p.images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, {aspects, 0, 1, 0, 1});
  }
  VkDeviceSize at = 0;
  for (const VkImageAspectFlags aspect :
       {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
    if ((aspects & aspect) == 0) continue;
    const VkBufferImageCopy region{
        .bufferOffset = at, .imageSubresource = {aspect, 0, 0, 1}, .imageExtent = info.extent};
    vkCmdCopyBufferToImage(s.cmd, from.buffer, p.images[0], VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    at += 2048;
  }
  barrier(s.cmd);
  const VkImageCopy whole{
      .srcSubresource = {aspects, 0, 0, 1}, .dstSubresource = {aspects, 0, 0, 1}, .extent = info.extent};
  vkCmdCopyImage(s.cmd, p.images[0], VK_IMAGE_LAYOUT_GENERAL, p.images[1], VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
  barrier(s.cmd);
  vkCmdFillBuffer(s.cmd, out.buffer, 0, VK_WHOLE_SIZE, 0);
  barrier(s.cmd);
  at = 0;
  for (const VkImageAspectFlags aspect :
       {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
    if ((aspects & aspect) == 0) continue;
    const VkBufferImageCopy region{
        .bufferOffset = at, .imageSubresource = {aspect, 0, 0, 1}, .imageExtent = info.extent};
    vkCmdCopyImageToBuffer(s.cmd, p.images[1], VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    at += 2048;
  }
  run(s);
  add(s, out);
  for (int i = 0; i < 2; ++i) {
    vkDestroyImage(s.device, p.images[i], nullptr);
    vkFreeMemory(s.device, p.memories[i], nullptr);
  }
}

}  // namespace

int main() {
  Needs needs;
  WISH_CORE(needs, textureCompressionBC);
  WISH_CORE(needs, textureCompressionETC2);
  WISH_CORE(needs, textureCompressionASTC_LDR);
  Session s = open("every_format", needs);
  const MappedBuffer from = buffer(s, kBytes, kCopies), out = buffer(s, kBytes, kCopies);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) {
    const float value = static_cast<float>(i % 128) / 128;  // what every format of depth and floats keeps
    std::memcpy(from.words + i, &value, 4);
  }
  std::uint32_t made = 0;
  for (int format = 1; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++format) {
    const VkImageCreateInfo info = image_info(static_cast<VkFormat>(format), {13, 9, 1}, kBoth);
    if (!possible(s, info)) continue;
    round_trip(s, info, from, out);
    ++made;
  }
  EXPECT(s, made > 40);
  std::printf("%u formats\n", made);
  return finish(s);
}
