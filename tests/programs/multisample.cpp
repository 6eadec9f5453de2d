// SPDX-License-Identifier: Apache-2.0
// Multisampled drawing: coverage of edges, shading of every sample, the number
// of samples as a dynamic state, an image of one sample that is drawn into as
// if it had four, and attachments that are read while they are drawn.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;

// Draws a rectangle that ends in the middle of a column, resolved to `single`.
void edge(Session& s, VkPipeline pipeline, VkPipelineLayout layout, const Image& multi, const Image& single) {
  VkRenderingAttachmentInfo color =
      attachment(multi.view, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  color.resolveImageView = single.view;
  color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(s.cmd, &info);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(s.cmd, layout, {-1, -1, 0.0625f, 1, {1, 0, 0, 1}});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
}

// The same into one sample: the driver has the other three by itself.
void as_if(Session& s, VkPipeline pipeline, VkPipelineLayout layout, const Image& single) {
  const VkMultisampledRenderToSingleSampledInfoEXT four{
      VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT, nullptr, VK_TRUE, VK_SAMPLE_COUNT_4_BIT};
  const VkRenderingAttachmentInfo color =
      attachment(single.view, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .pNext = &four,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(s.cmd, &info);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(s.cmd, layout, {-1, -1, 0.0625f, 1, {1, 0, 0, 1}});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
}

}  // namespace

int main() {
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
      .extendedDynamicState3RasterizationSamples = VK_TRUE};
  VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single_sampled{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT, &third, VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &single_sampled, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.sampleRateShading = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {"VK_EXT_extended_dynamic_state3", "VK_EXT_multisampled_render_to_single_sampled",
                       "VK_EXT_post_depth_coverage"};
  Session s = open("multisample", wanted);
  LOAD(s, vkCmdSetRasterizationSamplesEXT);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image multi = create_image(s, info);
  transition(s.cmd, multi, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  const Image single = create_canvas(s, kExtent);
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  info.flags = VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
  const Image pretender = create_image(s, info);
  transition(s.cmd, pretender, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  const MappedBuffer out = create_readback(s, 3 * kTexels * 4);

  Drawing d = shapes(s);
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  const VkPipeline four = build(s, d);
  d.multisample.sampleShadingEnable = VK_TRUE;
  d.multisample.minSampleShading = 1;
  const VkSampleMask half = 0x3;
  d.multisample.pSampleMask = &half;
  d.dynamic.push_back(VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT);
  const VkPipeline shaded = build(s, d);
  set_area(s.cmd, kExtent);
  edge(s, four, d.layout, multi, single);
  copy_out(s.cmd, single, VK_IMAGE_LAYOUT_GENERAL, out);
  vkCmdSetRasterizationSamplesEXT(s.cmd, VK_SAMPLE_COUNT_4_BIT);
  edge(s, shaded, d.layout, multi, single);
  copy_out(s.cmd, single, VK_IMAGE_LAYOUT_GENERAL, out, kTexels * 4);
  as_if(s, four, d.layout, pretender);
  copy_out(s.cmd, pretender, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, out, 2 * kTexels * 4);
  run(s);

  for (const int picture : {0, 2}) {
    const std::uint32_t* words = out.words + static_cast<std::uint32_t>(picture) * kTexels;
    EXPECT(s, count(words, kTexels, kRed) == 128);
    EXPECT(s, count(words, kTexels, kBlack) == 112);  // between them: a column half covered
  }
  EXPECT(s, count(out.words + kTexels, kTexels, kRed) == 0 && out.words[kTexels] != kBlack);
  add(s, out);
  return finish(s);
}
