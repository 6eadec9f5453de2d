// SPDX-License-Identifier: Apache-2.0
// Texels that are used on after the program has let them be forgotten, as engines do that draw a part of an
// image at a time: by a pass that loads from the layout UNDEFINED, by a barrier from UNDEFINED before a pass
// that loads, and by a pass that does not care. The specification makes them undefined; software drivers keep
// them.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kRounds = 4;

VkRenderPass create_pass(Session& s) {
  const VkAttachmentDescription attachment{.format = VK_FORMAT_R8G8B8A8_UNORM,
                                           .samples = VK_SAMPLE_COUNT_1_BIT,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                           .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_GENERAL};
  const VkSubpassDescription subpass{
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &reference};
  const VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    .attachmentCount = 1,
                                    .pAttachments = &attachment,
                                    .subpassCount = 1,
                                    .pSubpasses = &subpass};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

VkFramebuffer create_framebuffer(Session& s, VkRenderPass pass, const Image& image) {
  const VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     .renderPass = pass,
                                     .attachmentCount = 1,
                                     .pAttachments = &image.view,
                                     .width = kExtent,
                                     .height = kExtent,
                                     .layers = 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  return keep(s, vkDestroyFramebuffer, framebuffer);
}

}  // namespace

int main() {
  const VkPhysicalDeviceVulkan13Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                  .dynamicRendering = VK_TRUE};
  Wanted wanted;
  wanted.features = &features;
  Session s = open("undefined_kept", wanted);
  Drawing drawing = shapes(s);
  const VkPipeline rendered = build(s, drawing);
  drawing.pass = create_pass(s);
  const VkPipeline passed = build(s, drawing);
  constexpr std::size_t kImages = 3;
  Image images[kImages];
  MappedBuffer copies[kImages];
  const VkClearColorValue blue{{0, 0, 1, 1}};
  for (std::size_t i = 0; i < kImages; ++i) {
    images[i] = create_canvas(s, kExtent);
    copies[i] = create_readback(s, 4 * kTexels);
    vkCmdClearColorImage(s.cmd, images[i].image, VK_IMAGE_LAYOUT_GENERAL, &blue, 1, &images[i].range);
  }
  const VkFramebuffer framebuffer = create_framebuffer(s, drawing.pass, images[0]);
  run(s);

  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const float left = -1 + 0.5f * static_cast<float>(round);
    const auto draw_part = [&](VkPipeline pipeline, float green) {
      set_area(s.cmd, kExtent);
      vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      draw(s.cmd, drawing.layout, {left, -1, left + 0.25f, 0, {1, green, 0, 1}});
    };
    const VkRenderPassBeginInfo pass{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     .renderPass = drawing.pass,
                                     .framebuffer = framebuffer,
                                     .renderArea = {{0, 0}, {kExtent, kExtent}}};
    vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    draw_part(passed, 0);
    vkCmdEndRenderPass(s.cmd);
    transition(s.cmd, images[1], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    begin_rendering(s.cmd, images[1], VK_ATTACHMENT_LOAD_OP_LOAD);
    draw_part(rendered, 0.5f);
    vkCmdEndRendering(s.cmd);
    begin_rendering(s.cmd, images[2], VK_ATTACHMENT_LOAD_OP_DONT_CARE);
    draw_part(rendered, 1);
    vkCmdEndRendering(s.cmd);
    for (std::size_t i = 0; i < kImages; ++i) copy_out(s.cmd, images[i], VK_IMAGE_LAYOUT_GENERAL, copies[i]);
    run(s);
    for (const MappedBuffer& copy : copies) add(s, copy);
    // What was there before is there still. Not every driver keeps it, nor has to.
    if (unchecked()) continue;
    for (const MappedBuffer& copy : copies) std::fprintf(stderr, "%zu ", count(copy.words, kTexels, kBlue));
  }
  if (!unchecked()) std::fprintf(stderr, "\n");
  return finish(s);
}
