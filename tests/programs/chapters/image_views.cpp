// SPDX-License-Identifier: Apache-2.0
// Views: components that are exchanged, zero and one; of other formats, with a usage of
// their own; cubes and arrays of cubes that begin above the first layer; arrays of one
// dimension; a level of an image, and a slice of three dimensions as two.
#include "chapter.h"
#include "viewed.comp.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 4;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageAspectFlags kColors = VK_IMAGE_ASPECT_COLOR_BIT;
constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

Image filled(Session& s, VkImageCreateInfo info, VkImageViewType type, const MappedBuffer& from) {
  const Image i = create_general(s, info, type);
  const VkBufferImageCopy all{.imageSubresource = {kColors, 0, 0, info.arrayLayers}, .imageExtent = info.extent};
  vkCmdCopyBufferToImage(s.cmd, from.buffer, i.image, kGeneral, 1, &all);
  return i;
}

}  // namespace

int main() {
  Needs needs({VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME});
  NEED(needs, Image2DViewOf3DFeaturesEXT, image2DViewOf3D);
  NEED_CORE(needs, imageCubeArray);
  Session s = open("image_views", needs);
  const MappedBuffer texels = buffer(s, 16 * 16 * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < 256; ++i) texels.words[i] = mix(i, 23);
  VkImageCreateInfo info = image_info(kFormat, kExtent, kUsage | VK_IMAGE_USAGE_STORAGE_BIT);
  info.arrayLayers = 14;
  info.flags =
      VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  const Image array = filled(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY, texels);
  info = image_info(kFormat, VkExtent3D{kExtent, 1, 1}, kUsage);
  info.imageType = VK_IMAGE_TYPE_1D;
  info.arrayLayers = 6;
  const Image rows = filled(s, info, VK_IMAGE_VIEW_TYPE_1D_ARRAY, texels);
  info = image_info(kFormat, VkExtent3D{kExtent, kExtent, kExtent}, kUsage | VK_IMAGE_USAGE_STORAGE_BIT);
  info.imageType = VK_IMAGE_TYPE_3D;
  info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
  const Image solid = filled(s, info, VK_IMAGE_VIEW_TYPE_3D, texels);
  barrier(s.cmd);

  const VkImageViewUsageCreateInfo sampled{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, nullptr,
                                           VK_IMAGE_USAGE_SAMPLED_BIT};
  const VkComponentMapping swizzle{VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_IDENTITY,
                                   VK_COMPONENT_SWIZZLE_R},
      zeros{VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ONE};
  const VkImage image = array.image;
  const VkImageView views[8] = {
      create_view(s, image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R8G8B8A8_SRGB, {kColors, 0, 1, 0, 3}, &sampled),
      create_view(s, image, VK_IMAGE_VIEW_TYPE_2D, kFormat, {kColors, 0, 1, 13, VK_REMAINING_ARRAY_LAYERS}, nullptr,
                  swizzle),
      create_view(s, image, VK_IMAGE_VIEW_TYPE_CUBE, kFormat, {kColors, 0, 1, 5, 6}, nullptr, zeros),
      create_view(s, image, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, kFormat,
                  {kColors, 0, VK_REMAINING_MIP_LEVELS, 2, VK_REMAINING_ARRAY_LAYERS}),
      create_view(s, image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32_UINT, {kColors, 0, 1, 1, 4}, nullptr, {}),
      create_view(s, rows.image, VK_IMAGE_VIEW_TYPE_1D_ARRAY, kFormat, {kColors, 0, 1, 1, 4}),
      solid.view,
      create_view(s, solid.image, VK_IMAGE_VIEW_TYPE_2D, kFormat, {kColors, 0, 1, 2, 1})};
  const MappedBuffer results = buffer(s, 128 * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer out = create_readback(s, kExtent * kExtent * kExtent * 4);
  const VkSampler sampler = create_sampler(
      s,
      {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_NEAREST, .minFilter = VK_FILTER_NEAREST});
  constexpr VkDescriptorType both = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                             storage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, words = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < 9; ++i)
    bindings.push_back({i, i < 7 ? both : i == 7 ? storage : words, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  const VkDescriptorSetLayout set_layout = create_set_layout(s, bindings);
  const VkDescriptorSet set = allocate_set(s, create_pool(s, 1, {{both, 7}, {storage, 1}, {words, 1}}), set_layout);
  for (std::uint32_t i = 0; i < 8; ++i) write_image(s, set, i, views[i], kGeneral, sampler, bindings[i].descriptorType);
  write_buffer(s, set, 8, results);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, viewed_comp_spv)));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  barrier(s.cmd);
  copy_out(s.cmd, solid, kGeneral, out);
  run(s);
  EXPECT(s, out.words[0] == texels.words[0] && out.words[32] != texels.words[32]);
  EXPECT(s, results.words[16 * 4 + 1] == 0x3f800000 && results.words[32 * 4] == 0);
  add(s, results);
  add(s, out);
  return finish(s);
}
