// SPDX-License-Identifier: Apache-2.0
// Images of luma and chroma: of two and of three planes, by every model and range, with
// chroma between texels and upon them, filtered and not, components exchanged; planes that
// are filled one by one and copied as images of one component.
#include "chapter.h"
#include "luma.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kHalf = kExtent / 2;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkDescriptorType kBoth = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

struct Way {
  VkFormat format;
  VkSamplerYcbcrModelConversion model;
  VkSamplerYcbcrRange range;
  VkChromaLocation x, y;
  VkFilter filter;
  VkComponentMapping components;
};

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED(needs, Vulkan11Features, samplerYcbcrConversion);
  Session s = open("conversions", needs);
  constexpr VkFormat two = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, three = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
  constexpr VkFormatFeatureFlags sampled = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
  if (!can_be(s, two, sampled) || !can_be(s, three, sampled)) leave("images of several planes");
  const MappedBuffer texels = buffer(s, 4096, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < 1024; ++i) texels.words[i] = mix(i / 2, 41);
  const auto create = [&](VkFormat format, std::uint32_t planes) {
    const Image i = [&] {
      VkImageCreateInfo info =
          image_info(format, kExtent,
                     VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
      Image made;
      made.info = info;
      made.range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
      made.image = create_unbound_image(s, info);
      made.memory = keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, made.image));
      keep(s, vkDestroyImage, made.image);
      return made;
    }();
    transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, kGeneral);
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      const std::uint32_t extent = plane == 0 ? kExtent : kHalf;
      const VkBufferImageCopy region{
          .bufferOffset = plane * 512,
          .imageSubresource = {VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << plane, 0, 0, 1},
          .imageExtent = {extent, extent, 1}};
      vkCmdCopyBufferToImage(s.cmd, texels.buffer, i.image, kGeneral, 1, &region);
    }
    barrier(s.cmd);
    return i;
  };
  const Image images[2] = {create(two, 2), create(three, 3)};
  const Image canvas = create_canvas(s, kExtent),
              single = create_general(s, image_info(VK_FORMAT_R8_UNORM, kHalf,
                                                    VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  Pictures p = create_pictures(s, std::size_t{8} * kTexels * 4);
  constexpr VkSamplerYcbcrRange full = VK_SAMPLER_YCBCR_RANGE_ITU_FULL, narrow = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
  constexpr VkChromaLocation even = VK_CHROMA_LOCATION_COSITED_EVEN, middle = VK_CHROMA_LOCATION_MIDPOINT;
  const Way ways[] = {
      {two, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601, narrow, even, even, VK_FILTER_NEAREST, {}},
      {three, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709, full, middle, middle, VK_FILTER_LINEAR, {}},
      {two, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020, full, even, middle, VK_FILTER_LINEAR, {}},
      {three, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY, full, middle, even, VK_FILTER_NEAREST, {}},
      {two,
       VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
       full,
       even,
       even,
       VK_FILTER_NEAREST,
       {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_R}}};
  std::vector<const std::uint32_t*> seen;
  for (const Way& way : ways) {
    constexpr VkFormatFeatureFlags of_location[2] = {VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT,
                                                     VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT};
    if (!can_be(s, way.format, of_location[way.x] | of_location[way.y])) continue;
    const bool linear = way.filter == VK_FILTER_LINEAR &&
                        can_be(s, way.format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT);
    const VkFilter filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const VkSamplerYcbcrConversionCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
                                                  nullptr,
                                                  way.format,
                                                  way.model,
                                                  way.range,
                                                  way.components,
                                                  way.x,
                                                  way.y,
                                                  filter,
                                                  VK_FALSE};
    VkSamplerYcbcrConversionInfo by{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
    CHECK(vkCreateSamplerYcbcrConversion(s.device, &info, nullptr, &by.conversion));
    keep(s, vkDestroySamplerYcbcrConversion, by.conversion);
    const VkSampler sampler = create_sampler(s, {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                 .pNext = &by,
                                                 .magFilter = filter,
                                                 .minFilter = filter,
                                                 .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                 .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                 .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    const Image& image = images[way.format == two ? 0 : 1];
    const VkImageView view = create_view(s, image.image, VK_IMAGE_VIEW_TYPE_2D, way.format, image.range, &by);
    const VkDescriptorSetLayout layout = create_set_layout(s, {{0, kBoth, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &sampler}});
    const VkDescriptorSet set = allocate_set(s, create_pool(s, 1, {{kBoth, 3}}), layout);
    write_image(s, set, 0, view, kGeneral, VK_NULL_HANDLE, kBoth);
    Drawing d = shapes(s, {layout});
    d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, luma_frag_spv));
    const VkPipeline pipeline = build(s, d);
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
    draw(s.cmd, d.layout, {});
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas));
  }
  const VkImageCopy plane{
      {VK_IMAGE_ASPECT_PLANE_2_BIT, 0, 0, 1}, {}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {kHalf, kHalf, 1}};
  vkCmdCopyImage(s.cmd, images[1].image, kGeneral, single.image, kGeneral, 1, &plane);
  barrier(s.cmd);
  const std::uint32_t* copied = take(s, p, single, 1);
  run(s);
  EXPECT(s, seen.size() > 1 && std::memcmp(seen[0], seen[1], kTexels * 4) != 0);
  EXPECT(s, std::memcmp(copied, texels.words + 256, 64) == 0);
  add(s, p.out);
  return finish(s);
}
