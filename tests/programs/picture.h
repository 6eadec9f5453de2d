// SPDX-License-Identifier: Apache-2.0
// Images, and a pipeline of which every state can be changed before it is
// built: rectangles of one colour each, at a depth, into an RGBA8 image.
#pragma once

#include "image.h"
#include "kernel.h"
#include "shape.frag.h"
#include "shape.vert.h"

namespace program {

struct Image {
  VkImageCreateInfo info{};
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;  // of everything, in the image's own shape
  VkImageSubresourceRange range{};
};

// As create_view() of a device, for as long as the session lives.
inline VkImageView create_view(Session& s, VkImage image, VkImageViewType type, VkFormat format,
                               const VkImageSubresourceRange& range, const void* next = nullptr,
                               const VkComponentMapping& swizzle = {}) {
  const Context& c = s;
  return keep(s, vkDestroyImageView, create_view(c, image, type, format, range, next, swizzle));
}

inline Image create_image(Session& s, const VkImageCreateInfo& info, VkImageViewType view_type,
                          VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  Image i;
  i.info = info;
  i.range = {aspect, 0, info.mipLevels, 0, info.arrayLayers};
  i.image = create_unbound_image(s, info);
  i.memory = keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, i.image, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  keep(s, vkDestroyImage, i.image);
  constexpr VkImageUsageFlags transfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if ((info.usage & ~transfers) != 0) i.view = create_view(s, i.image, view_type, info.format, i.range);
  return i;
}

inline Image create_image(Session& s, const VkImageCreateInfo& info) {
  return create_image(s, info, VK_IMAGE_VIEW_TYPE_2D);
}

inline void transition(VkCommandBuffer cmd, const Image& i, VkImageLayout from, VkImageLayout to) {
  change_layout(cmd, i.image, from, to, i.range);
}

// Copies one level of one layer; the image has `layout`, and keeps it.
inline void copy_out(VkCommandBuffer cmd, const Image& i, VkImageLayout layout, const MappedBuffer& to,
                     VkDeviceSize offset = 0, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                     std::uint32_t level = 0, std::uint32_t layer = 0) {
  const auto at = [&](std::uint32_t size) { return size >> level == 0 ? 1 : size >> level; };
  const VkBufferImageCopy region{
      .bufferOffset = offset,
      .imageSubresource = {aspect, level, layer, 1},
      .imageExtent = {at(i.info.extent.width), at(i.info.extent.height), at(i.info.extent.depth)}};
  constexpr VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  if (layout != source) transition(cmd, i, layout, source);
  vkCmdCopyImageToBuffer(cmd, i.image, source, to.buffer, 1, &region);
  if (layout != source) transition(cmd, i, source, layout);
}

// What the shape shaders are told.
struct Shape {
  float left = -1, top = -1, right = 1, bottom = 1;  // in clip coordinates
  float color[4] = {1, 1, 1, 1};
  float depth = 0.5f;
};

// Everything a graphics pipeline is made of. Plain: a triangle strip of four
// vertices without input, over `rendering`'s formats or a render pass.
struct Drawing {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  std::vector<VkDynamicState> dynamic{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  std::vector<VkFormat> formats{VK_FORMAT_R8G8B8A8_UNORM};
  std::vector<VkPipelineColorBlendAttachmentState> attachments{{.colorWriteMask = 0xf}};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, nullptr,
                                                  0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_FALSE};
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, nullptr,
                                                     0, 3};
  VkPipelineViewportStateCreateInfo viewport{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, nullptr, 1, nullptr};
  VkPipelineRasterizationStateCreateInfo raster{.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                .polygonMode = VK_POLYGON_MODE_FILL,
                                                .cullMode = VK_CULL_MODE_NONE,
                                                .lineWidth = 1};
  VkPipelineMultisampleStateCreateInfo multisample{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                   .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  VkRenderPass pass = VK_NULL_HANDLE;  // in place of `rendering`
  std::uint32_t subpass = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipelineCreateFlags flags = 0;
};

inline VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits which, VkShaderModule module,
                                             const VkSpecializationInfo* constants = nullptr) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, which, module, "main", constants};
}

