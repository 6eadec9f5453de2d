// SPDX-License-Identifier: Apache-2.0
// Attachments of one sample and of four in one rendering, which VK_EXT_multisampled_render_to_single_sampled
// allows: the color attachment is drawn to as if it had four samples, as the depth attachment has.
#include "picture.h"

using namespace program;

int main() {
  constexpr std::uint32_t kExtent = 16;
  constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
  VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single_sampled{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &single_sampled, VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  wanted.extensions = {VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME};
  Session s = open("mixed_samples", wanted);

  Drawing d = shapes(s);
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.rendering.depthAttachmentFormat = kDepth;
  const VkPipeline pipeline = build(s, d);

  VkImageCreateInfo color_info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent,
                                            VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  color_info.flags = VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
  const Image color = create_image(s, color_info);
  VkImageCreateInfo depth_info = image_info(kDepth, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  depth_info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image depth = create_image(s, depth_info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  transition(s.cmd, color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  transition(s.cmd, depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const MappedBuffer picture = create_readback(s, VkDeviceSize{4} * kExtent * kExtent);

  // Each rectangle is nearer than the one before, and reaches farther.
  for (std::uint32_t i = 0; i < 3; ++i) {
    const VkAttachmentLoadOp load = i == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    const VkRenderingAttachmentInfo to = attachment(color.view, VK_IMAGE_LAYOUT_GENERAL, load);
    VkRenderingAttachmentInfo tested = attachment(depth.view, VK_IMAGE_LAYOUT_GENERAL, load);
    tested.clearValue.depthStencil.depth = 1;
    const VkMultisampledRenderToSingleSampledInfoEXT four{
        VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT, nullptr, VK_TRUE, VK_SAMPLE_COUNT_4_BIT};
    const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                               .pNext = &four,
                               .renderArea = {{0, 0}, {kExtent, kExtent}},
                               .layerCount = 1,
                               .colorAttachmentCount = 1,
                               .pColorAttachments = &to,
                               .pDepthAttachment = &tested};
    const auto step = static_cast<float>(i);
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-1, -1, step * 0.5f - 0.5f, 1, {1, 0, step / 2, 1}, 0.5f - 0.1f * step});
    vkCmdEndRendering(s.cmd);
    copy_out(s.cmd, color, VK_IMAGE_LAYOUT_GENERAL, picture);
    run(s);
    add(s, picture);
    const std::uint32_t blue = i == 0 ? 0 : i == 1 ? 0x80 : 0xff;
    EXPECT(s, count(picture.words, kExtent * kExtent, kRed | blue << 16) == kExtent * (i + 1) * 4);
  }
  return finish(s);
}
