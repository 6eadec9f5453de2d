// SPDX-License-Identifier: Apache-2.0
// An image of each kind: a first submit fills all of it, a second one reads all of it, with nothing of the first but
// the image.
//   kept_images --kind mips|layers|3d|depth|stencil|compressed|planar|linear|multisampled|large
#include <algorithm>

#include "image.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// Parts of an image that are copied alike: the last ones are tried where a device lacks the first.
struct Aspect {
  VkImageAspectFlagBits aspect;
  VkDeviceSize bytes;        // of a block
  std::uint32_t block;       // its width and height
  std::uint32_t divided_by;  // the extent of a plane
};

struct Kind {
  const char* name;
  std::vector<VkFormat> formats;  // the first that there is
  VkExtent3D extent;
  std::uint32_t mips, layers;
  std::vector<Aspect> aspects;
};

const Aspect kTexels{VK_IMAGE_ASPECT_COLOR_BIT, 4, 1, 1};
const Aspect kStencil{VK_IMAGE_ASPECT_STENCIL_BIT, 1, 1, 1};
const std::vector<Kind> kKinds = {
    {"mips", {VK_FORMAT_R8G8B8A8_UNORM}, {60, 36, 1}, 6, 1, {kTexels}},
    {"layers", {VK_FORMAT_R8G8B8A8_UNORM}, {32, 16, 1}, 2, 5, {kTexels}},
    {"3d", {VK_FORMAT_R8G8B8A8_UNORM}, {16, 8, 6}, 3, 1, {kTexels}},
    {"depth", {VK_FORMAT_D16_UNORM}, {32, 32, 1}, 2, 2, {{VK_IMAGE_ASPECT_DEPTH_BIT, 2, 1, 1}}},
    {"stencil", {VK_FORMAT_D32_SFLOAT_S8_UINT}, {32, 32, 1}, 2, 1, {{VK_IMAGE_ASPECT_DEPTH_BIT, 4, 1, 1}, kStencil}},
    {"compressed",
     {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK},
     {28, 20, 1},
     3,
     2,
     {{VK_IMAGE_ASPECT_COLOR_BIT, 8, 4, 1}}},
    {"planar",
     {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM},
     {32, 16, 1},
     1,
     1,
     {{VK_IMAGE_ASPECT_PLANE_0_BIT, 1, 1, 1}, {VK_IMAGE_ASPECT_PLANE_1_BIT, 2, 1, 2}}},
    {"linear", {VK_FORMAT_R8G8B8A8_UNORM}, {31, 17, 1}, 1, 1, {kTexels}},
    {"multisampled", {VK_FORMAT_R8G8B8A8_UNORM}, {32, 32, 1}, 1, 1, {kTexels}},
    {"large", {VK_FORMAT_R8G8B8A8_UNORM}, {2048, 1152, 1}, 2, 1, {kTexels}},
};

// Of every part, one behind the other.
std::vector<std::pair<VkImageAspectFlags, VkBufferImageCopy>> regions_of(const Kind& kind, VkDeviceSize& bytes) {
  std::vector<std::pair<VkImageAspectFlags, VkBufferImageCopy>> all;
  for (std::uint32_t mip = 0; mip < kind.mips; ++mip)
    for (std::uint32_t layer = 0; layer < kind.layers; ++layer)
      for (const Aspect& aspect : kind.aspects) {
        const auto size = [&](std::uint32_t whole) { return std::max(whole / aspect.divided_by >> mip, 1u); };
        const VkExtent3D extent{size(kind.extent.width), size(kind.extent.height),
                                std::max(kind.extent.depth >> mip, 1u)};
        VkBufferImageCopy region{};
        region.bufferOffset = bytes;
        region.imageSubresource = {static_cast<VkImageAspectFlags>(aspect.aspect), mip, layer, 1};
        region.imageExtent = extent;
        all.emplace_back(aspect.aspect, region);
        const auto blocks = [&](std::uint32_t texels) { return (texels + aspect.block - 1) / aspect.block; };
        bytes += VkDeviceSize{blocks(extent.width)} * blocks(extent.height) * extent.depth * aspect.bytes;
        bytes = (bytes + 63) & ~VkDeviceSize{63};
      }
  return all;
}

