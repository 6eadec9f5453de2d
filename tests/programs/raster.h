// SPDX-License-Identifier: Apache-2.0
// The work of the graphics programs: one colour image, a render pass that
// leaves it ready to be copied, and a pipeline with dynamic viewport, a vertex
// buffer and a tint in push constants.
#pragma once

#include <cstdint>  // for the shaders' headers, too

#include "support.h"
#include "triangle.frag.h"  // built from triangle.frag; needs <cstdint>
#include "triangle.vert.h"  // built from triangle.vert

namespace program {

struct Raster {
  std::uint32_t extent = 0;  // width and height in texels
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkRenderPass pass = VK_NULL_HANDLE;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  VkShaderModule vertex = VK_NULL_HANDLE;
  VkShaderModule fragment = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

inline void create_target(const Context& c, Raster& r) {
  VkImageCreateInfo image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = VK_FORMAT_R8G8B8A8_UNORM;
  image.extent = {r.extent, r.extent, 1};
  image.mipLevels = 1;
  image.arrayLayers = 1;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.tiling = VK_IMAGE_TILING_OPTIMAL;
  image.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  CHECK(vkCreateImage(c.device, &image, nullptr, &r.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(c.device, r.image, &needs);
  r.memory = allocate(c, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  CHECK(vkBindImageMemory(c.device, r.image, r.memory, 0));
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = r.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = image.format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  CHECK(vkCreateImageView(c.device, &view, nullptr, &r.view));

  VkAttachmentDescription attachment{};
  attachment.format = image.format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  attachment.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  attachment.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &color;
  // The copy of the frame before comes first; this frame's copy comes after.
  const VkSubpassDependency dependencies[2] = {
      {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_ACCESS_TRANSFER_READ_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0},
      {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
  VkRenderPassCreateInfo pass{};
  pass.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  pass.attachmentCount = 1;
  pass.pAttachments = &attachment;
  pass.subpassCount = 1;
  pass.pSubpasses = &subpass;
  pass.dependencyCount = 2;
  pass.pDependencies = dependencies;
  CHECK(vkCreateRenderPass(c.device, &pass, nullptr, &r.pass));
  VkFramebufferCreateInfo framebuffer{};
  framebuffer.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer.renderPass = r.pass;
  framebuffer.attachmentCount = 1;
  framebuffer.pAttachments = &r.view;
  framebuffer.width = framebuffer.height = r.extent;
  framebuffer.layers = 1;
  CHECK(vkCreateFramebuffer(c.device, &framebuffer, nullptr, &r.framebuffer));
}

inline void create_pipeline(const Context& c, Raster& r) {
  r.vertex = create_shader(c, triangle_vert_spv, sizeof triangle_vert_spv);
  r.fragment = create_shader(c, triangle_frag_spv, sizeof triangle_frag_spv);
  const VkPushConstantRange push{VK_SHADER_STAGE_VERTEX_BIT, 0, 4 * sizeof(float)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  CHECK(vkCreatePipelineLayout(c.device, &layout, nullptr, &r.layout));

  VkPipelineShaderStageCreateInfo stages[2]{};
  for (VkPipelineShaderStageCreateInfo& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = r.vertex;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = r.fragment;
  const VkVertexInputBindingDescription binding{0, 6 * sizeof(float), VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attributes[2] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                           {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 2 * sizeof(float)}};
  VkPipelineVertexInputStateCreateInfo input{};
  input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = 2;
  input.pVertexAttributeDescriptions = attributes;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{};
  viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo rasterization{};
  rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  rasterization.polygonMode = VK_POLYGON_MODE_FILL;
  rasterization.lineWidth = 1.0f;
  VkPipelineMultisampleStateCreateInfo multisample{};
  multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const VkDynamicState states[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{};
  dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = states;
  VkGraphicsPipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  pipeline.stageCount = 2;
  pipeline.pStages = stages;
  pipeline.pVertexInputState = &input;
  pipeline.pInputAssemblyState = &assembly;
  pipeline.pViewportState = &viewport;
  pipeline.pRasterizationState = &rasterization;
  pipeline.pMultisampleState = &multisample;
  pipeline.pColorBlendState = &blend;
  pipeline.pDynamicState = &dynamic;
  pipeline.layout = r.layout;
  pipeline.renderPass = r.pass;
  CHECK(vkCreateGraphicsPipelines(c.device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &r.pipeline));
}

inline Raster create_raster(const Context& c, std::uint32_t extent) {
  Raster r;
  r.extent = extent;
  create_target(c, r);
  create_pipeline(c, r);
  return r;
}

inline void destroy(const Context& c, Raster& r) {
  vkDestroyPipeline(c.device, r.pipeline, nullptr);
  vkDestroyPipelineLayout(c.device, r.layout, nullptr);
  vkDestroyShaderModule(c.device, r.fragment, nullptr);
  vkDestroyShaderModule(c.device, r.vertex, nullptr);
  vkDestroyFramebuffer(c.device, r.framebuffer, nullptr);
  vkDestroyRenderPass(c.device, r.pass, nullptr);
  vkDestroyImageView(c.device, r.view, nullptr);
  vkDestroyImage(c.device, r.image, nullptr);
  vkFreeMemory(c.device, r.memory, nullptr);
}

// One white triangle over the middle of the image.
inline MappedBuffer create_vertices(const Context& c) {
  const float vertices[3][6] = {{-0.9f, 0.9f, 1, 1, 1, 1}, {0.9f, 0.9f, 1, 1, 1, 1}, {0.0f, -0.9f, 1, 1, 1, 1}};
  MappedBuffer b = create_mapped_buffer(c, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(b.words, vertices, sizeof vertices);
  return b;
}

// Begins the pass over a dark blue background, everything bound and set.
inline void begin_pass(const Raster& r, const Commands& commands, const MappedBuffer& vertices,
                       const float (&tint)[4]) {
  VkClearValue clear{};
  clear.color.float32[2] = 64.0f / 255.0f;
  clear.color.float32[3] = 1.0f;
  VkRenderPassBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = r.pass;
  info.framebuffer = r.framebuffer;
  info.renderArea.extent = {r.extent, r.extent};
  info.clearValueCount = 1;
  info.pClearValues = &clear;
  vkCmdBeginRenderPass(commands.buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
  const float extent = static_cast<float>(r.extent);
  const VkViewport viewport{0, 0, extent, extent, 0, 1};
  vkCmdSetViewport(commands.buffer, 0, 1, &viewport);
  vkCmdSetScissor(commands.buffer, 0, 1, &info.renderArea);
  vkCmdBindPipeline(commands.buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, r.pipeline);
  const VkDeviceSize offset = 0;
  vkCmdBindVertexBuffers(commands.buffer, 0, 1, &vertices.buffer, &offset);
  vkCmdPushConstants(commands.buffer, r.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof tint, tint);
}

}  // namespace program
