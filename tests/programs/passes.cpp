// SPDX-License-Identifier: Apache-2.0
// Render passes of both kinds: two subpasses of which the second reads what the
// first drew as an input attachment, then a pass over framebuffers without
// images of their own, whose multisampled depth and stencil are resolved and
// lie in layouts of their own.
#include "invert.frag.h"
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;
constexpr VkFormat kDepthStencil = VK_FORMAT_D32_SFLOAT_S8_UINT;

VkRenderPass create_two_subpasses(Session& s) {
  VkAttachmentDescription attachments[2];
  for (VkAttachmentDescription& a : attachments)
    a = {0,
         VK_FORMAT_R8G8B8A8_UNORM,
         VK_SAMPLE_COUNT_1_BIT,
         VK_ATTACHMENT_LOAD_OP_CLEAR,
         VK_ATTACHMENT_STORE_OP_STORE,
         VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         VK_ATTACHMENT_STORE_OP_DONT_CARE,
         VK_IMAGE_LAYOUT_UNDEFINED,
         VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
  const VkAttachmentReference drawn{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference read{0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  const VkAttachmentReference second{1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpasses[2] = {
      {.colorAttachmentCount = 1, .pColorAttachments = &drawn},
      {.inputAttachmentCount = 1, .pInputAttachments = &read, .colorAttachmentCount = 1, .pColorAttachments = &second}};
  const VkSubpassDependency dependencies[2] = {
      {0, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT, VK_DEPENDENCY_BY_REGION_BIT},
      {1, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
  const VkInputAttachmentAspectReference aspect{1, 0, VK_IMAGE_ASPECT_COLOR_BIT};
  const VkRenderPassInputAttachmentAspectCreateInfo aspects{
      VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO, nullptr, 1, &aspect};
  const VkRenderPassCreateInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, &aspects, 0, 2, attachments, 2, subpasses, 2, dependencies};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

// Attachment 0: four samples, cleared; 1: what they are resolved to: the first sample.
VkRenderPass create_resolving(Session& s) {
  const VkAttachmentDescriptionStencilLayout stencils[2] = {
      {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT, nullptr, VK_IMAGE_LAYOUT_UNDEFINED,
       VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL},
      {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT, nullptr, VK_IMAGE_LAYOUT_UNDEFINED,
       VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL}};
  VkAttachmentDescription2 attachments[2];
  VkAttachmentReference2 references[2];
  const VkAttachmentReferenceStencilLayout stencil{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT, nullptr,
                                                   VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL};
  for (std::uint32_t i = 0; i < 2; ++i) {
    attachments[i] = {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                      &stencils[i],
                      0,
                      kDepthStencil,
                      i == 0 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                      i == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      i == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL};
    references[i] = {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, &stencil, i, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                     VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT};
  }
  const VkSubpassDescriptionDepthStencilResolve resolve{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
                                                        nullptr, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
                                                        VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, &references[1]};
  const VkSubpassDescription2 subpass{
      .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, .pNext = &resolve, .pDepthStencilAttachment = &references[0]};
  const VkRenderPassCreateInfo2 info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                     .attachmentCount = 2,
                                     .pAttachments = attachments,
                                     .subpassCount = 1,
                                     .pSubpasses = &subpass};
  LOAD(s, vkCreateRenderPass2KHR);
  VkRenderPass pass;
  CHECK(vkCreateRenderPass2KHR(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

VkFramebuffer create_imageless(Session& s, VkRenderPass pass, const Image (&images)[2]) {
  VkFramebufferAttachmentImageInfo shapes[2];
  for (std::uint32_t i = 0; i < 2; ++i)
    shapes[i] = {VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
                 nullptr,
                 images[i].info.flags,
                 images[i].info.usage,
                 kExtent,
                 kExtent,
                 1,
                 1,
                 &images[i].info.format};
  const VkFramebufferAttachmentsCreateInfo attachments{VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO, nullptr,
                                                       2, shapes};
  const VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     &attachments,
                                     VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                     pass,
                                     2,
                                     reinterpret_cast<const VkImageView*>(0x10),  // ignored
                                     kExtent,
                                     kExtent,
                                     1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  return keep(s, vkDestroyFramebuffer, framebuffer);
}

// A red left half, then everything inverted.
void two_subpasses(Session& s, const MappedBuffer& out) {
  const VkImageUsageFlags both = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const Image first =
      create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, both | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
  const Image second = create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, both));
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT});
  write_image(s, set, 0, first.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_NULL_HANDLE,
              VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
  Drawing d = shapes(s, {set_layout});
  d.pass = create_two_subpasses(s);
  const VkPipeline draws = build(s, d);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, invert_frag_spv));
  d.subpass = 1;
  const VkPipeline inverts = build(s, d);
  const VkImageView views[2] = {first.view, second.view};
  const VkFramebufferCreateInfo info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, d.pass, 2, views, kExtent, kExtent, 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  keep(s, vkDestroyFramebuffer, framebuffer);

  const VkClearValue clears[2]{};
  const VkRenderPassBeginInfo pass{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, d.pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 2, clears};
  vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
  set_area(s.cmd, kExtent);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {1, 0, 0, 1}});
  vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, inverts);
  draw(s.cmd, d.layout, {-1, -1, 1, 1});
  vkCmdEndRenderPass(s.cmd);
  copy_out(s.cmd, second, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out);
  VkExtent2D granularity;
  vkGetRenderAreaGranularity(s.device, d.pass, &granularity);
}

