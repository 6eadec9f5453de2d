// SPDX-License-Identifier: Apache-2.0
// Block-compressed images of every kind that Vulkan calls BC: the same bytes go
// into an image of each format, from there into another, out into a buffer, and
// are sampled. What comes out are the bytes; what was sampled differs by format.
#include "picture.h"
#include "texels.comp.h"

using namespace program;

namespace {

constexpr VkImageLayout kFrom = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

struct Kind {
  VkFormat format;
  std::uint32_t words;  // of a block
};
constexpr Kind kKinds[] = {{VK_FORMAT_BC1_RGB_UNORM_BLOCK, 2}, {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 2},
                           {VK_FORMAT_BC2_UNORM_BLOCK, 4},     {VK_FORMAT_BC3_UNORM_BLOCK, 4},
                           {VK_FORMAT_BC4_UNORM_BLOCK, 2},     {VK_FORMAT_BC5_UNORM_BLOCK, 4},
                           {VK_FORMAT_BC6H_UFLOAT_BLOCK, 4},   {VK_FORMAT_BC7_UNORM_BLOCK, 4}};
constexpr std::uint32_t kCount = sizeof kKinds / sizeof *kKinds;

// A block that every format reads in its own way: with BC1's two colours in
// ascending order (transparent texels), and BC7's mode in the lowest bit set.
constexpr std::uint32_t kBlock[4] = {0xe4d23c41, 0x9b1ff827, 0x7c0413f0, 0xe41b4eb1};

}  // namespace

int main() {
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  core.features.textureCompressionBC = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  Session s = open("compressed", wanted);
  const MappedBuffer in = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, kBlock);
  const MappedBuffer blocks = create_readback(s, kCount * sizeof kBlock);
  const MappedBuffer texels = buffer(s, kCount * 16 * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);

  const VkSamplerCreateInfo sampler_info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &sampler_info, nullptr, &sampler));
  keep(s, vkDestroySampler, sampler);
  constexpr VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT;
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s, {{0, kSampled, 1, compute, nullptr}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, compute, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{compute, 0, 4}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, texels_comp_spv));
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);

  for (std::uint32_t i = 0; i < kCount; ++i) {
    const VkImageCreateInfo info =
        image_info(kKinds[i].format, 4,
                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    const Image first = create_image(s, info), second = create_image(s, info);
    transition(s.cmd, first, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
    transition(s.cmd, second, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
    constexpr VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkBufferImageCopy region{.imageSubresource = layer, .imageExtent = {4, 4, 1}};
    vkCmdCopyBufferToImage(s.cmd, in.buffer, first.image, kTo, 1, &region);
    transition(s.cmd, first, kTo, kFrom);
    const VkImageCopy whole{layer, {}, layer, {}, {4, 4, 1}};
    vkCmdCopyImage(s.cmd, first.image, kFrom, second.image, kTo, 1, &whole);
    copy_out(s.cmd, second, kTo, blocks, i * sizeof kBlock);
    transition(s.cmd, second, kTo, kRead);
    const VkDescriptorSet set = create_set(s, set_layout, {kSampled, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
    write_image(s, set, 0, second.view, kRead, sampler, kSampled);
    write_buffer(s, set, 1, texels);
    const std::uint32_t place = 16 * i;
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, compute, 0, 4, &place);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);

  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT(s, std::memcmp(blocks.words + 4 * i, kBlock, kKinds[i].words * 4) == 0);
    const std::uint32_t* picture = texels.words + 16 * i;
    EXPECT(s, count(picture, 16, picture[0]) < 16);
    for (std::uint32_t other = 0; other < i; ++other)
      EXPECT(s, std::memcmp(picture, texels.words + 16 * other, 64) != 0);
  }
  add(s, blocks);
  add(s, texels);
  return finish(s);
}
