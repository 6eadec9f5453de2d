// SPDX-License-Identifier: Apache-2.0
// Render passes of several subpasses: attachments that are written, preserved over
// a subpass that does not know them and read two later; depth that is tested and
// read at once; unused references between used ones; a subpass that depends on itself.
#include "chapter.h"
#include "depth_input.frag.h"
#include "second.frag.h"
#include "sum_inputs.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[4] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_D16_UNORM,
                                  VK_FORMAT_R8G8B8A8_UNORM};
constexpr VkImageLayout kColors = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kReads = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        kDepthReads = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;

// 0: drawn, preserved, read; 1: between; 2: depth; 3: what was there, and the sum on it.
VkRenderPass create_three(Session& s) {
  VkAttachmentDescription attachments[4];
  for (std::uint32_t i = 0; i < 4; ++i) {
    attachments[i] = {0,
                      kFormats[i],
                      VK_SAMPLE_COUNT_1_BIT,
                      VK_ATTACHMENT_LOAD_OP_CLEAR,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                      VK_ATTACHMENT_STORE_OP_DONT_CARE,
                      VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL};
  }
  attachments[3].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  attachments[3].initialLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference depth{2, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}, read_depth{2, kDepthReads};
  const VkAttachmentReference first[3] = {
      {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED}, {0, kColors}, {VK_ATTACHMENT_UNUSED, kColors}};
  const VkAttachmentReference between{1, kColors}, last{3, kColors};
  const VkAttachmentReference inputs[3] = {{0, kReads}, {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED}, {1, kReads}};
  const std::uint32_t preserved[2] = {0, 3};
  const VkSubpassDescription subpasses[3] = {
      {.colorAttachmentCount = 3,
       .pColorAttachments = first,
       .pDepthStencilAttachment = &depth,
       .preserveAttachmentCount = 1,
       .pPreserveAttachments = preserved + 1},
      {.inputAttachmentCount = 1,
       .pInputAttachments = &read_depth,
       .colorAttachmentCount = 1,
       .pColorAttachments = &between,
       .pDepthStencilAttachment = &read_depth,
       .preserveAttachmentCount = 2,
       .pPreserveAttachments = preserved},
      {.inputAttachmentCount = 3, .pInputAttachments = inputs, .colorAttachmentCount = 1, .pColorAttachments = &last}};
  const VkSubpassDependency dependencies[6] = {
      everything(VK_SUBPASS_EXTERNAL, 0),
      everything(0, 1, VK_DEPENDENCY_BY_REGION_BIT),
      everything(0, 2, VK_DEPENDENCY_BY_REGION_BIT),
      everything(1, 2, VK_DEPENDENCY_BY_REGION_BIT),
      {2, 2, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
       VK_ACCESS_SHADER_READ_BIT, VK_DEPENDENCY_BY_REGION_BIT},
      everything(2, VK_SUBPASS_EXTERNAL)};
  return create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                         .attachmentCount = 4,
                         .pAttachments = attachments,
                         .subpassCount = 3,
                         .pSubpasses = subpasses,
                         .dependencyCount = 6,
                         .pDependencies = dependencies});
}

VkDescriptorSet inputs(Session& s, VkDescriptorSetLayout layout, VkImageView one, VkImageLayout layout_one,
                       VkImageView other) {
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const VkDescriptorSet set = create_set(s, layout, {type, type});
  write_image(s, set, 0, one, layout_one, VK_NULL_HANDLE, type);
  write_image(s, set, 1, other, kReads, VK_NULL_HANDLE, type);
  return set;
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, independentBlend);
  Session s = open("subpasses", needs);
  constexpr VkImageUsageFlags both = kDrawnAndRead | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  const Image images[4] = {
      create_image(s, image_info(kFormats[0], kExtent, both)), create_image(s, image_info(kFormats[1], kExtent, both)),
      create_image(s,
                   image_info(kFormats[2], kExtent,
                              VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
                   VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT),
      create_canvas(s, kExtent)};
  Pictures p = create_pictures(s, 4096 + 2048);
  clear(s.cmd, images[3], {.float32 = {0.25f, 0, 0, 0}});
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet depths = inputs(s, set_layout, images[2].view, kDepthReads, images[1].view);
  const VkDescriptorSet colors = inputs(s, set_layout, images[0].view, kReads, images[1].view);

  Drawing d = shapes(s, {set_layout});
  d.pass = create_three(s);
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipelineColorBlendAttachmentState none{.colorWriteMask = 0}, all{.colorWriteMask = 0xf};
  d.attachments = {none, all, none};
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, second_frag_spv));
  const VkPipeline draws = build(s, d);
  d.subpass = 1;
  d.attachments = {all};
  d.depth.depthWriteEnable = VK_FALSE;
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, depth_input_frag_spv));
  const VkPipeline between = build(s, d);
  d.subpass = 2;
  d.depth = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, sum_inputs_frag_spv));
  d.attachments[0] = {VK_TRUE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_OP_ADD,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ZERO,
                      VK_BLEND_OP_ADD,
                      0xf};
  const VkPipeline sums = build(s, d);

  const VkFramebuffer framebuffer =
      create_framebuffer(s, d.pass, {images[0].view, images[1].view, images[2].view, images[3].view}, kExtent);
  VkClearValue clears[4]{};
  clears[0].color.float32[1] = 0.5f;
  clears[1].color.float32[2] = 4;
  clears[2].depthStencil.depth = 0.75f;
  const VkRenderPassBeginInfo pass{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, d.pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 4, clears};
  vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {1, 0, 0, 1}, 0.25f});
  draw(s.cmd, d.layout, {-0.5f, -1, 1, 0, {0, 0, 1, 1}, 0.5f});
  vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, between);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &depths, 0, nullptr);
  draw(s.cmd, d.layout, {-1, -1, 1, 1, {}, 0.375f});
  vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, sums);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &colors, 0, nullptr);
  draw(s.cmd, d.layout, {-1, -1, 1, 0.5f});
  const VkMemoryBarrier reads{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_READ_BIT,
                              VK_ACCESS_SHADER_READ_BIT};
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                       VK_DEPENDENCY_BY_REGION_BIT, 1, &reads, 0, nullptr, 0, nullptr);
  draw(s.cmd, d.layout, {-1, 0.5f, 0, 1});
  vkCmdEndRenderPass(s.cmd);
  take(s, p, images[0]);
  const std::uint32_t* sum = take(s, p, images[3]);
  take(s, p, images[1], 8);
  take(s, p, images[2], 2, VK_IMAGE_ASPECT_DEPTH_BIT);
  run(s);

  // Nothing but what was there in the corner that no shape of the last subpass meets.
  EXPECT(s, sum[kTexels - 1] == 0x00000040);
  EXPECT(s, sum[0] != sum[kExtent - 1] && sum[0] != 0x00000040);
  add(s, p.out);
  return finish(s);
}
