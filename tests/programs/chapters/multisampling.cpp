// SPDX-License-Identifier: Apache-2.0
// Multisampling, sample by sample: static masks, masks that shaders write and read,
// alpha to coverage and alpha to one, shading by the sample and by a part of them,
// positions of samples, the coverage of edges; read back by a shader, not resolved.
#include "chapter.h"
#include "each_sample.comp.h"
#include "masks.frag.h"
#include "positions.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent, kSamples = 4;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, sampleRateShading);
  WISH_CORE(needs, alphaToOne);
  Session s = open("multisampling", needs);
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image canvas = create_general(s, info);

  constexpr VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC};
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s,
      {{0, types[0], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}, {1, types[1], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkPipelineLayout reads_layout = create_layout(s, {set_layout});
  const VkPipeline reads = create_compute(s, reads_layout, shader(s, each_sample_comp_spv));
  const VkDescriptorSet set = create_set(s, set_layout, {types[0], types[1]});
  const VkSampler sampler = create_sampler(s, {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO});
  write_image(s, set, 0, canvas.view, VK_IMAGE_LAYOUT_GENERAL, sampler, types[0]);
  constexpr VkDeviceSize bytes = kSamples * kTexels * 4;
  const MappedBuffer out = buffer(s, 9 * bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorBufferInfo range{out.buffer, 0, bytes};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = 1,
                                   .descriptorCount = 1,
                                   .descriptorType = types[1],
                                   .pBufferInfo = &range};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);

  Drawing d = shapes(s);
  const VkPipelineShaderStageCreateInfo plain = d.stages[1];
  const VkShaderModule masks = shader(s, masks_frag_spv), positions = shader(s, positions_frag_spv);
  std::uint32_t pictures = 0;
  const auto picture = [&](float alpha, auto&& change) {
    d.stages[1] = plain;
    d.multisample = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                     .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
    change();
    const VkPipeline pipeline = build(s, d);
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-1, -1, 0.4375f, 0.5625f, {1, 0.5f, 0, alpha}});
    draw(s.cmd, d.layout, {-0.3125f, -0.1875f, 1, 1, {0, 0.25f, 1, 1 - alpha}});
    vkCmdEndRendering(s.cmd);
    barrier(s.cmd);
    const std::uint32_t offset = pictures++ * static_cast<std::uint32_t>(bytes);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, reads);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, reads_layout, 0, 1, &set, 1, &offset);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  };
  const VkSampleMask odd[1] = {0xa};
  picture(1, [] {});
  picture(1, [&] { d.multisample.pSampleMask = odd; });
  picture(1, [&] { d.stages[1].module = masks; });
  picture(0.625f, [&] { d.multisample.alphaToCoverageEnable = VK_TRUE; });
  picture(0.25f, [&] {
    d.multisample.alphaToCoverageEnable = VK_TRUE;
    d.multisample.alphaToOneEnable = HAS_CORE(needs, alphaToOne) ? VK_TRUE : VK_FALSE;
  });
  picture(1, [&] { d.stages[1].module = positions; });
  picture(1, [&] {
    d.stages[1].module = masks;
    d.multisample.sampleShadingEnable = VK_TRUE;
    d.multisample.minSampleShading = 1;
    d.multisample.pSampleMask = odd;
  });
  picture(1, [&] {
    d.multisample.sampleShadingEnable = VK_TRUE;
    d.multisample.minSampleShading = 0.5f;
  });
  run(s);
  const std::uint32_t* words = out.words;
  EXPECT(s, count(words, kSamples * kTexels, kBlack) < kSamples * kTexels);
  // The second and the fourth sample alone.
  const std::uint32_t* masked = words + kSamples * kTexels;
  EXPECT(s, count(masked, kTexels, kBlack) == kTexels && count(masked + kTexels, kTexels, kBlack) < kTexels);
  for (std::uint32_t i = 1; i < 6; ++i) EXPECT(s, std::memcmp(words, words + i * kSamples * kTexels, bytes) != 0);
  add(s, out);
  return finish(s);
}
