// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering without a render pass: suspended and resumed, with
// attachments that are not there, with a multisampled attachment that is
// resolved, and with secondary command buffers that inherit its formats.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;

void begin(Session& s, const std::vector<VkRenderingAttachmentInfo>& colors, VkRenderingFlags flags,
           const VkRenderingAttachmentInfo* depth = nullptr) {
  LOAD(s, vkCmdBeginRenderingKHR);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .flags = flags,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = static_cast<std::uint32_t>(colors.size()),
                             .pColorAttachments = colors.data(),
                             .pDepthAttachment = depth};
  vkCmdBeginRenderingKHR(s.cmd, &info);
}

VkCommandBuffer secondary(Session& s, VkPipeline pipeline, VkPipelineLayout layout, const Shape& shape) {
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                             VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(s.device, &allocate, &cmd));
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkCommandBufferInheritanceRenderingInfo rendering{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  // No render pass to continue: pass, subpass and framebuffer are not looked at.
  const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                      VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance};
  CHECK(vkBeginCommandBuffer(cmd, &info));
  set_area(cmd, kExtent);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(cmd, layout, shape);
  CHECK(vkEndCommandBuffer(cmd));
  return cmd;
}

}  // namespace

int main() {
  VkPhysicalDeviceDynamicRenderingFeatures dynamic{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                   nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &dynamic;
  wanted.extensions = {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
  Session s = open("rendering", wanted);
  LOAD(s, vkCmdEndRenderingKHR);
  const Image canvas = create_canvas(s, kExtent);
  const Image resolved = create_canvas(s, kExtent);
  VkImageCreateInfo samples = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  samples.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image multi = create_image(s, samples);
  const Image depth =
      create_image(s, image_info(VK_FORMAT_D32_SFLOAT, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
                   VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  transition(s.cmd, multi, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  transition(s.cmd, depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  MappedBuffer out = create_readback(s, 2 * kTexels * 4);

  Drawing d = shapes(s);
  const VkPipeline plain = build(s, d);
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  const VkPipeline multisampled = build(s, d);
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  d.formats = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM};
  d.attachments.push_back({.colorWriteMask = 0xf});
  d.rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipeline tested = build(s, d);

  VkRenderingAttachmentInfo color = attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  color.clearValue.color.float32[0] = color.clearValue.color.float32[3] = 1;
  set_area(s.cmd, kExtent);

  // Red; suspended; resumed with a green left half. What a resumed one says of
  // loading is ignored.
  begin(s, {color}, VK_RENDERING_SUSPENDING_BIT);
  vkCmdEndRenderingKHR(s.cmd);
  begin(s, {color}, VK_RENDERING_RESUMING_BIT);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, plain);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {0, 1, 0, 1}});
  vkCmdEndRenderingKHR(s.cmd);
  barrier(s.cmd);

  // A blue upper right quarter by two secondaries, one of which is overdrawn.
  color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  const VkCommandBuffer secondaries[2] = {secondary(s, plain, d.layout, {0, -1, 1, 0, {1, 1, 0, 1}}),
                                          secondary(s, plain, d.layout, {0, -1, 1, 0, {0, 0, 1, 1}})};
  begin(s, {color}, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
  vkCmdExecuteCommands(s.cmd, 2, secondaries);
  vkCmdEndRenderingKHR(s.cmd);
  barrier(s.cmd);

  // White in the corner; the red behind it and a second attachment are not there.
  set_area(s.cmd, kExtent);
  VkRenderingAttachmentInfo behind = attachment(depth.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  behind.clearValue.depthStencil.depth = 1;
  begin(s, {color, {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO}}, 0, &behind);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, tested);
  draw(s.cmd, d.layout, {0.5f, 0.5f, 1, 1, {1, 1, 1, 1}, 0.25f});
  draw(s.cmd, d.layout, {0.5f, 0.5f, 1, 1, {1, 0, 0, 1}, 0.75f});
  vkCmdEndRenderingKHR(s.cmd);

  // Green up to the middle of the ninth column, averaged.
  color = attachment(multi.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  color.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  color.resolveImageView = resolved.view;
  color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  begin(s, {color}, 0);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, multisampled);
  draw(s.cmd, d.layout, {-1, -1, 0.0625f, 1, {0, 1, 0, 1}});
  vkCmdEndRenderingKHR(s.cmd);
  barrier(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out);
  copy_out(s.cmd, resolved, VK_IMAGE_LAYOUT_GENERAL, out, kTexels * 4);
  run(s);

  EXPECT(s, count(out.words, kTexels, kGreen) == 128);
  EXPECT(s, count(out.words, kTexels, kBlue) == 64);
  EXPECT(s, count(out.words, kTexels, kWhite) == 16);
  EXPECT(s, count(out.words, kTexels, kRed) == 48);
  EXPECT(s, count(out.words + kTexels, kTexels, kGreen) == 128);
  EXPECT(s, count(out.words + kTexels, kTexels, kBlack) == 112);  // half covered: the rest
  add(s, out);
  return finish(s);
}
