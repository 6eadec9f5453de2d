// SPDX-License-Identifier: Apache-2.0
// Samplers: addresses of every kind, borders of every colour and of the program's own,
// least and greatest levels, biases, anisotropy, filters that reduce, coordinates that
// count texels, comparisons with every operation; immutable ones, and as many as fit.
#include "chapter.h"
#include "compared.frag.h"
#include "sampled.comp.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent, kSamplers = 12, kHalf = 6;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

VkSamplerCreateInfo plain(VkFilter filter, VkSamplerAddressMode mode) {
  return {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
          .magFilter = filter,
          .minFilter = filter,
          .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
          .addressModeU = mode,
          .addressModeV = mode,
          .addressModeW = mode,
          .maxLod = VK_LOD_CLAMP_NONE};
}

std::vector<VkSampler> create_samplers(Session& s, bool reduces) {
  constexpr VkFilter linear = VK_FILTER_LINEAR, nearest = VK_FILTER_NEAREST;
  constexpr VkSamplerAddressMode border = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  std::vector<VkSamplerCreateInfo> infos{plain(linear, VK_SAMPLER_ADDRESS_MODE_REPEAT),
                                         plain(nearest, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT),
                                         plain(linear, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                         plain(linear, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE),
                                         plain(linear, border),
                                         plain(nearest, border),
                                         plain(linear, border),
                                         plain(linear, border),
                                         plain(linear, border),
                                         plain(linear, VK_SAMPLER_ADDRESS_MODE_REPEAT),
                                         plain(linear, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                         plain(linear, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)};
  infos[1].addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  infos[1].minLod = 0.5f;
  infos[2].maxLod = 0.75f;
  infos[4].borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
  infos[5].borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  infos[6].borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
  const VkSamplerCustomBorderColorCreateInfoEXT own[2] = {
      {VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
       nullptr,
       {.float32 = {0.25f, 0.5f, 0.75f, 0.125f}},
       VK_FORMAT_R8G8B8A8_UNORM},
      {VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
       nullptr,
       {.float32 = {1, 0, 0.5f, 0}},
       VK_FORMAT_UNDEFINED}};
  for (int i = 0; i < 2; ++i) {
    infos[7 + static_cast<std::size_t>(i)].borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
    infos[7 + static_cast<std::size_t>(i)].pNext = &own[i];
  }
  infos[9].anisotropyEnable = VK_TRUE;
  infos[9].maxAnisotropy = 4;
  infos[9].mipLodBias = 1.25f;
  const VkSamplerReductionModeCreateInfo modes[2] = {
      {VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, VK_SAMPLER_REDUCTION_MODE_MIN},
      {VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, VK_SAMPLER_REDUCTION_MODE_MAX}};
  if (reduces) infos[10].pNext = &modes[0], infos[11].pNext = &modes[1];
  std::vector<VkSampler> samplers;
  for (const VkSamplerCreateInfo& info : infos) samplers.push_back(create_sampler(s, info));
  return samplers;
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME});
  NEED(needs, CustomBorderColorFeaturesEXT, customBorderColors);
  NEED(needs, CustomBorderColorFeaturesEXT, customBorderColorWithoutFormat);
  NEED(needs, Vulkan12Features, samplerMirrorClampToEdge);
  auto& reduces = needs.of<VkPhysicalDeviceVulkan12Features>().samplerFilterMinmax;
  needs.enable(reduces, nullptr);
  NEED_CORE(needs, samplerAnisotropy);
  Session s = open("sampling", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{8} * kTexels * 4);
  const MappedBuffer results = buffer(s, kSamplers * 32 * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.mipLevels = 3;
  const Image texture = create_general(s, info);
  const MappedBuffer texels = buffer(s, 512, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < 128; ++i) texels.words[i] = mix(i, 17) | 0xff000000;
  for (std::uint32_t level = 0; level < 3; ++level) {
    const VkBufferImageCopy region{.bufferOffset = level * 128,
                                   .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                   .imageExtent = {kExtent >> level, kExtent >> level, 1}};
    vkCmdCopyBufferToImage(s.cmd, texels.buffer, texture.image, kGeneral, 1, &region);
  }
  const VkImageView largest =
      create_view(s, texture.image, VK_IMAGE_VIEW_TYPE_2D, info.format, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
  info = image_info(VK_FORMAT_D16_UNORM, kExtent, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const Image depth = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
                                 .imageExtent = {kExtent, kExtent, 1}};
  vkCmdCopyBufferToImage(s.cmd, texels.buffer, depth.image, kGeneral, 1, &region);
  barrier(s.cmd);

  // The first half of the samplers are part of the layout.
  const std::vector<VkSampler> samplers = create_samplers(s, reduces == VK_TRUE);
  constexpr VkDescriptorType types[3] = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  for (const bool immutable : {false, true}) {
    const std::uint32_t first = immutable ? 0 : kHalf;
    const VkDescriptorSetLayout layout =
        create_set_layout(s, {{0, types[0], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
                              {1, types[1], kHalf, VK_SHADER_STAGE_COMPUTE_BIT, immutable ? samplers.data() : nullptr},
                              {2, types[2], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
    const VkDescriptorSet set =
        allocate_set(s, create_pool(s, 1, {{types[0], 1}, {types[1], kHalf}, {types[2], 1}}), layout);
    write_image(s, set, 0, texture.view, kGeneral, VK_NULL_HANDLE, types[0]);
    write_buffer(s, set, 2, results);
    std::vector<VkDescriptorImageInfo> given;
    for (std::uint32_t i = 0; i < kHalf; ++i) given.push_back({samplers[first + i]});
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = 1,
                                     .descriptorCount = kHalf,
                                     .descriptorType = types[1],
                                     .pImageInfo = given.data()};
    if (!immutable) vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
    const VkPipelineLayout pipeline_layout = create_layout(s, {layout}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 12}});
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                      create_compute(s, pipeline_layout, shader(s, sampled_comp_spv)));
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set, 0, nullptr);
    for (std::uint32_t i = 0; i < kHalf; ++i) {
      const std::uint32_t which[3] = {i, (first + i) * 3, first};
      vkCmdPushConstants(s.cmd, pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, which);
      vkCmdDispatch(s.cmd, 1, 1, 1);
    }
  }
  // Comparisons, texels counted, biases and slopes: in fragments.
  constexpr VkDescriptorType both = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  VkSamplerCreateInfo counts = plain(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  counts.unnormalizedCoordinates = VK_TRUE;
  counts.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  counts.maxLod = 0;
  const VkSampler counting = create_sampler(s, counts);
  const VkDescriptorSetLayout layout = create_set_layout(s, {{0, both, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
                                                             {1, both, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &counting},
                                                             {2, both, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  Drawing d = shapes(s, {layout});
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, compared_frag_spv));
  const VkPipeline pipeline = build(s, d);
  for (int op = 0; op < 8; ++op) {
    VkSamplerCreateInfo compares =
        plain(op % 2 == 0 ? VK_FILTER_NEAREST : VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT);
    compares.compareEnable = VK_TRUE;
    compares.compareOp = static_cast<VkCompareOp>(op);
    VkSamplerCreateInfo sloped = plain(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
    sloped.mipLodBias = static_cast<float>(op) / 4 - 1;
    sloped.anisotropyEnable = VK_TRUE;
    sloped.maxAnisotropy = static_cast<float>(1 + op);
    const VkDescriptorSet set = create_set(s, layout, {both, both, both});
    write_image(s, set, 0, depth.view, kGeneral, create_sampler(s, compares), both);
    write_image(s, set, 1, largest, kGeneral, VK_NULL_HANDLE, both);
    write_image(s, set, 2, texture.view, kGeneral, create_sampler(s, sloped), both);
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
    draw(s.cmd, d.layout, {});
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
  }
  run(s);
  EXPECT(s, results.words[7 * 32 * 4] != 0 && results.words[7 * 32 * 4 + 3] != results.words[4 * 32 * 4 + 3]);
  EXPECT(s, results.words[4 * 32 * 4] == 0x3f800000 && results.words[5 * 32 * 4 + 3] == 0);
  add(s, p.out);
  add(s, results);
  return finish(s);
}
