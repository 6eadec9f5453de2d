// SPDX-License-Identifier: Apache-2.0
// The objects of Samples.
#include <array>

#include "model/gpu/samples.h"
#include "model/gpu/texels.h"
// SPIR-V, of gpu/shaders.
#include "model/gpu/samples_all.spv.h"
#include "model/gpu/samples_read.spv.h"
#include "model/gpu/samples_read_depth.spv.h"
#include "model/gpu/samples_write.spv.h"
#include "model/gpu/samples_write_depth.spv.h"
#include "model/gpu/samples_write_stencil.spv.h"

namespace rondo::gpu {

namespace {

tl::unexpected<Error> failed(const char* command, VkResult result) {
  return fail(Status::failed, describe(command, result) + " for the samples of an image");
}

}  // namespace

Samples::Samples(const Access& access, std::uint32_t queue_family)
    : access_(access),
      staging_(access, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
               "the samples of an image"),
      commands_(access, queue_family) {}

Samples::~Samples() {
  commands_.destroy();
  drop_pipelines();
  const Dispatch& vk = *access_.dispatch;
  if (pool_ != VK_NULL_HANDLE) vk.vkDestroyDescriptorPool(access_.device, pool_, nullptr);
  if (layout_ != VK_NULL_HANDLE) vk.vkDestroyPipelineLayout(access_.device, layout_, nullptr);
  if (set_layout_ != VK_NULL_HANDLE) vk.vkDestroyDescriptorSetLayout(access_.device, set_layout_, nullptr);
}

void Samples::drop_pipelines() {
  const Dispatch& vk = *access_.dispatch;
  for (const auto& [sample, pipeline] : pipelines_) vk.vkDestroyPipeline(access_.device, pipeline, nullptr);
  pipelines_.clear();
  if (pass_ != VK_NULL_HANDLE) vk.vkDestroyRenderPass(access_.device, pass_, nullptr);
  pass_ = VK_NULL_HANDLE;
}

void Samples::drop_view() {
  const Dispatch& vk = *access_.dispatch;
  if (framebuffer_ != VK_NULL_HANDLE) vk.vkDestroyFramebuffer(access_.device, framebuffer_, nullptr);
  if (view_ != VK_NULL_HANDLE) vk.vkDestroyImageView(access_.device, view_, nullptr);
  framebuffer_ = VK_NULL_HANDLE;
  view_ = VK_NULL_HANDLE;
}

Result<void> Samples::create_layouts() {
  if (pool_ != VK_NULL_HANDLE) return {};
  const Dispatch& vk = *access_.dispatch;
  // Lavapipe 22.3 looks at all that a stage of a draw could use: the image that was read last may be gone by
  // then.
  const std::array<VkDescriptorSetLayoutBinding, 2> bindings{
      VkDescriptorSetLayoutBinding{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      VkDescriptorSetLayoutBinding{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr}};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = 2;
  set.pBindings = bindings.data();
  if (VkResult r = vk.vkCreateDescriptorSetLayout(access_.device, &set, nullptr, &set_layout_); r != VK_SUCCESS)
    return failed("vkCreateDescriptorSetLayout", r);
  const VkPushConstantRange push{kStages, 0, sizeof(Push)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  if (VkResult r = vk.vkCreatePipelineLayout(access_.device, &layout, nullptr, &layout_); r != VK_SUCCESS)
    return failed("vkCreatePipelineLayout", r);
  const std::array<VkDescriptorPoolSize, 2> sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1},
                                                  VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 2;
  pool.pPoolSizes = sizes.data();
  if (VkResult r = vk.vkCreateDescriptorPool(access_.device, &pool, nullptr, &pool_); r != VK_SUCCESS)
    return failed("vkCreateDescriptorPool", r);
  const VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool_, 1,
                                             &set_layout_};
  if (VkResult r = vk.vkAllocateDescriptorSets(access_.device, &allocate, &set_); r != VK_SUCCESS)
    return failed("vkAllocateDescriptorSets", r);
  return {};
}

Result<void> Samples::prepare(const Kind& kind) {
  if (kind.format == VK_FORMAT_UNDEFINED) return fail(Status::failed, "its format cannot be seen as bits");
  RONDO_TRY(create_layouts());
  if (kind == kind_ && (!kind.write || pass_ != VK_NULL_HANDLE)) return {};
  drop_pipelines();
  kind_ = kind;
  return kind.write ? create_pass() : Result<void>();
}

Result<void> Samples::create_pass() {
  const bool color = kind_.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
  VkAttachmentDescription target{};
  target.format = kind_.format;
  target.samples = kind_.samples;
  target.loadOp = target.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  target.storeOp = target.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
  target.initialLayout = target.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = color ? 1 : 0;
  subpass.pColorAttachments = color ? &reference : nullptr;
  subpass.pDepthStencilAttachment = color ? nullptr : &reference;
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &target;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  if (VkResult r = access_.dispatch->vkCreateRenderPass(access_.device, &info, nullptr, &pass_); r != VK_SUCCESS)
    return failed("vkCreateRenderPass", r);
  return {};
}

Result<VkPipeline> Samples::pipeline(std::uint32_t sample) {
  if (const auto found = pipelines_.find(sample); found != pipelines_.end()) return found->second;
  const auto made = kind_.write ? create_write_pipeline(sample) : create_read_pipeline();
  if (made) pipelines_.emplace(sample, *made);
  return made;
}

Result<VkShaderModule> Samples::create_module(std::span<const std::uint32_t> code) {
  const VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, code.size_bytes(),
                                      code.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  if (VkResult r = access_.dispatch->vkCreateShaderModule(access_.device, &info, nullptr, &module); r != VK_SUCCESS)
    return failed("vkCreateShaderModule", r);
  return module;
}

Result<VkPipeline> Samples::create_read_pipeline() {
  const Dispatch& vk = *access_.dispatch;
  const bool depth = kind_.aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
  const auto module = create_module(depth ? std::span<const std::uint32_t>(samples_read_depth_spv) : samples_read_spv);
  if (!module) return tl::unexpected<Error>(module.error());
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = *module;
  info.stage.pName = "main";
  info.layout = layout_;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult r = vk.vkCreateComputePipelines(access_.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
  vk.vkDestroyShaderModule(access_.device, *module, nullptr);
  if (r != VK_SUCCESS) return failed("vkCreateComputePipelines", r);
  return made;
}

Result<VkPipeline> Samples::create_write_pipeline(std::uint32_t sample) {
  const Dispatch& vk = *access_.dispatch;
  const bool color = kind_.aspect == VK_IMAGE_ASPECT_COLOR_BIT, depth = kind_.aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
  std::span<const std::uint32_t> code = samples_write_stencil_spv;
  if (color) code = samples_write_spv;
  if (depth) code = samples_write_depth_spv;
  const auto vertex = create_module(samples_all_spv);
  if (!vertex) return tl::unexpected<Error>(vertex.error());
  const auto fragment = create_module(code);
  if (!fragment) {
    vk.vkDestroyShaderModule(access_.device, *vertex, nullptr);
    return tl::unexpected<Error>(fragment.error());
  }
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
  for (VkPipelineShaderStageCreateInfo& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = *vertex;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = *fragment;
  VkPipelineVertexInputStateCreateInfo input{};
  input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{};
  viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewport.viewportCount = viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{};
  multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  multisample.rasterizationSamples = kind_.samples;
  std::array<VkSampleMask, 2> mask{};
  mask[sample / 32 % 2] = VkSampleMask{1} << (sample % 32);
  multisample.pSampleMask = mask.data();
  VkPipelineDepthStencilStateCreateInfo tests{};
  tests.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  tests.depthTestEnable = tests.depthWriteEnable = depth ? VK_TRUE : VK_FALSE;
  tests.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  tests.stencilTestEnable = !color && !depth ? VK_TRUE : VK_FALSE;
  tests.front = {
      VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0};
  tests.back = tests.front;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask = 0xf;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = color ? 1 : 0;
  blend.pAttachments = color ? &attachment : nullptr;
  constexpr std::array<VkDynamicState, 4> states{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                                 VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
                                                 VK_DYNAMIC_STATE_STENCIL_REFERENCE};
  VkPipelineDynamicStateCreateInfo dynamic{};
  dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic.dynamicStateCount = tests.stencilTestEnable != VK_FALSE ? 4 : 2;
  dynamic.pDynamicStates = states.data();
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = &tests;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout_;
  info.renderPass = pass_;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult r = vk.vkCreateGraphicsPipelines(access_.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
  vk.vkDestroyShaderModule(access_.device, *vertex, nullptr);
  vk.vkDestroyShaderModule(access_.device, *fragment, nullptr);
  if (r != VK_SUCCESS) return failed("vkCreateGraphicsPipelines", r);
  return made;
}

Result<void> Samples::create_view(const ImageSource& image, VkImageAspectFlags aspects) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = kind_.format;
  info.subresourceRange = {aspects, image.mip, 1, image.layer, 1};
  if (VkResult r = access_.dispatch->vkCreateImageView(access_.device, &info, nullptr, &view_); r != VK_SUCCESS)
    return failed("vkCreateImageView", r);
  return {};
}

Result<void> Samples::create_framebuffer(const ImageSource& image) {
  VkFramebufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  info.renderPass = pass_;
  info.attachmentCount = 1;
  info.pAttachments = &view_;
  info.width = image.extent.width;
  info.height = image.extent.height;
  info.layers = 1;
  if (VkResult r = access_.dispatch->vkCreateFramebuffer(access_.device, &info, nullptr, &framebuffer_);
      r != VK_SUCCESS)
    return failed("vkCreateFramebuffer", r);
  return {};
}

// The view is read, or drawn to by the framebuffer.
void Samples::describe_objects() {
  const VkDescriptorBufferInfo buffer{staging_.buffer(), 0, VK_WHOLE_SIZE};
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, view_, VK_IMAGE_LAYOUT_GENERAL};
  std::array<VkWriteDescriptorSet, 2> writes{};
  for (VkWriteDescriptorSet& write : writes) {
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_;
    write.descriptorCount = 1;
  }
  writes[0].dstBinding = 1;
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  writes[0].pBufferInfo = &buffer;
  writes[1].dstBinding = 0;
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  writes[1].pImageInfo = &image;
  access_.dispatch->vkUpdateDescriptorSets(access_.device, kind_.write ? 1 : 2, writes.data(), 0, nullptr);
}

}  // namespace rondo::gpu
