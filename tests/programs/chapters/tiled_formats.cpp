// SPDX-License-Identifier: Apache-2.0
// Formats: every one of Vulkan 1.0 to 1.3 that the device can copy, also of blocks and of
// several planes: filled by a copy, cleared in a pass where it can be drawn into,
// with two layers and, where it can have them, two levels; tiled both ways.
#include "chapter.h"

using namespace program;

namespace {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr std::uint32_t kExtent = 12;  // blocks have 4, 5, 6, 8, 10 or 12 texels a side

struct Size {
  std::uint32_t texels_wide = 1, texels_high = 1, bytes = 0;
};

// Of a copy's aspect; what has no bytes is left out.
Size size_of(VkFormat format) {
  const auto within = [&](VkFormat first, VkFormat last) { return format >= first && format <= last; };
  if (within(VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_R4G4_UNORM_PACK8)) return {1, 1, 1};
  if (within(VK_FORMAT_R4G4B4A4_UNORM_PACK16, VK_FORMAT_A1R5G5B5_UNORM_PACK16)) return {1, 1, 2};
  if (within(VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SRGB)) return {1, 1, 1};
  if (within(VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_SRGB)) return {1, 1, 2};
  if (within(VK_FORMAT_R8G8B8_UNORM, VK_FORMAT_B8G8R8_SRGB)) return {1, 1, 3};
  if (within(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A2B10G10R10_SINT_PACK32)) return {1, 1, 4};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const auto at = [&](VkFormat base, std::uint32_t each) { return static_cast<VkFormat>(base + (n - 1) * each); };
    if (within(at(VK_FORMAT_R16_UNORM, 7), static_cast<VkFormat>(VK_FORMAT_R16_SFLOAT + (n - 1) * 7)))
      return {1, 1, 2 * n};
    if (within(at(VK_FORMAT_R32_UINT, 3), static_cast<VkFormat>(VK_FORMAT_R32_SFLOAT + (n - 1) * 3)))
      return {1, 1, 4 * n};
    if (within(at(VK_FORMAT_R64_UINT, 3), static_cast<VkFormat>(VK_FORMAT_R64_SFLOAT + (n - 1) * 3)))
      return {1, 1, 8 * n};
  }
  if (within(VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32)) return {1, 1, 4};
  if (within(VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC1_RGBA_SRGB_BLOCK)) return {4, 4, 8};
  if (within(VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK)) return {4, 4, 16};
  if (within(VK_FORMAT_BC4_UNORM_BLOCK, VK_FORMAT_BC4_SNORM_BLOCK)) return {4, 4, 8};
  if (within(VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK)) return {4, 4, 16};
  if (within(VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK)) return {4, 4, 8};
  if (within(VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK)) return {4, 4, 16};
  if (within(VK_FORMAT_EAC_R11_UNORM_BLOCK, VK_FORMAT_EAC_R11_SNORM_BLOCK)) return {4, 4, 8};
  if (within(VK_FORMAT_EAC_R11G11_UNORM_BLOCK, VK_FORMAT_EAC_R11G11_SNORM_BLOCK)) return {4, 4, 16};
  constexpr std::uint32_t astc[14][2] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                         {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};
  if (within(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, VK_FORMAT_ASTC_12x12_SRGB_BLOCK)) {
    const auto& side = astc[(format - VK_FORMAT_ASTC_4x4_UNORM_BLOCK) / 2];
    return {side[0], side[1], 16};
  }
  if (format == VK_FORMAT_A4R4G4B4_UNORM_PACK16 || format == VK_FORMAT_A4B4G4R4_UNORM_PACK16) return {1, 1, 2};
  return {};
}

