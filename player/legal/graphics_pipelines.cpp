// SPDX-License-Identifier: Apache-2.0
// The states that a graphics pipeline cannot be without. What the specification
// says to ignore is null in a capture (scripts/irregular.py).
#include <algorithm>

#include "format/codec/shapes.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

constexpr VkShaderStageFlags kTessellation =
    VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;

struct Graphics {
  Validity& v;
  const Call& c;
  const VkGraphicsPipelineCreateInfo& info;

  bool dynamic(VkDynamicState state) const {
    const auto* all = info.pDynamicState;
    return all != nullptr && std::find(all->pDynamicStates, all->pDynamicStates + all->dynamicStateCount, state) !=
                                 all->pDynamicStates + all->dynamicStateCount;
  }
  // VK_EXT_extended_dynamic_state3: a state is not needed where all that it says is dynamic.
  bool all_dynamic(std::initializer_list<VkDynamicState> states) const {
    return v.allows(c.dispatch(), Relaxation::extended_dynamic_state3) &&
           std::all_of(states.begin(), states.end(), [this](VkDynamicState state) { return dynamic(state); });
  }
  // With other topologies than of one class only where the device has dynamicPrimitiveTopologyUnrestricted.
  bool needs_input_assembly() const {
    return !all_dynamic({VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE});
  }
  bool needs_tessellation() const { return !all_dynamic({VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT}); }
  bool needs_rasterization() const {
    return !all_dynamic({VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
                         VK_DYNAMIC_STATE_POLYGON_MODE_EXT, VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE,
                         VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, VK_DYNAMIC_STATE_DEPTH_BIAS, VK_DYNAMIC_STATE_LINE_WIDTH});
  }
  bool needs_viewports() const {
    return !all_dynamic({VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT});
  }
  bool needs_multisampling() const {
    if (v.enabled(c.dispatch(), &VkPhysicalDeviceFeatures::alphaToOne) &&
        !dynamic(VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT))
      return true;
    return !all_dynamic({VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
                         VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT});
  }
  bool needs_depth_stencil() const {
    return !all_dynamic({VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
                         VK_DYNAMIC_STATE_DEPTH_COMPARE_OP, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
                         VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_OP,
                         VK_DYNAMIC_STATE_DEPTH_BOUNDS});
  }
  bool needs_blending() const {
    return !all_dynamic({VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VK_DYNAMIC_STATE_LOGIC_OP_EXT,
                         VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                         VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, VK_DYNAMIC_STATE_BLEND_CONSTANTS});
  }
  bool needs_blended_attachments() const {
    return !all_dynamic({VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                         VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT});
  }
  // Nothing of what follows the rasterizer is used.
  bool discards() const {
    return info.pRasterizationState != nullptr && info.pRasterizationState->rasterizerDiscardEnable != VK_FALSE &&
           !dynamic(VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
  }
  VkShaderStageFlags stages() const {
    VkShaderStageFlags all = 0;
    for (std::uint32_t i = 0; info.pStages != nullptr && i < info.stageCount; ++i) all |= info.pStages[i].stage;
    return all;
  }
  // Only a part, or put together from parts.
  bool in_parts() const {
    const auto* libraries =
        find_chained<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    return (pipeline_flags(info) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0 ||
           (libraries != nullptr && libraries->libraryCount != 0);
  }

  // Which parts a pipeline has of its own.
  VkGraphicsPipelineLibraryFlagsEXT own_parts() const {
    const auto* parts = find_chained<VkGraphicsPipelineLibraryCreateInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    if (parts != nullptr) return parts->flags;
    const auto* libraries =
        find_chained<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    return libraries != nullptr && libraries->libraryCount != 0 ? 0 : ~VkFlags{0};
  }

  // Arrays that are ignored are null, in which case some drivers look at the count all the same.
  Wrong settle_stages() const {
    if (info.pStages != nullptr || info.stageCount == 0) return {};
    if ((own_parts() & (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)) != 0)
      return "pStages is null";
    v.change(c, info.stageCount, 0);
    return {};
  }
  Wrong settle_formats() const {
    const auto* rendering =
        find_chained<VkPipelineRenderingCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    if (rendering == nullptr) return {};
    const bool used = (own_parts() & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0 &&
                      info.renderPass == VK_NULL_HANDLE;
    if (rendering->colorAttachmentCount != 0 && rendering->pColorAttachmentFormats == nullptr) {
      if (used) return "pColorAttachmentFormats is null";
      v.change(c, rendering->colorAttachmentCount, 0);
    }
    for (const VkFormat* format : {&rendering->depthAttachmentFormat, &rendering->stencilAttachmentFormat}) {
      const auto value = codec::load<std::uint32_t>(reinterpret_cast<const std::byte*>(format));
      if (is_enumerant(EnumId::VkFormat, value)) continue;
      if (used) return "a format of depth or stencil is " + std::to_string(value) + ", which no VkFormat is";
      v.change(c, *format, VK_FORMAT_UNDEFINED);
    }
    return {};
  }

  Wrong check() const {
    if (Wrong w = settle_stages(); !w.empty()) return w;
    if (Wrong w = settle_formats(); !w.empty()) return w;
    VkShaderStageFlags seen = 0;
    for (std::uint32_t i = 0; info.pStages != nullptr && i < info.stageCount; ++i) {
      if ((seen & static_cast<VkShaderStageFlags>(info.pStages[i].stage)) != 0) return "has a stage twice";
      seen |= static_cast<VkShaderStageFlags>(info.pStages[i].stage);
    }
    return in_parts() ? check_parts() : check_whole();
  }

  // Of one that is not put together from parts.
  Wrong check_whole() const {
    const VkShaderStageFlags used = stages();
    if ((used & kTessellation) != 0 && (used & kTessellation) != kTessellation)
      return "has one tessellation stage without the other";
    if (info.layout == VK_NULL_HANDLE) return "layout is null";
    const bool mesh = (used & VK_SHADER_STAGE_MESH_BIT_EXT) != 0;
    if (!mesh && (used & VK_SHADER_STAGE_VERTEX_BIT) == 0) return "has no vertex shader";
    if (!mesh)
      if (Wrong w = check_inputs(); !w.empty()) return w;
    if (Wrong w = check_tessellation(used); !w.empty()) return w;
    if (info.pRasterizationState == nullptr && needs_rasterization()) return "pRasterizationState is null";
    const RenderPass* pass = v.passes.find(c.id(&info.renderPass));
    if (pass != nullptr && info.subpass >= pass->subpasses.size())
      return "subpass is " + std::to_string(info.subpass) + " of " + std::to_string(pass->subpasses.size());
    if (discards()) return {};
    if (info.pMultisampleState == nullptr && needs_multisampling()) return "pMultisampleState is null";
    if (Wrong w = check_viewports(); !w.empty()) return w;
    return check_outputs(pass);
  }

  // As many control points as drivers have room for, wherever Vulkan is.
  Wrong check_tessellation(VkShaderStageFlags used) const {
    if ((used & kTessellation) == 0) return {};
    if (info.pTessellationState == nullptr) return needs_tessellation() ? "pTessellationState is null" : "";
    const std::uint32_t points = info.pTessellationState->patchControlPoints;
    if (!dynamic(VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT) && (points == 0 || points > 32))
      return "patchControlPoints is " + std::to_string(points);
    return {};
  }

  Wrong check_inputs() const {
    if (info.pVertexInputState == nullptr && !dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
      return "pVertexInputState is null";
    if (info.pInputAssemblyState == nullptr && needs_input_assembly()) return "pInputAssemblyState is null";
    return check_vertex_input();
  }

  // What the parts are put together from, each where one of them has it.
  Wrong check_parts() const {
    const auto* parts = find_chained<VkGraphicsPipelineLibraryCreateInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    if (parts == nullptr) return {};
    const bool pre_raster = (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0;
    const bool fragment = (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) != 0;
    const bool output = (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0;
    const VkShaderStageFlags used = pre_raster || fragment ? stages() : 0;
    if ((parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) != 0 &&
        (used & VK_SHADER_STAGE_MESH_BIT_EXT) == 0)
      if (Wrong w = check_inputs(); !w.empty()) return w;
    if (pre_raster && info.pRasterizationState == nullptr && needs_rasterization())
      return "pRasterizationState is null";
    if (pre_raster)
      if (Wrong w = check_tessellation(used); !w.empty()) return w;
    if (pre_raster && discards()) return {};
    // The fragment shader's part has samples of its own only in a render pass, or where it shades samples.
    const bool has_samples = output || (fragment && info.renderPass != VK_NULL_HANDLE);
    if (has_samples && info.pMultisampleState == nullptr && needs_multisampling()) return "pMultisampleState is null";
    return pre_raster ? check_viewports() : Wrong();
  }

  Wrong check_vertex_input() const {
    const auto* input = info.pVertexInputState;
    if (input == nullptr || dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)) return {};
    for (std::uint32_t i = 0; i < input->vertexBindingDescriptionCount; ++i)
      for (std::uint32_t k = 0; k < i; ++k)
        if (input->pVertexBindingDescriptions[k].binding == input->pVertexBindingDescriptions[i].binding)
          return "has vertex binding " + std::to_string(input->pVertexBindingDescriptions[i].binding) + " twice";
    for (std::uint32_t i = 0; i < input->vertexAttributeDescriptionCount; ++i) {
      const std::uint32_t binding = input->pVertexAttributeDescriptions[i].binding;
      const auto* end = input->pVertexBindingDescriptions + input->vertexBindingDescriptionCount;
      if (std::none_of(input->pVertexBindingDescriptions, end,
                       [&](const VkVertexInputBindingDescription& b) { return b.binding == binding; }))
        return "a vertex attribute is of binding " + std::to_string(binding) + ", which is not there";
    }
    return {};
  }

  Wrong check_viewports() const {
    if (info.pViewportState == nullptr) return needs_viewports() ? "pViewportState is null" : "";
    const VkPipelineViewportStateCreateInfo& state = *info.pViewportState;
    const bool counted = dynamic(VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT);
    // Drivers keep arrays of maxViewports, which is 16 at most wherever Vulkan is.
    constexpr std::uint32_t kMost = 16;
    if (state.viewportCount > kMost || state.scissorCount > kMost)
      return "has more than " + std::to_string(kMost) + " viewports or scissors";
    if (!counted && !dynamic(VK_DYNAMIC_STATE_VIEWPORT) && state.viewportCount != 0 && state.pViewports == nullptr)
      return "pViewports is null";
    if (!dynamic(VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) && !dynamic(VK_DYNAMIC_STATE_SCISSOR) &&
        state.scissorCount != 0 && state.pScissors == nullptr)
      return "pScissors is null";
    if (!counted && state.viewportCount == 0) return "viewportCount is 0";
    if (!dynamic(VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) && state.scissorCount == 0) return "scissorCount is 0";
    return {};
  }

  Wrong check_outputs(const RenderPass* pass) const {
    std::uint32_t colors = 0;
    bool depth = false;
    if (pass != nullptr) {
      const RenderPass::Subpass& subpass = pass->subpasses[info.subpass];
      colors = subpass.draws_colors ? subpass.colors : 0;
      depth = pass->subpasses[info.subpass].depth;
    } else if (const auto* rendering = find_chained<VkPipelineRenderingCreateInfo>(
                   info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
               rendering != nullptr) {
      const VkFormat* formats = rendering->pColorAttachmentFormats;
      if (formats != nullptr && std::any_of(formats, formats + rendering->colorAttachmentCount,
                                            [](VkFormat format) { return format != VK_FORMAT_UNDEFINED; }))
        colors = rendering->colorAttachmentCount;
      depth = rendering->depthAttachmentFormat != VK_FORMAT_UNDEFINED ||
              rendering->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
    }
    if (depth && info.pDepthStencilState == nullptr && needs_depth_stencil()) return "pDepthStencilState is null";
    const auto* blend = info.pColorBlendState;
    if (blend == nullptr) return colors != 0 && needs_blending() ? "pColorBlendState is null" : "";
    if (!needs_blended_attachments()) return {};
    if (pass != nullptr) {
      const std::uint32_t has = pass->subpasses[info.subpass].colors;
      if (has != 0 && blend->attachmentCount > has)  // nothing is read of the others
        v.change(c, blend->attachmentCount, has);
      else if (blend->attachmentCount < has)
        return "blends " + std::to_string(blend->attachmentCount) + " attachments of " + std::to_string(has);
    }
    if (colors == 0) return {};
    if (blend->attachmentCount < colors)
      return "blends " + std::to_string(blend->attachmentCount) + " attachments of " + std::to_string(colors);
    return blend->pAttachments == nullptr ? "pAttachments is null" : Wrong();
  }
};

}  // namespace

Wrong check_graphics_pipeline(Validity& v, const Call& c, const VkGraphicsPipelineCreateInfo& info) {
  return Graphics{v, c, info}.check();
}

}  // namespace rondo::player::validity
