// SPDX-License-Identifier: Apache-2.0
// Drawing that reads what it draws into: an attachment that is sampled in the
// layout for that, and an input attachment that two draws read and write in
// their order without a barrier between them.
#include "invert.frag.h"
#include "loop.frag.h"
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;
constexpr VkImageLayout kLoop = VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
                        kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkImageUsageFlags kDrawn =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// Cleared to red, in the layout that is given.
Image create_red(Session& s, VkImageUsageFlags usage, VkImageLayout layout) {
  const Image i = create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kDrawn | usage));
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
  const VkClearColorValue red{{1, 0, 0, 1}};
  vkCmdClearColorImage(s.cmd, i.image, kTo, &red, 1, &kColor);
  transition(s.cmd, i, kTo, layout);
  return i;
}

// A draw over the left half inverts what it samples there.
void sample_itself(Session& s, const MappedBuffer& out) {
  const Image target =
      create_red(s, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT, kLoop);
  const VkSamplerCreateInfo sampler_info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &sampler_info, nullptr, &sampler));
  keep(s, vkDestroySampler, sampler);
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {type});
  write_image(s, set, 0, target.view, kLoop, sampler, type);
  Drawing d = shapes(s, {set_layout});
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, loop_frag_spv));
  d.flags = VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
  const VkPipeline pipeline = build(s, d);
  const VkRenderingAttachmentInfo color = attachment(target.view, kLoop, VK_ATTACHMENT_LOAD_OP_LOAD);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
  draw(s.cmd, d.layout, {-1, -1, 0, 1});
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, target, kLoop, out, 0);
}

VkRenderPass create_ordered_pass(Session& s) {
  const VkAttachmentDescription drawn{0,
                                      VK_FORMAT_R8G8B8A8_UNORM,
                                      VK_SAMPLE_COUNT_1_BIT,
                                      VK_ATTACHMENT_LOAD_OP_LOAD,
                                      VK_ATTACHMENT_STORE_OP_STORE,
                                      VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                      VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                      kGeneral,
                                      kGeneral};
  const VkAttachmentReference both{0, kGeneral};
  const VkSubpassDescription subpass{
      .flags = VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT,
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
      .inputAttachmentCount = 1,
      .pInputAttachments = &both,
      .colorAttachmentCount = 1,
      .pColorAttachments = &both};
  const VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    .attachmentCount = 1,
                                    .pAttachments = &drawn,
                                    .subpassCount = 1,
                                    .pSubpasses = &subpass};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

// The left half is inverted once; the upper half as well: its left quarter twice.
void read_in_order(Session& s, const MappedBuffer& out) {
  const Image target = create_red(s, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, kGeneral);
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {type});
  write_image(s, set, 0, target.view, kGeneral, VK_NULL_HANDLE, type);
  Drawing d = shapes(s, {set_layout});
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, invert_frag_spv));
  d.blend.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
  d.pass = create_ordered_pass(s);
  const VkPipeline pipeline = build(s, d);
  const VkFramebufferCreateInfo info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, d.pass, 1, &target.view, kExtent, kExtent, 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  keep(s, vkDestroyFramebuffer, framebuffer);
  const VkRenderPassBeginInfo begins{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     .renderPass = d.pass,
                                     .framebuffer = framebuffer,
                                     .renderArea = {{0, 0}, {kExtent, kExtent}}};
  vkCmdBeginRenderPass(s.cmd, &begins, VK_SUBPASS_CONTENTS_INLINE);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
  draw(s.cmd, d.layout, {-1, -1, 0, 1});
  draw(s.cmd, d.layout, {-1, -1, 1, 0});
  vkCmdEndRenderPass(s.cmd);
  barrier(s.cmd);
  copy_out(s.cmd, target, kGeneral, out, kTexels * 4);
}

}  // namespace

int main() {
  VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT ordered{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT,
      .rasterizationOrderColorAttachmentAccess = VK_TRUE};
  VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT loops{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT, &ordered, VK_TRUE};
  const VkPhysicalDeviceVulkan13Features v13{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &loops, .dynamicRendering = VK_TRUE};
  Wanted wanted;
  wanted.features = &v13;
  // The last two are one extension under two names.
  wanted.extensions = {VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME,
                       VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME,
                       VK_ARM_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME};
  Session s = open("loops", wanted);
  const MappedBuffer out = create_readback(s, 2 * kTexels * 4);
  sample_itself(s, out);
  read_in_order(s, out);
  run(s);

  constexpr std::uint32_t cyan = 0xffffff00;
  EXPECT(s, count(out.words, kTexels, cyan) == 128 && out.words[0] == cyan && out.words[kExtent - 1] == kRed);
  const std::uint32_t* picture = out.words + kTexels;
  EXPECT(s, count(picture, kTexels, cyan) == 128 && picture[0] == kRed);
  EXPECT(s, picture[kExtent - 1] == cyan && picture[kTexels - kExtent] == cyan);
  add(s, out);
  return finish(s);
}
