// SPDX-License-Identifier: Apache-2.0
// Samplers and views: edges that mirror, clamp or have a border of one's own
// colour, minimum and maximum, swizzles, anisotropy, cubes with seams, a slice
// of a volume as a picture, immutable samplers, and descriptors of nothing.
#include "picture.h"
#include "sample.comp.h"

using namespace program;

namespace {

constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

VkSampler create_sampler(Session& s, VkSamplerAddressMode mode, VkFilter filter = VK_FILTER_NEAREST,
                         const void* next = nullptr, VkBorderColor border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                         bool anisotropic = false, VkSamplerCreateFlags flags = 0) {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                 .pNext = next,
                                 .flags = flags,
                                 .magFilter = filter,
                                 .minFilter = filter,
                                 .addressModeU = mode,
                                 .addressModeV = mode,
                                 .addressModeW = mode,
                                 .anisotropyEnable = anisotropic,
                                 .maxAnisotropy = anisotropic ? 4.0f : 0.0f,
                                 .borderColor = border};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &sampler));
  return keep(s, vkDestroySampler, sampler);
}

VkSampler reducing(Session& s, VkSamplerReductionMode mode) {
  const VkSamplerReductionModeCreateInfo reduction{VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, mode};
  return create_sampler(s, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_FILTER_LINEAR, &reduction);
}

// An image with `words` in every layer or slice.
Image create_filled(Session& s, VkImageCreateInfo info, VkImageViewType type, const MappedBuffer& words) {
  info.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const Image i = create_image(s, info, type);
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, info.arrayLayers},
                                 .imageExtent = info.extent};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, i.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  transition(s.cmd, i, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kGeneral);
  return i;
}

}  // namespace