constexpr VkPushConstantRange kShapeRange{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(Shape)};

// A drawing with the shape shaders: layout and stages are there.
inline Drawing shapes(Session& s, const std::vector<VkDescriptorSetLayout>& sets = {}) {
  Drawing d;
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, shape_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, shape_frag_spv))};
  d.layout = create_layout(s, sets, {kShapeRange});
  return d;
}

inline VkPipeline build(Session& s, Drawing& d) {
  d.blend.attachmentCount = static_cast<std::uint32_t>(d.attachments.size());
  d.blend.pAttachments = d.attachments.data();
  d.rendering.colorAttachmentCount = static_cast<std::uint32_t>(d.formats.size());
  d.rendering.pColorAttachmentFormats = d.formats.data();
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0,
                                                 static_cast<std::uint32_t>(d.dynamic.size()), d.dynamic.data()};
  const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .pNext = d.pass == VK_NULL_HANDLE ? &d.rendering : nullptr,
                                          .flags = d.flags,
                                          .stageCount = static_cast<std::uint32_t>(d.stages.size()),
                                          .pStages = d.stages.data(),
                                          .pVertexInputState = &d.input,
                                          .pInputAssemblyState = &d.assembly,
                                          .pTessellationState = &d.tessellation,
                                          .pViewportState = &d.viewport,
                                          .pRasterizationState = &d.raster,
                                          .pMultisampleState = &d.multisample,
                                          .pDepthStencilState = &d.depth,
                                          .pColorBlendState = &d.blend,
                                          .pDynamicState = &dynamic,
                                          .layout = d.layout,
                                          .renderPass = d.pass,
                                          .subpass = d.subpass};
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

inline void set_area(VkCommandBuffer cmd, std::uint32_t extent) {
  const VkViewport viewport{0, 0, static_cast<float>(extent), static_cast<float>(extent), 0, 1};
  const VkRect2D scissor{{0, 0}, {extent, extent}};
  vkCmdSetViewport(cmd, 0, 1, &viewport);
  vkCmdSetScissor(cmd, 0, 1, &scissor);
}

inline void draw(VkCommandBuffer cmd, VkPipelineLayout layout, const Shape& shape) {
  vkCmdPushConstants(cmd, layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
  vkCmdDraw(cmd, 4, 1, 0, 0);
}

constexpr VkRenderingAttachmentInfo attachment(VkImageView view, VkImageLayout layout, VkAttachmentLoadOp load) {
  return {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
          .imageView = view,
          .imageLayout = layout,
          .loadOp = load,
          .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
}

// Dynamic rendering over one colour image in the GENERAL layout, cleared to black.
inline void begin_rendering(VkCommandBuffer cmd, const Image& target,
                            VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_CLEAR) {
  const VkRenderingAttachmentInfo color = attachment(target.view, VK_IMAGE_LAYOUT_GENERAL, load);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {target.info.extent.width, target.info.extent.height}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(cmd, &info);
}

// An RGBA8 image to draw into and read back, left in the GENERAL layout.
inline Image create_canvas(Session& s, std::uint32_t extent, VkImageUsageFlags more = 0) {
  const Image i = create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, extent,
                                             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 VK_IMAGE_USAGE_TRANSFER_DST_BIT | more));
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  return i;
}

inline MappedBuffer create_readback(Session& s, VkDeviceSize bytes) {
  return buffer(s, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

// How many of the words have this value: 0xaabbggrr for RGBA8.
inline std::size_t count(const std::uint32_t* words, std::size_t size, std::uint32_t value) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < size; ++i) n += words[i] == value ? 1 : 0;
  return n;
}

constexpr std::uint32_t kBlack = 0, kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlue = 0xffff0000, kWhite = 0xffffffff;

}  // namespace program
