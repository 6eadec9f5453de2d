// SPDX-License-Identifier: Apache-2.0
#include "format/codec/rules.h"

#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "format/flags2.h"
#include "generated/args.h"

namespace rondo::codec {
namespace {

constexpr VkGraphicsPipelineLibraryFlagsEXT kAllParts = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                                                        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;

template <class T>
const T* chained(const void* next, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(next); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

template <class T>
const T& as(const std::byte* owner) {
  return *reinterpret_cast<const T*>(owner);
}

// An enumeration's number, whatever the program put there.
template <class E>
std::uint32_t number(const E& enumeration) {
  static_assert(sizeof(E) == sizeof(std::uint32_t));
  return load<std::uint32_t>(&enumeration);
}

std::uint64_t value_of(VkRenderPass handle) { return reinterpret_cast<std::uint64_t>(handle); }

// VkDebugReportObjectTypeEXT equals VkObjectType up to command pools.
std::uint32_t object_type_of_debug_report(std::uint32_t type) {
  if (type <= VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_POOL_EXT) return type;
  switch (type) {
    case VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT:
      return VK_OBJECT_TYPE_SURFACE_KHR;
    case VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT:
      return VK_OBJECT_TYPE_SWAPCHAIN_KHR;
    case VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT:
      return VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT;
    case VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT:
      return VK_OBJECT_TYPE_DISPLAY_KHR;
    case VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT:
      return VK_OBJECT_TYPE_DISPLAY_MODE_KHR;
    default:
      return type;  // the extensions' own: the same numbers
  }
}

// basePipelineHandle is read only in derivatives that name no index. All four
// kinds of pipeline have flags after pNext, and the index after the handle.
bool derives_from_handle(const Field& field, const std::byte* owner) {
  const struct {
    const void* pNext;
    VkPipelineCreateFlags flags;
  } info{as<VkBaseInStructure>(owner).pNext,
         load<VkPipelineCreateFlags>(owner + offsetof(VkGraphicsPipelineCreateInfo, flags))};
  const VkFlags64 flags = pipeline_flags(info);
  const auto index = load<std::int32_t>(owner + field.offset + sizeof(VkPipeline));
  return (flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT) != 0 && index == -1;
}

// A template is for sets of one layout, or for pushes to one pipeline layout.
bool template_reads(RuleId rule, const std::byte* owner) {
  const bool pushes = number(as<VkDescriptorUpdateTemplateCreateInfo>(owner).templateType) ==
                      VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  return pushes == (rule == RuleId::template_of_push);
}

bool pushes_descriptors(CommandId canonical) {
#ifdef VK_KHR_maintenance6
  if (canonical == CommandId::vkCmdPushDescriptorSet2) return true;
#endif
  return canonical == CommandId::vkCmdPushDescriptorSetKHR;
}

bool is_texel_buffer(std::uint32_t descriptor_type) {
  return descriptor_type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
         descriptor_type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

}  // namespace

HandleType untyped_handle_type(const Field& field, std::uint32_t selector) {
  return handle_by_object_type(field.rule == RuleId::debug_report_object ? object_type_of_debug_report(selector)
                                                                         : selector);
}

bool Rules::applies(const Field& field, const std::byte* owner) {
  switch (field.rule) {
    case RuleId::write_set:
      descriptor_type_ = number(as<VkWriteDescriptorSet>(owner).descriptorType);
      return !pushes_descriptors(info(command_).canonical);
    case RuleId::descriptor_info:
      descriptor_type_ = number(as<VkDescriptorGetInfoEXT>(owner).type);
      return true;
    case RuleId::write_images:
      return template_item(descriptor_type_) == TemplateItem::image;
    case RuleId::write_buffers:
      return template_item(descriptor_type_) == TemplateItem::buffer;
    case RuleId::write_texel_views:
      return is_texel_buffer(descriptor_type_);
    case RuleId::image_info_sampler:
      return descriptor_type_ == UINT32_MAX || descriptor_type_ == VK_DESCRIPTOR_TYPE_SAMPLER ||
             descriptor_type_ == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case RuleId::image_info_view:
      return descriptor_type_ != VK_DESCRIPTOR_TYPE_SAMPLER;
    case RuleId::template_of_set:
    case RuleId::template_of_push:
      return template_reads(field.rule, owner);
    case RuleId::immutable_samplers: {
      const auto& binding = as<VkDescriptorSetLayoutBinding>(owner);
      return binding.descriptorCount != 0 &&
             (number(binding.descriptorType) == VK_DESCRIPTOR_TYPE_SAMPLER ||
              number(binding.descriptorType) == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
    }
    case RuleId::queue_families:
      return load<std::uint32_t>(owner + field.selector) == VK_SHARING_MODE_CONCURRENT;
    case RuleId::framebuffer_attachments:
      return (as<VkFramebufferCreateInfo>(owner).flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0;
    case RuleId::inheritance_info: {
      const auto& begin = as<VkCommandBufferBeginInfo>(owner);
      continues_render_pass_ = (begin.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
      const bool inherits =
          command_ == CommandId::vkBeginCommandBuffer && context_.is_secondary(load<std::uint64_t>(args_));
      continues_rendering_ = inherits && continues_render_pass_ && begin.pInheritanceInfo != nullptr &&
                             begin.pInheritanceInfo->renderPass == VK_NULL_HANDLE;
      return inherits;
    }
    case RuleId::inheritance_render_pass:
      return continues_render_pass_;
    case RuleId::inheritance_formats:
      return continues_rendering_;
    case RuleId::resolve_view: {
      const auto& attachment = as<VkRenderingAttachmentInfo>(owner);
      return attachment.imageView != VK_NULL_HANDLE && number(attachment.resolveMode) != VK_RESOLVE_MODE_NONE;
    }
    case RuleId::update_source:
      return command_ != CommandId::vkGetAccelerationStructureBuildSizesKHR &&
             number(as<VkAccelerationStructureBuildGeometryInfoKHR>(owner).mode) ==
                 VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    case RuleId::build_target:
      return command_ != CommandId::vkGetAccelerationStructureBuildSizesKHR;
    case RuleId::base_pipeline:
      return derives_from_handle(field, owner);
    case RuleId::pipeline_chain:  // the first of a pipeline's ruled fields
      read_pipeline(as<VkGraphicsPipelineCreateInfo>(owner));
      return true;
    case RuleId::pipeline_stages:  // … of one that nobody asks for the chain of: it is in one itself
      if (pipeline_ != &as<VkGraphicsPipelineCreateInfo>(owner)) read_pipeline(as<VkGraphicsPipelineCreateInfo>(owner));
      return pipeline_applies(field.rule);
    case RuleId::pipeline_formats:
    case RuleId::pipeline_layout:
    case RuleId::pipeline_render_pass:
    case RuleId::pipeline_vertex_input:
    case RuleId::pipeline_input_assembly:
    case RuleId::pipeline_tessellation:
    case RuleId::pipeline_viewport:
    case RuleId::pipeline_rasterization:
    case RuleId::pipeline_multisample:
    case RuleId::pipeline_depth_stencil:
    case RuleId::pipeline_color_blend:
      return pipeline_applies(field.rule);
    case RuleId::dynamic_viewports:
      return !dynamic(VK_DYNAMIC_STATE_VIEWPORT) && !dynamic(VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT);
    case RuleId::dynamic_scissors:
      return !dynamic(VK_DYNAMIC_STATE_SCISSOR) && !dynamic(VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT);
    case RuleId::dynamic_sample_mask:
      return !dynamic(VK_DYNAMIC_STATE_SAMPLE_MASK_EXT);
    case RuleId::dynamic_palettes:
      return !dynamic(VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV);
    case RuleId::dynamic_discard_rectangles:
      return !dynamic(VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT);
    case RuleId::dynamic_w_scalings:
      return !dynamic(VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV) &&
             (as<VkPipelineViewportWScalingStateCreateInfoNV>(owner).viewportWScalingEnable != VK_FALSE ||
              dynamic(VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_ENABLE_NV));
    case RuleId::dynamic_coverage_table:
      return !dynamic(VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV) &&
             (as<VkPipelineCoverageModulationStateCreateInfoNV>(owner).coverageModulationTableEnable != VK_FALSE ||
              dynamic(VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_ENABLE_NV));
    case RuleId::rendering_samples:  // of a command buffer, or of a pipeline
      if (command_ == CommandId::vkBeginCommandBuffer) return continues_rendering_;
      return pipeline_ == nullptr || pipeline_->renderPass == VK_NULL_HANDLE;
    case RuleId::dynamic_blend_attachments:
      return !(dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT) && dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT) &&
               dynamic(VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT));
    default:  // template_data, host_texels, strided, build_ranges, counted: how, not whether
      return true;
  }
}

bool required_by_rule(const Field& field, CommandId command, const std::byte* owner, bool in_parts) {
  const auto written = [owner] { return number(as<VkWriteDescriptorSet>(owner).descriptorType); };
  switch (field.rule) {
    case RuleId::write_set:
      return !pushes_descriptors(command);
    case RuleId::write_images:
      return template_item(written()) == TemplateItem::image;
    case RuleId::write_buffers:
      return template_item(written()) == TemplateItem::buffer;
    case RuleId::write_texel_views:
      return is_texel_buffer(written());
    case RuleId::queue_families:
      return load<std::uint32_t>(owner + field.selector) == VK_SHARING_MODE_CONCURRENT;
    case RuleId::framebuffer_attachments:
      return (as<VkFramebufferCreateInfo>(owner).flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0;
    case RuleId::template_of_set:
    case RuleId::template_of_push:
      return template_reads(field.rule, owner);
    case RuleId::pipeline_stages:
      return !in_parts;
    default:
      return true;
  }
}

EncodeContext::TemplateLayout Rules::template_layout(const std::byte* owner) {
#ifdef VK_KHR_maintenance6
  if (info(command_).canonical == CommandId::vkCmdPushDescriptorSetWithTemplate2)
    return context_.template_layout(
        load<std::uint64_t>(owner + offsetof(VkPushDescriptorSetWithTemplateInfoKHR, descriptorUpdateTemplate)));
#endif
  // Both older commands hold their template as an argument of its own.
  const std::size_t at = info(command_).canonical == CommandId::vkUpdateDescriptorSetWithTemplate
                             ? offsetof(args_vkUpdateDescriptorSetWithTemplate, descriptorUpdateTemplate)
                             : offsetof(args_vkCmdPushDescriptorSetWithTemplateKHR, descriptorUpdateTemplate);
  return context_.template_layout(load<std::uint64_t>(owner + at));
}

std::optional<std::uint64_t> Rules::host_texels([[maybe_unused]] const std::byte* owner) const {
#ifdef VK_EXT_host_image_copy
  static_assert(offsetof(VkMemoryToImageCopyEXT, imageExtent) == offsetof(VkImageToMemoryCopyEXT, imageExtent));
  const auto& region = as<VkMemoryToImageCopyEXT>(owner);
  EncodeContext::HostRegion asked;
  asked.row_length = region.memoryRowLength;
  asked.image_height = region.memoryImageHeight;
  asked.layers = region.imageSubresource;
  asked.extent = region.imageExtent;
  const auto of = [&](VkImage image, VkHostImageCopyFlagsEXT flags) {
    asked.image = reinterpret_cast<std::uint64_t>(image);
    asked.as_it_lies = (flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0;
  };
  if (info(command_).canonical == CommandId::vkCopyImageToMemory) {
    const auto& copy = *static_cast<const args_vkCopyImageToMemory*>(args_)->pCopyImageToMemoryInfo;
    of(copy.srcImage, copy.flags);
  } else if (info(command_).canonical == CommandId::vkCopyMemoryToImage) {
    const auto& copy = *static_cast<const args_vkCopyMemoryToImage*>(args_)->pCopyMemoryToImageInfo;
    of(copy.dstImage, copy.flags);
  }
  return context_.host_texels(asked);  // of no image elsewhere, where none belongs
#else
  return std::nullopt;
#endif
}

std::size_t Rules::inner_count(std::size_t index) const {
  static_assert(offsetof(args_vkCmdBuildAccelerationStructuresKHR, pInfos) ==
                offsetof(args_vkCmdBuildAccelerationStructuresIndirectKHR, pInfos));
  const auto* infos = command_ == CommandId::vkBuildAccelerationStructuresKHR
                          ? static_cast<const args_vkBuildAccelerationStructuresKHR*>(args_)->pInfos
                          : static_cast<const args_vkCmdBuildAccelerationStructuresKHR*>(args_)->pInfos;
  return infos == nullptr ? 0 : infos[index].geometryCount;
}

void Rules::read_pipeline(const VkGraphicsPipelineCreateInfo& create) {
  pipeline_ = &create;
  const auto* library = chained<VkGraphicsPipelineLibraryCreateInfoEXT>(
      create.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  const auto* linked =
      chained<VkPipelineLibraryCreateInfoKHR>(create.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  links_ = linked != nullptr && linked->libraryCount != 0;
  parts_ = kAllParts;
  if (library != nullptr)
    parts_ = library->flags;
  else if (links_)
    parts_ = 0;
  rendering_ = chained<VkPipelineRenderingCreateInfo>(create.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  mesh_ = false;
  VkShaderStageFlags stages = 0;
  if (pipeline_applies(RuleId::pipeline_stages) && create.pStages != nullptr)
    for (std::uint32_t i = 0; i < create.stageCount; ++i) stages |= number(create.pStages[i].stage);
  mesh_ = (stages & VK_SHADER_STAGE_MESH_BIT_EXT) != 0;
  constexpr VkShaderStageFlags tessellation =
      VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  tessellates_ = (stages & tessellation) == tessellation;
  discards_ = pipeline_applies(RuleId::pipeline_rasterization) && create.pRasterizationState != nullptr &&
              create.pRasterizationState->rasterizerDiscardEnable == VK_TRUE &&
              !dynamic(VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
}

bool Rules::pipeline_applies(RuleId rule) const {
  const bool vertex_input = (parts_ & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) != 0;
  const bool pre_raster = (parts_ & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0;
  const bool fragment = (parts_ & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) != 0;
  const bool output = (parts_ & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0;
  switch (rule) {
    case RuleId::pipeline_formats:
      return pipeline_ == nullptr || (output && pipeline_->renderPass == VK_NULL_HANDLE);
    case RuleId::pipeline_layout:
      return pre_raster || fragment || links_;
    case RuleId::pipeline_render_pass:
      return pre_raster || fragment || output || links_;
    case RuleId::pipeline_stages:
      return pre_raster || fragment;
    case RuleId::pipeline_vertex_input:
      return vertex_input && !mesh_ && !dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    case RuleId::pipeline_input_assembly:
      return vertex_input && !mesh_;
    case RuleId::pipeline_tessellation:
      return pre_raster && tessellates_;
    case RuleId::pipeline_viewport:
      return pre_raster && !discards_;
    case RuleId::pipeline_rasterization:
      return pre_raster;
    case RuleId::pipeline_multisample:
      return (fragment || output) && !discards_;
    case RuleId::pipeline_depth_stencil:
      return fragment && !discards_ && uses_depth_stencil();
    case RuleId::pipeline_color_blend:
      return output && !discards_ && uses_color();
    default:
      return true;
  }
}

bool Rules::dynamic(VkDynamicState state) const {
  if (pipeline_ == nullptr || pipeline_->pDynamicState == nullptr) return false;
  const auto& states = *pipeline_->pDynamicState;
  if (states.pDynamicStates == nullptr) return false;
  for (std::uint32_t i = 0; i < states.dynamicStateCount; ++i)
    if (number(states.pDynamicStates[i]) == static_cast<std::uint32_t>(state)) return true;
  return false;
}

bool Rules::uses_depth_stencil() const {
  if (pipeline_->renderPass != VK_NULL_HANDLE) {
    const auto use = context_.subpass_use(value_of(pipeline_->renderPass), pipeline_->subpass);
    return !use.known || use.depth_stencil;
  }
  // A library without the output's part does not know the formats.
  if ((parts_ & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) == 0) return true;
  return rendering_ != nullptr && (number(rendering_->depthAttachmentFormat) != VK_FORMAT_UNDEFINED ||
                                   number(rendering_->stencilAttachmentFormat) != VK_FORMAT_UNDEFINED);
}

bool Rules::uses_color() const {
  if (pipeline_->renderPass != VK_NULL_HANDLE) {
    const auto use = context_.subpass_use(value_of(pipeline_->renderPass), pipeline_->subpass);
    return !use.known || use.color;
  }
  return rendering_ != nullptr && rendering_->colorAttachmentCount != 0;
}

}  // namespace rondo::codec
