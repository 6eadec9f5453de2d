// SPDX-License-Identifier: Apache-2.0
// What the specification says to ignore, and what then may be anything: states of pipelines
// that discard, that have no attachments or no tessellation, or that make them dynamic;
// bases that nothing derives from; clear values that nothing clears; inheritance of primaries.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;

template <class T>
const T* garbage() {
  return reinterpret_cast<const T*>(0x10);
}
template <class T>
T no_handle() {
  return reinterpret_cast<T>(0xdeadbeefcafe);
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  Session s = open("ignored", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  const MappedBuffer counts = create_readback(s, 64);
  Drawing d = shapes(s);
  d.rendering.colorAttachmentCount = 1;
  d.rendering.pColorAttachmentFormats = d.formats.data();
  d.rendering.pNext = nullptr;
  d.blend.attachmentCount = 1;
  d.blend.pAttachments = d.attachments.data();
  d.viewport.pViewports = garbage<VkViewport>();  // dynamic
  d.viewport.pScissors = garbage<VkRect2D>();
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 d.dynamic.data()};
  VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                    .pNext = &d.rendering,
                                    .stageCount = 2,
                                    .pStages = d.stages.data(),
                                    .pVertexInputState = &d.input,
                                    .pInputAssemblyState = &d.assembly,
                                    .pTessellationState = garbage<VkPipelineTessellationStateCreateInfo>(),
                                    .pViewportState = &d.viewport,
                                    .pRasterizationState = &d.raster,
                                    .pMultisampleState = &d.multisample,
                                    .pDepthStencilState = garbage<VkPipelineDepthStencilStateCreateInfo>(),
                                    .pColorBlendState = &d.blend,
                                    .pDynamicState = &dynamic,
                                    .layout = d.layout,
                                    .subpass = 77,
                                    .basePipelineHandle = no_handle<VkPipeline>(),
                                    .basePipelineIndex = 4711};
  const auto create = [&](const VkGraphicsPipelineCreateInfo& what) {
    VkPipeline pipeline;
    CHECK(vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 1, &what, nullptr, &pipeline));
    return keep(s, vkDestroyPipeline, pipeline);
  };
  const VkPipeline draws = create(info);
  // Discards: nothing behind the rasterizer is looked at.
  VkPipelineRasterizationStateCreateInfo discarding = d.raster;
  discarding.rasterizerDiscardEnable = VK_TRUE;
  VkGraphicsPipelineCreateInfo discards = info;
  discards.stageCount = 1;
  discards.pRasterizationState = &discarding;
  discards.pViewportState = garbage<VkPipelineViewportStateCreateInfo>();
  discards.pMultisampleState = garbage<VkPipelineMultisampleStateCreateInfo>();
  discards.pColorBlendState = garbage<VkPipelineColorBlendStateCreateInfo>();
  const VkPipeline nothing = create(discards);
  // A render pass without colours: blending is ignored; so are the formats of dynamic rendering.
  const VkSubpassDescription subpass{};
  const VkRenderPass empty =
      create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass});
  VkPipelineRenderingCreateInfo unused{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, 0, 3,
                                       garbage<VkFormat>()};
  VkGraphicsPipelineCreateInfo bare = info;
  bare.pNext = &unused;
  bare.renderPass = empty;
  bare.subpass = 0;
  bare.stageCount = 1;  // fragments are counted, not drawn
  bare.pColorBlendState = garbage<VkPipelineColorBlendStateCreateInfo>();
  const VkPipeline blank = create(bare);
  const VkQueryPool visible = create_queries(s, VK_QUERY_TYPE_OCCLUSION, 1);

  // A primary of its own, whose inheritance is anything.
  const VkCommandBuffer own = allocate_command_buffer(s, s.commands.pool);
  const VkCommandBufferBeginInfo begins{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                        garbage<VkCommandBufferInheritanceInfo>()};
  CHECK(vkBeginCommandBuffer(own, &begins));
  CHECK(vkEndCommandBuffer(own));

  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {1, 0, 0, 1}});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, nothing);
  draw(s.cmd, d.layout, {-1, -1, 1, 1, {0, 1, 0, 1}});
  vkCmdEndRendering(s.cmd);
  take(s, p, canvas);
  vkCmdResetQueryPool(s.cmd, visible, 0, 1);
  const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   nullptr,
                                   empty,
                                   create_framebuffer(s, empty, {}, kExtent),
                                   {{0, 0}, {kExtent, kExtent}},
                                   0,
                                   garbage<VkClearValue>()};
  vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, blank);
  vkCmdBeginQuery(s.cmd, visible, 0, 0);
  draw(s.cmd, d.layout, {});
  vkCmdEndQuery(s.cmd, visible, 0);
  vkCmdEndRenderPass(s.cmd);
  // An attachment that is none, of which the rest is anything; a resolve that is none.
  VkRenderingAttachmentInfo colors[1] = {attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_LOAD)};
  colors[0].resolveImageView = no_handle<VkImageView>();
  const VkRenderingAttachmentInfo none{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .resolveImageView = no_handle<VkImageView>()};
  const VkRenderingInfo rendering{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {kExtent, kExtent}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = colors,
                                  .pDepthAttachment = &none};
  vkCmdBeginRendering(s.cmd, &rendering);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  draw(s.cmd, d.layout, {0, 0, 1, 1, {0, 0, 1, 1}});
  vkCmdEndRendering(s.cmd);
  const std::uint32_t* last = take(s, p, canvas);
  vkCmdCopyQueryPoolResults(s.cmd, visible, 0, 1, counts.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
  run(s);
  EXPECT(s, count(last, kTexels, kRed) == 32 && count(last, kTexels, kBlue) == 16);
  EXPECT(s, counts.words[0] > 0);
  add(s, p.out);
  return finish(s);
}