// As a pass clears it, in GENERAL.
void clear_by_pass(Session& s, VkImageView view) {
  std::vector<VkRenderingAttachmentInfo> colors{attachment(view, kGeneral, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  colors[0].clearValue.color = {.float32 = {0.25f, 0.5f, 0.75f, 1}};
  VkRenderingInfo info = rendering_info(kExtent, colors);
  info.renderArea = {{1, 2}, {7, 5}};
  vkCmdBeginRendering(s.cmd, &info);
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  for (VkBool32 VkPhysicalDeviceFeatures::*feature :
       {&VkPhysicalDeviceFeatures::textureCompressionBC, &VkPhysicalDeviceFeatures::textureCompressionETC2,
        &VkPhysicalDeviceFeatures::textureCompressionASTC_LDR})
    needs.enable(needs.of<VkPhysicalDeviceFeatures2>().features.*feature, nullptr);
  auto& more = needs.of<VkPhysicalDevice4444FormatsFeaturesEXT>();
  needs.enable(more.formatA4R4G4B4, nullptr);
  needs.enable(more.formatA4B4G4R4, nullptr);
  needs.extensions = {VK_EXT_4444_FORMATS_EXTENSION_NAME};
  Session s = open("tiled_formats", needs);
  std::vector<VkFormat> formats;
  for (int i = 1; i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++i) formats.push_back(static_cast<VkFormat>(i));
  if (more.formatA4R4G4B4) formats.push_back(VK_FORMAT_A4R4G4B4_UNORM_PACK16);
  if (more.formatA4B4G4R4) formats.push_back(VK_FORMAT_A4B4G4R4_UNORM_PACK16);
  const MappedBuffer texels = buffer(s, 16384, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  // Of bytes that are no NaN in any width, and small in every block format.
  for (std::uint32_t i = 0; i < 4096; ++i) texels.words[i] = mix(i, 77) & 0x3b3b3b3b;
  const MappedBuffer out = create_readback(s, 4u << 20);
  VkDeviceSize used = 0;
  std::uint32_t copied = 0, cleared = 0;
  for (const VkFormat format : formats) {
    const Size size = size_of(format);
    if (size.bytes == 0) continue;
    for (const VkImageTiling tiling : {VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_TILING_LINEAR}) {
      const VkFormatProperties properties = format_properties(s, format);
      const VkFormatFeatureFlags can =
          tiling == VK_IMAGE_TILING_OPTIMAL ? properties.optimalTilingFeatures : properties.linearTilingFeatures;
      constexpr VkFormatFeatureFlags copies = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
      if ((can & copies) != copies) continue;
      const bool drawn = (can & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0;
      VkImageCreateInfo info = image_info(format, kExtent,
                                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                              (drawn ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VkImageUsageFlagBits{}));
      info.tiling = tiling;
      VkImageFormatProperties limit;
      if (vkGetPhysicalDeviceImageFormatProperties(s.physical, format, info.imageType, tiling, info.usage, 0, &limit) !=
          VK_SUCCESS)
        continue;
      info.mipLevels = limit.maxMipLevels < 2 ? 1 : 2;
      info.arrayLayers = limit.maxArrayLayers < 2 ? 1 : 2;
      const Image i = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
      for (std::uint32_t level = 0; level < info.mipLevels; ++level) {
        const std::uint32_t extent = kExtent >> level;
        const VkDeviceSize bytes = VkDeviceSize{size.bytes} * ((extent + size.texels_wide - 1) / size.texels_wide) *
                                   ((extent + size.texels_high - 1) / size.texels_high);
        VkBufferImageCopy region{.bufferOffset = 96 * level,
                                 .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, info.arrayLayers},
                                 .imageExtent = {extent, extent, 1}};
        vkCmdCopyBufferToImage(s.cmd, texels.buffer, i.image, kGeneral, 1, &region);
        barrier(s.cmd);
        if (drawn && level == 0)
          clear_by_pass(
              s, create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, format, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}));
        region.bufferOffset = used;
        used += (bytes * info.arrayLayers + 95) / 96 * 96;
        if (used > out.bytes) die("too many formats", static_cast<long>(used));
        vkCmdCopyImageToBuffer(s.cmd, i.image, kGeneral, out.buffer, 1, &region);
      }
      ++copied;
      cleared += drawn ? 1 : 0;
    }
  }
  run(s);
  EXPECT(s, copied > 80 && cleared > 40);
  add(s, out);
  return finish(s);
}