// Depth 0.25 and stencil 7 in the upper half, 1 and 3 elsewhere.
void resolved_depth(Session& s, const MappedBuffer& out) {
  VkImageCreateInfo info =
      image_info(kDepthStencil, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const Image single = create_image(s, info, VK_IMAGE_VIEW_TYPE_2D, both);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image images[2] = {create_image(s, info, VK_IMAGE_VIEW_TYPE_2D, both), single};
  Drawing d = shapes(s);
  d.pass = create_resolving(s);
  d.attachments.clear();
  d.stages.pop_back();  // the rasterizer alone writes depth
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = d.depth.stencilTestEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 7};
  d.depth.back = d.depth.front;
  const VkPipeline pipeline = build(s, d);
  const VkFramebuffer framebuffer = create_imageless(s, d.pass, images);

  const VkImageView views[2] = {images[0].view, images[1].view};
  const VkRenderPassAttachmentBeginInfo attachments{VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, nullptr, 2,
                                                    views};
  VkClearValue clear{};
  clear.depthStencil = {1, 3};
  const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   &attachments,
                                   d.pass,
                                   framebuffer,
                                   {{0, 0}, {kExtent, kExtent}},
                                   1,
                                   &clear};
  const VkSubpassBeginInfo begins{VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, nullptr, VK_SUBPASS_CONTENTS_INLINE};
  const VkSubpassEndInfo ends{VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
  LOAD(s, vkCmdBeginRenderPass2KHR);
  LOAD(s, vkCmdEndRenderPass2KHR);
  vkCmdBeginRenderPass2KHR(s.cmd, &pass, &begins);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(s.cmd, d.layout, {-1, -1, 1, 0, {}, 0.25f});
  vkCmdEndRenderPass2KHR(s.cmd, &ends);
  VkImageMemoryBarrier readable{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                .oldLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                .image = single.image,
                                .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
  VkImageMemoryBarrier barriers[2] = {readable, readable};
  barriers[1].oldLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
  barriers[1].subresourceRange.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 2, barriers);
  copy_out(s.cmd, single, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out, kTexels * 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  copy_out(s.cmd, single, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out, kTexels * 8, VK_IMAGE_ASPECT_STENCIL_BIT);
}

// Clears two images that nothing reads, in a framebuffer without images: who reads them to
// compare them needs another usage, of them and of the framebuffer's.
void cleared_only(Session& s) {
  const VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  const Image images[2] = {create_image(s, info), create_image(s, info)};
  VkAttachmentDescription attachments[2];
  for (VkAttachmentDescription& a : attachments)
    a = {0,
         VK_FORMAT_R8G8B8A8_UNORM,
         VK_SAMPLE_COUNT_1_BIT,
         VK_ATTACHMENT_LOAD_OP_CLEAR,
         VK_ATTACHMENT_STORE_OP_STORE,
         VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         VK_ATTACHMENT_STORE_OP_DONT_CARE,
         VK_IMAGE_LAYOUT_UNDEFINED,
         VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference drawn[2] = {{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                          {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
  const VkSubpassDescription subpass{.colorAttachmentCount = 2, .pColorAttachments = drawn};
  const VkRenderPassCreateInfo pass_info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 2, attachments, 1, &subpass, 0, nullptr};
  VkRenderPass made;
  CHECK(vkCreateRenderPass(s.device, &pass_info, nullptr, &made));
  const VkRenderPass pass = keep(s, vkDestroyRenderPass, made);
  const VkFramebuffer framebuffer = create_imageless(s, pass, images);
  const VkImageView views[2] = {images[0].view, images[1].view};
  const VkRenderPassAttachmentBeginInfo given{VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, nullptr, 2, views};
  VkClearValue clears[2]{};
  clears[0].color.float32[1] = 1;
  clears[1].color.float32[2] = 1;
  const VkRenderPassBeginInfo begins{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, &given, pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 2, clears};
  vkCmdBeginRenderPass(s.cmd, &begins, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdEndRenderPass(s.cmd);
}

}  // namespace

int main() {
  VkPhysicalDeviceImagelessFramebufferFeatures imageless{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES, nullptr, VK_TRUE};
  VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures separate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, &imageless, VK_TRUE};
  Wanted wanted;
  wanted.features = &separate;
  wanted.extensions = {
      VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,   VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
      VK_KHR_IMAGELESS_FRAMEBUFFER_EXTENSION_NAME, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
      VK_KHR_MAINTENANCE_2_EXTENSION_NAME,         VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME};
  Session s = open("passes", wanted);
  MappedBuffer out = create_readback(s, 2 * kTexels * 4 + kTexels);
  two_subpasses(s, out);
  resolved_depth(s, out);
  cleared_only(s);
  run(s);

  EXPECT(s, count(out.words, kTexels, 0xffffff00) == 128);
  EXPECT(s, count(out.words, kTexels, kWhite) == 128);
  EXPECT(s, count(out.words + kTexels, kTexels, 0x3e800000) == 128);  // 0.25
  EXPECT(s, count(out.words + kTexels, kTexels, 0x3f800000) == 128);  // 1
  EXPECT(s, count(out.words + 2 * kTexels, kTexels / 4, 0x07070707) == 32);
  EXPECT(s, count(out.words + 2 * kTexels, kTexels / 4, 0x03030303) == 32);
  add(s, out);
  return finish(s);
}