int main() {
  VkPhysicalDeviceRobustness2FeaturesEXT robust{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, nullptr,
                                                VK_TRUE, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceCustomBorderColorFeaturesEXT custom{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, &robust, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceBorderColorSwizzleFeaturesEXT swizzle{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT, &custom, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT seams{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, &swizzle, VK_TRUE};
  VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
                                                    &seams, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT texels{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT, &slices, VK_TRUE};
  VkPhysicalDeviceImageRobustnessFeatures images{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, &texels,
                                                 VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &images,
                                       .samplerMirrorClampToEdge = VK_TRUE,
                                       .samplerFilterMinmax = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
  core.features.samplerAnisotropy = core.features.robustBufferAccess = VK_TRUE;
  core.features.shaderStorageImageExtendedFormats = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {"VK_EXT_robustness2",
                       "VK_EXT_image_robustness",
                       "VK_EXT_custom_border_color",
                       "VK_EXT_border_color_swizzle",
                       "VK_EXT_non_seamless_cube_map",
                       "VK_EXT_image_2d_view_of_3d",
                       "VK_EXT_texel_buffer_alignment",
                       "VK_EXT_sampler_filter_minmax",
                       "VK_KHR_sampler_mirror_clamp_to_edge",
                       "VK_KHR_maintenance1"};
  Session s = open("samplers", wanted);
  std::uint32_t words[64];  // four columns: red, green, blue, white
  const std::uint32_t columns[4] = {kRed, kGreen, kBlue, kWhite};
  for (std::uint32_t i = 0; i < 64; ++i) words[i] = columns[i % 4];
  const MappedBuffer in = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, words);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_USAGE_SAMPLED_BIT);
  const Image plane = create_filled(s, info, VK_IMAGE_VIEW_TYPE_2D, in);
  info.flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT | VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  info.imageType = VK_IMAGE_TYPE_3D;
  info.extent = {2, 2, 4};
  const Image solid = create_filled(s, info, VK_IMAGE_VIEW_TYPE_3D, in);
  info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 2, VK_IMAGE_USAGE_SAMPLED_BIT);
  info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  info.arrayLayers = 6;
  const Image box = create_filled(s, info, VK_IMAGE_VIEW_TYPE_CUBE, in);
  const Image canvas = create_canvas(s, 4, VK_IMAGE_USAGE_STORAGE_BIT);

  const VkSamplerCustomBorderColorCreateInfoEXT orange{VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                       nullptr,
                                                       {{1, 0.4f, 0, 1}},
                                                       VK_FORMAT_R8G8B8A8_UNORM};
  const VkComponentMapping blue_first{VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R,
                                      VK_COMPONENT_SWIZZLE_A};
  const VkSamplerBorderColorComponentMappingCreateInfoEXT mapping{
      VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT, &orange, blue_first, VK_FALSE};
  const VkImageView swizzled =
      create_view(s, plane.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, plane.range, nullptr, blue_first);
  const VkImageView slice = create_view(s, solid.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
                                        {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1});
  constexpr VkSamplerAddressMode border = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  const VkSampler samplers[8] = {
      create_sampler(s, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE),
      create_sampler(s, border),
      create_sampler(s, border, VK_FILTER_NEAREST, &orange, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT),
      create_sampler(s, border, VK_FILTER_NEAREST, &mapping, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT),
      reducing(s, VK_SAMPLER_REDUCTION_MODE_MIN),
      reducing(s, VK_SAMPLER_REDUCTION_MODE_MAX),
      reducing(s, VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE),
      create_sampler(s, VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_FILTER_LINEAR, nullptr, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                     true)};
  const VkSampler seamed =
      create_sampler(s, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_FILTER_LINEAR, nullptr,
                     VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, false, VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT);

  constexpr VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT;
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, kSampled, 4, compute, nullptr},
                            {8, kSampled, 1, compute, nullptr},
                            {9, kSampled, 1, compute, nullptr},
                            {10, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, compute, nullptr},
                            {11, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, compute, nullptr},
                            {12, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, compute, nullptr},
                            {13, kSampled, 4, compute, samplers + 4}});
  const VkDescriptorPool pool = create_pool(s, 1,
                                            {{kSampled, 10},
                                             {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1},
                                             {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
                                             {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}});
  const VkDescriptorSet set = allocate_set(s, pool, set_layout);
  VkDescriptorImageInfo planes[8];  // the last four have immutable samplers: theirs are ignored
  for (std::uint32_t i = 0; i < 8; ++i)
    planes[i] = {i < 4 ? samplers[i] : reinterpret_cast<VkSampler>(0x10), i == 3 ? swizzled : plane.view, kGeneral};
  const VkBufferView nothing = VK_NULL_HANDLE;
  const VkWriteDescriptorSet writes[3] = {
      {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 0, 0, 4, kSampled, planes, nullptr, nullptr},
      {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 13, 0, 4, kSampled, planes + 4, nullptr, nullptr},
      {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 10, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, nullptr,
       nullptr, &nothing}};
  vkUpdateDescriptorSets(s.device, 3, writes, 0, nullptr);
  write_image(s, set, 8, box.view, kGeneral, seamed, kSampled);
  write_image(s, set, 9, slice, kGeneral, samplers[0], kSampled);
  write_image(s, set, 11, canvas.view, kGeneral, VK_NULL_HANDLE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  const MappedBuffer out = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  write_buffer(s, set, 12, out);
  const MappedBuffer picture = create_readback(s, 64);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, sample_comp_spv)));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  barrier(s.cmd);
  copy_out(s.cmd, canvas, kGeneral, picture);
  run(s);

  const std::uint32_t* w = out.words;
  EXPECT(s, w[0] == kGreen);                            // mirrored: the second column
  EXPECT(s, w[1] == kWhite);                            // the border
  EXPECT(s, w[2] == 0xff0066ff);                        // orange
  EXPECT(s, w[3] != w[2]);                              // in the other order
  EXPECT(s, w[4] == 0xff000000 && w[5] == 0xffffff00);  // of green and blue
  EXPECT(s, w[9] == kRed);
  EXPECT(s, w[10] == 0 || w[10] == 0xff000000);
  EXPECT(s, picture.words[5] == kGreen);
  add(s, out);
  add(s, picture);
  return finish(s);
}
