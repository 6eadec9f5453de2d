// SPDX-License-Identifier: Apache-2.0
// Depth and stencil apart: views of one aspect that are sampled and read as inputs, usages
// and layouts of their own for each, one of them tested while the other is read, barriers
// for one aspect.
#include "chapter.h"
#include "stencil_reads.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkFormat kFormat = VK_FORMAT_D32_SFLOAT_S8_UINT;
constexpr VkImageLayout kDepth = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
                        kStencil = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
                        kStencilReads = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;

// Draws depth and stencil with an image, then reads both of them, each in a layout of its own.
VkRenderPass create(Session& s) {
  VkAttachmentDescriptionStencilLayout stencil_layout{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT, nullptr,
                                                      kStencil, kStencilReads};
  const VkAttachmentDescription2 attachments[2] = {
      {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2, nullptr, 0, VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT,
       VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
       VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, kGeneral},
      {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2, &stencil_layout, 0, kFormat, VK_SAMPLE_COUNT_1_BIT,
       VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_LOAD,
       VK_ATTACHMENT_STORE_OP_STORE, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, kDepth}};
  VkAttachmentReferenceStencilLayout write_stencil{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT, nullptr,
                                                   kStencil},
      read_stencil{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT, nullptr, kStencilReads};
  const VkAttachmentReference2 drawn{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, &write_stencil, 1,
                                     VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, 0},
      tested{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, &read_stencil, 1, kDepth, 0},
      color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, 0};
  const VkAttachmentReference2 inputs[2] = {
      {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, &read_stencil, 1, kDepth, VK_IMAGE_ASPECT_STENCIL_BIT},
      {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, &read_stencil, 1, kDepth, VK_IMAGE_ASPECT_DEPTH_BIT}};
  const VkSubpassDescription2 subpasses[2] = {
      {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, .pDepthStencilAttachment = &drawn},
      {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
       .inputAttachmentCount = 2,
       .pInputAttachments = inputs,
       .colorAttachmentCount = 1,
       .pColorAttachments = &color,
       .pDepthStencilAttachment = &tested}};
  VkSubpassDependency2 dependencies[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    const VkSubpassDependency plain =
        everything(i == 0 ? VK_SUBPASS_EXTERNAL : i - 1, i == 2 ? VK_SUBPASS_EXTERNAL : i);
    dependencies[i] = {VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                       nullptr,
                       plain.srcSubpass,
                       plain.dstSubpass,
                       plain.srcStageMask,
                       plain.dstStageMask,
                       plain.srcAccessMask,
                       plain.dstAccessMask};
  }
  const VkRenderPassCreateInfo2 info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                     .attachmentCount = 2,
                                     .pAttachments = attachments,
                                     .subpassCount = 2,
                                     .pSubpasses = subpasses,
                                     .dependencyCount = 3,
                                     .pDependencies = dependencies};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass2(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, separateDepthStencilLayouts);
  Session s = open("aspects", needs);
  if (!can_be(s, kFormat, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
    leave("depth and stencil to sample");
  constexpr VkImageUsageFlags transfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                              usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                      VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  const VkImageStencilUsageCreateInfo of_stencil{
      VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO, nullptr,
      usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImageCreateInfo info = image_info(kFormat, kExtent, usage | transfers);
  info.pNext = &of_stencil;
  const Image behind = create_image(s, info, VK_IMAGE_VIEW_TYPE_2D, kDepthAndStencil);
  const Image canvas = create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kDrawnAndRead));
  const VkImageSubresourceRange depths{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1},
      stencils{VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};
  const VkImageView views[2] = {create_view(s, behind.image, VK_IMAGE_VIEW_TYPE_2D, kFormat, stencils),
                                create_view(s, behind.image, VK_IMAGE_VIEW_TYPE_2D, kFormat, depths)};
  Pictures p = create_pictures(s, std::size_t{3} * kTexels * 4);
  transition(s.cmd, behind, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkClearDepthStencilValue value{0.75f, 0x40};
  vkCmdClearDepthStencilImage(s.cmd, behind.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &behind.range);
  change_layout(s.cmd, behind.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                depths);
  change_layout(s.cmd, behind.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kStencil, stencils);

  const VkSampler sampler = create_sampler(s, {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO});
  constexpr VkDescriptorType both = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                             input = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  constexpr VkShaderStageFlags fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSetLayout layout = create_set_layout(s, {{0, both, 1, fragment, nullptr},
                                                             {1, both, 1, fragment, nullptr},
                                                             {2, input, 1, fragment, nullptr},
                                                             {3, input, 1, fragment, nullptr}});
  const VkDescriptorSet set = create_set(s, layout, {both, both, input, input});
  for (std::uint32_t i = 0; i < 4; ++i)
    write_image(s, set, i, views[i % 2], i % 2 == 0 ? kStencilReads : kDepth, sampler, i < 2 ? both : input);
  Drawing d = shapes(s, {layout});
  const std::vector<VkPipelineShaderStageCreateInfo> stages = d.stages;
  d.pass = create(s);
  d.stages.pop_back();
  d.attachments.clear();
  d.depth.depthTestEnable = d.depth.depthWriteEnable = d.depth.stencilTestEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.depth.front = {VK_STENCIL_OP_KEEP,
                   VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                   VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                   VK_COMPARE_OP_ALWAYS,
                   0xff,
                   0xff,
                   0};
  d.depth.back = d.depth.front;
  const VkPipeline draws = build(s, d);
  d.stages = stages;
  d.stages[1].module = shader(s, stencil_reads_frag_spv);
  d.attachments = {{.colorWriteMask = 0xf}};
  d.subpass = 1;
  d.depth.depthWriteEnable = VK_FALSE;
  d.depth.front.passOp = d.depth.front.depthFailOp = VK_STENCIL_OP_KEEP;
  d.depth.front.compareOp = VK_COMPARE_OP_NOT_EQUAL;
  d.depth.front.reference = 0x41;
  d.depth.front.writeMask = 0;
  d.depth.back = d.depth.front;
  const VkPipeline reads = build(s, d);

  VkClearValue values[2]{};
  const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   nullptr,
                                   d.pass,
                                   create_framebuffer(s, d.pass, {canvas.view, behind.view}, kExtent),
                                   {{0, 0}, {kExtent, kExtent}},
                                   1,
                                   values};
  vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  draw(s.cmd, d.layout, {-1, -1, 0.5f, 0, {}, 0.25f});
  draw(s.cmd, d.layout, {-0.5f, -0.5f, 1, 1, {}, 0.5f});
  vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, reads);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
  draw(s.cmd, d.layout, {-1, -1, 1, 1, {}, 0.375f});
  vkCmdEndRenderPass(s.cmd);
  barrier(s.cmd);
  const std::uint32_t* drawn = take(s, p, canvas);
  change_layout(s.cmd, behind.image, kDepth, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, depths);
  change_layout(s.cmd, behind.image, kStencilReads, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, stencils);
  copy_out(s.cmd, behind, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p.out, p.used, VK_IMAGE_ASPECT_DEPTH_BIT);
  copy_out(s.cmd, behind, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p.out, p.used + kTexels * 4,
           VK_IMAGE_ASPECT_STENCIL_BIT);
  run(s);
  EXPECT(s, count(drawn, kTexels, kBlack) > 0 && count(drawn, kTexels, kBlack) < kTexels);
  add(s, p.out);
  return finish(s);
}