VkFormat format_of(const Context& c, const Kind& kind, bool linear) {
  for (const VkFormat format : kind.formats) {
    VkFormatProperties has;
    vkGetPhysicalDeviceFormatProperties(c.physical, format, &has);
    constexpr VkFormatFeatureFlags wanted = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (((linear ? has.linearTilingFeatures : has.optimalTilingFeatures) & wanted) == wanted) return format;
  }
  return VK_FORMAT_UNDEFINED;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 3 && std::string_view(argv[1]) == "--kind" ? argv[2] : "mips";
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return wanted == kind.name; });
  if (found == kKinds.end()) die("no such kind", 0);
  const Kind& kind = *found;
  const bool multisampled = wanted == "multisampled", linear = wanted == "linear";
  Context c = create_context("kept_images");
  VkImageCreateInfo info = image_info(format_of(c, kind, linear), kind.extent, kUsage);
  if (info.format == VK_FORMAT_UNDEFINED) return cannot_run("this device has no format of this kind that copies");
  info.imageType = kind.extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.mipLevels = kind.mips;
  info.arrayLayers = kind.layers;
  if (linear) info.tiling = VK_IMAGE_TILING_LINEAR;
  if (multisampled) info.samples = VK_SAMPLE_COUNT_4_BIT;
  if (multisampled) info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const VkImage image = create_unbound_image(c, info);
  const VkDeviceMemory memory = bind_to_memory_of_its_own(c, image);
  VkDeviceSize bytes = 0;
  const auto regions = regions_of(kind, bytes);
  MappedBuffer in = create_mapped_buffer(c, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  MappedBuffer out = create_mapped_buffer(c, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::memset(out.words, 0, bytes);
  // No float among them that is not a number, and depths from 0 to 1.
  for (std::uint32_t i = 0; i < bytes / 4; ++i) in.words[i] = mix(i, 7) & 0x3f7f3f7f;
  Commands commands = create_commands(c);
  VkImageSubresourceRange all = kColor;
  all.aspectMask = 0;
  for (const Aspect& aspect : kind.aspects) all.aspectMask |= static_cast<VkImageAspectFlags>(aspect.aspect);
  if (wanted == "planar") all.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;

  begin(commands);
  change_layout(commands.buffer, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, all);
  const VkClearColorValue color{{0.25f, 0.5f, 0.75f, 1.0f}};
  if (multisampled)
    vkCmdClearColorImage(commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  else
    for (const auto& [aspect, region] : regions)
      vkCmdCopyBufferToImage(commands.buffer, in.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  change_layout(commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                all);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);

  // What it is resolved to belongs to the second submit alone.
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  const VkImage single = multisampled ? create_unbound_image(c, info) : VK_NULL_HANDLE;
  const VkDeviceMemory single_memory = multisampled ? bind_to_memory_of_its_own(c, single) : VK_NULL_HANDLE;
  begin(commands);
  if (multisampled) {
    change_layout(commands.buffer, single, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkImageSubresourceLayers first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageResolve resolve{first, {}, first, {}, kind.extent};
    vkCmdResolveImage(commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, single,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &resolve);
    change_layout(commands.buffer, single, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  }
  for (const auto& [aspect, region] : regions)
    vkCmdCopyImageToBuffer(commands.buffer, multisampled ? single : image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           out.buffer, 1, &region);
  transfers_to_host(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
  if (wanted != "stencil" && !multisampled && out.words[1] != in.words[1])
    die("texel", static_cast<long>(out.words[1]));
  std::printf("kept_images: %s, checksum %016llx\n", kind.name,
              static_cast<unsigned long long>(checksum(out.words, out.bytes / 4)));
  destroy(c, commands);
  destroy(c, out);
  destroy(c, in);
  if (multisampled) {
    vkDestroyImage(c.device, single, nullptr);
    vkFreeMemory(c.device, single_memory, nullptr);
  }
  vkDestroyImage(c.device, image, nullptr);
  vkFreeMemory(c.device, memory, nullptr);
  destroy(c);
  return 0;
}
