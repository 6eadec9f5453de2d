// SPDX-License-Identifier: Apache-2.0
// Chapter "Formats", storage images: one value stored without a format in the
// shader into an image of each format that the device stores to, and read back
// as the bytes that it became.
#include "chapter.h"
#include "store_any.comp.h"
#include "words.h"

using namespace program;

namespace {

// For texels of at most 16 bytes, and a multiple of any of them.
constexpr VkDeviceSize kRoom = 4 * 4 * 48;

struct Made {
  VkFormat format;
  VkImage image;
  VkImageView view;
};

std::vector<Made> create_all(Session& s) {
  std::vector<Made> all;
  for (int n = VK_FORMAT_R8_UNORM; n <= VK_FORMAT_R32G32B32A32_SFLOAT; ++n) {
    const auto format = static_cast<VkFormat>(n);
    if (!can_be(s, format, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT)) continue;
    VkFormatProperties3 more{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 two{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &more};
    vkGetPhysicalDeviceFormatProperties2(s.physical, format, &two);
    if ((more.optimalTilingFeatures & VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT) == 0) continue;
    const Image i =
        create_general(s, image_info(format, 4, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
    all.push_back({format, i.image, i.view});
  }
  return all;
}

// Which of the shader's three variables stores to it.
std::uint32_t kind_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_SINT:
    case VK_FORMAT_R8G8_SINT:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_A8B8G8R8_SINT_PACK32:
    case VK_FORMAT_R16_SINT:
    case VK_FORMAT_R16G16_SINT:
    case VK_FORMAT_R16G16B16A16_SINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32G32_SINT:
    case VK_FORMAT_R32G32B32A32_SINT:
      return 1;
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8G8_UINT:
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_B8G8R8A8_UINT:
    case VK_FORMAT_A8B8G8R8_UINT_PACK32:
    case VK_FORMAT_A2B10G10R10_UINT_PACK32:
    case VK_FORMAT_A2R10G10B10_UINT_PACK32:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16G16_UINT:
    case VK_FORMAT_R16G16B16A16_UINT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32B32A32_UINT:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, shaderStorageImageWriteWithoutFormat);
  Session s = open("storage_formats", needs);
  const std::vector<Made> all = create_all(s);
  const auto count = static_cast<std::uint32_t>(all.size());
  EXPECT(s, count > 10);
  const MappedBuffer out = create_readback(s, kRoom * count);
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, type, 1, kCompute, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkDescriptorPool pool = create_pool(s, count, {{type, 1}});
  VkPipeline pipelines[3];
  const VkShaderModule module = shader(s, store_any_comp_spv);
  const VkSpecializationMapEntry entry{0, 0, 4};
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    const VkSpecializationInfo constants{1, &entry, 4, &kind};
    pipelines[kind] = create_compute(s, layout, module, &constants);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkDescriptorSet set = allocate_set(s, pool, set_layout);
    write_image(s, set, 0, all[i].view, VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE, type);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[kind_of(all[i].format)]);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
    const VkBufferImageCopy region{
        .bufferOffset = kRoom * i, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 4, 1}};
    vkCmdCopyImageToBuffer(s.cmd, all[i].image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
  }
  run(s);
  for (std::uint32_t i = 0; i < count; ++i)
    if (all[i].format == VK_FORMAT_R32_UINT) EXPECT(s, out.words[kRoom / 4 * i + 5] == 21);
  std::printf("%u formats\n", count);
  add(s, out);
  return finish(s);
}
