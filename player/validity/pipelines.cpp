// SPDX-License-Identifier: Apache-2.0
// The states that a graphics pipeline cannot be without. What the specification
// says to ignore is null in a capture (scripts/irregular.py).
#include <algorithm>
#include <bit>

#include "format/codec/shapes.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

struct Graphics {
  Validity& v;
  const Call& c;
  const VkGraphicsPipelineCreateInfo& info;

  bool dynamic(VkDynamicState state) const {
    const auto* all = info.pDynamicState;
    return all != nullptr && std::find(all->pDynamicStates, all->pDynamicStates + all->dynamicStateCount,
                                       state) != all->pDynamicStates + all->dynamicStateCount;
  }
  VkShaderStageFlags stages() const {
    VkShaderStageFlags all = 0;
    for (std::uint32_t i = 0; info.pStages != nullptr && i < info.stageCount; ++i)
      all |= info.pStages[i].stage;
    return all;
  }
  // Only a part, or put together from parts.
  bool in_parts() const {
    const auto* libraries = find_chained<VkPipelineLibraryCreateInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    return (pipeline_flags(info) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0 ||
           (libraries != nullptr && libraries->libraryCount != 0);
  }

  // Which parts a pipeline has of its own.
  VkGraphicsPipelineLibraryFlagsEXT own_parts() const {
    const auto* parts = find_chained<VkGraphicsPipelineLibraryCreateInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    if (parts != nullptr) return parts->flags;
    const auto* libraries = find_chained<VkPipelineLibraryCreateInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
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
    const auto* rendering = find_chained<VkPipelineRenderingCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
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
    if (in_parts()) return check_parts();
    const VkShaderStageFlags used = stages();
    constexpr VkShaderStageFlags kTessellation =
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    if ((used & kTessellation) != 0 && (used & kTessellation) != kTessellation)
      return "has one tessellation stage without the other";
    if (info.layout == VK_NULL_HANDLE) return "layout is null";
    const bool mesh = (used & VK_SHADER_STAGE_MESH_BIT_EXT) != 0;
    if (!mesh && (used & VK_SHADER_STAGE_VERTEX_BIT) == 0) return "has no vertex shader";
    if (!mesh && info.pVertexInputState == nullptr && !dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
      return "pVertexInputState is null";
    if (!mesh && info.pInputAssemblyState == nullptr) return "pInputAssemblyState is null";
    if ((used & VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT) != 0 && info.pTessellationState == nullptr)
      return "pTessellationState is null";
    // As many as drivers have room for, wherever Vulkan is.
    if ((used & kTessellation) != 0 && !dynamic(VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT) &&
        (info.pTessellationState->patchControlPoints == 0 ||
         info.pTessellationState->patchControlPoints > 32))
      return "patchControlPoints is " + std::to_string(info.pTessellationState->patchControlPoints);
    if (info.pRasterizationState == nullptr) return "pRasterizationState is null";
    if (Wrong w = check_vertex_input(); !w.empty()) return w;
    const RenderPass* pass = v.passes.find(c.id(&info.renderPass));
    if (pass != nullptr && info.subpass >= pass->subpasses.size())
      return "subpass is " + std::to_string(info.subpass) + " of " + std::to_string(pass->subpasses.size());
    if (info.pRasterizationState->rasterizerDiscardEnable != VK_FALSE &&
        !dynamic(VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE))
      return {};
    if (info.pViewportState == nullptr) return "pViewportState is null";
    if (info.pMultisampleState == nullptr) return "pMultisampleState is null";
    if (Wrong w = check_viewports(*info.pViewportState); !w.empty()) return w;
    return check_outputs(pass);
  }

  // What the parts are put together from, each where one of them has it.
  Wrong check_parts() const {
    const auto* parts = find_chained<VkGraphicsPipelineLibraryCreateInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    if (parts == nullptr) return {};
    const bool pre_raster =
        (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0;
    const bool fragment = (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) != 0;
    const bool output = (parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0;
    const VkShaderStageFlags used = pre_raster || fragment ? stages() : 0;
    if ((parts->flags & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) != 0 &&
        (used & VK_SHADER_STAGE_MESH_BIT_EXT) == 0) {
      if (info.pVertexInputState == nullptr && !dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
        return "pVertexInputState is null";
      if (info.pInputAssemblyState == nullptr) return "pInputAssemblyState is null";
      if (Wrong w = check_vertex_input(); !w.empty()) return w;
    }
    const auto* raster = info.pRasterizationState;
    if (pre_raster && raster == nullptr) return "pRasterizationState is null";
    if (pre_raster && (used & VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT) != 0 &&
        info.pTessellationState == nullptr)
      return "pTessellationState is null";
    if (pre_raster && raster->rasterizerDiscardEnable != VK_FALSE &&
        !dynamic(VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE))
      return {};
    if (pre_raster && info.pViewportState == nullptr) return "pViewportState is null";
    if ((fragment || output) && info.pMultisampleState == nullptr) return "pMultisampleState is null";
    return pre_raster ? check_viewports(*info.pViewportState) : Wrong();
  }

  Wrong check_vertex_input() const {
    const auto* input = info.pVertexInputState;
    if (input == nullptr || dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)) return {};
    for (std::uint32_t i = 0; i < input->vertexBindingDescriptionCount; ++i)
      for (std::uint32_t k = 0; k < i; ++k)
        if (input->pVertexBindingDescriptions[k].binding == input->pVertexBindingDescriptions[i].binding)
          return "has vertex binding " + std::to_string(input->pVertexBindingDescriptions[i].binding) +
                 " twice";
    for (std::uint32_t i = 0; i < input->vertexAttributeDescriptionCount; ++i) {
      const std::uint32_t binding = input->pVertexAttributeDescriptions[i].binding;
      const auto* end = input->pVertexBindingDescriptions + input->vertexBindingDescriptionCount;
      if (std::none_of(input->pVertexBindingDescriptions, end,
                       [&](const VkVertexInputBindingDescription& b) { return b.binding == binding; }))
        return "a vertex attribute is of binding " + std::to_string(binding) + ", which is not there";
    }
    return {};
  }

  Wrong check_viewports(const VkPipelineViewportStateCreateInfo& state) const {
    const bool counted = dynamic(VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT);
    // Drivers keep arrays of maxViewports, which is 16 at most wherever Vulkan is.
    constexpr std::uint32_t kMost = 16;
    if (state.viewportCount > kMost || state.scissorCount > kMost)
      return "has more than " + std::to_string(kMost) + " viewports or scissors";
    if (!counted && !dynamic(VK_DYNAMIC_STATE_VIEWPORT) && state.viewportCount != 0 &&
        state.pViewports == nullptr)
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
      colors = rendering->colorAttachmentCount;
      depth = rendering->depthAttachmentFormat != VK_FORMAT_UNDEFINED ||
              rendering->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
    }
    if (depth && info.pDepthStencilState == nullptr) return "pDepthStencilState is null";
    if (pass != nullptr && info.pColorBlendState != nullptr) {
      const std::uint32_t has = pass->subpasses[info.subpass].colors;
      if (has != 0 && info.pColorBlendState->attachmentCount > has)  // of those behind nothing is read
        v.change(c, info.pColorBlendState->attachmentCount, has);
      else if (info.pColorBlendState->attachmentCount < has)
        return "blends " + std::to_string(info.pColorBlendState->attachmentCount) + " attachments of " +
               std::to_string(has);
    }
    if (colors == 0) return {};
    const auto* blend = info.pColorBlendState;
    if (blend == nullptr) return "pColorBlendState is null";
    if (dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT)) return {};
    if (blend->attachmentCount < colors)
      return "blends " + std::to_string(blend->attachmentCount) + " attachments of " + std::to_string(colors);
    return blend->pAttachments == nullptr ? "pAttachments is null" : Wrong();
  }
};

bool has_code(const VkPipelineShaderStageCreateInfo& stage) {
  return stage.module != VK_NULL_HANDLE ||
         find_chained<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) !=
             nullptr ||
         find_chained<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
             stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT) !=
             nullptr;
}

Wrong check_stage(const VkPipelineShaderStageCreateInfo& stage) {
  if (!std::has_single_bit(static_cast<std::uint32_t>(stage.stage)))
    return "a stage is not one of the stages";
  if (!has_code(stage)) return "a stage has no shader module";
  const auto* code =
      find_chained<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (code != nullptr && stage.module == VK_NULL_HANDLE)
    if (Wrong w = check_code(code->pCode, code->codeSize); !w.empty()) return w;
  return check_constants(stage.pSpecializationInfo);
}

}  // namespace

Wrong check_constants(const VkSpecializationInfo* constants) {
  for (std::uint32_t i = 0; constants != nullptr && i < constants->mapEntryCount; ++i)
    if (constants->pMapEntries[i].offset >= constants->dataSize ||
        !within(constants->pMapEntries[i].offset, constants->pMapEntries[i].size, constants->dataSize))
      return "a specialization constant is outside its data";
  return {};
}

// What a compiler reads first. No further: it has to bear what there is.
Wrong check_code(const void* code, std::size_t bytes) {
  constexpr std::uint32_t magic = 0x07230203;
  constexpr std::size_t header = 20;
  if (bytes < header || bytes % 4 != 0 || code == nullptr ||
      codec::load<std::uint32_t>(static_cast<const std::byte*>(code)) != magic)
    return "pCode is not SPIR-V";
  return {};
}

namespace {

Wrong create_module(Validity& v, const Call& c) {
  const VkShaderModuleCreateInfo& info = *c.as<args_vkCreateShaderModule>().pCreateInfo;
  if (Wrong w = check_code(info.pCode, info.codeSize); !w.empty()) return w;
  if (const ObjectId id = c.created(); id != 0) v.modules.make(id) = uses_of(info.pCode, info.codeSize / 4);
  return {};
}

void add_uses(Validity& v, const Call& c, const VkPipelineShaderStageCreateInfo& stage, ShaderUses& uses) {
  if (const ShaderUses* module = v.modules.find(c.id(&stage.module)); module != nullptr) {
    uses.insert(module->begin(), module->end());
  } else if (const auto* code = find_chained<VkShaderModuleCreateInfo>(
                 stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
             code != nullptr) {
    const ShaderUses own = uses_of(code->pCode, code->codeSize / 4);
    uses.insert(own.begin(), own.end());
  }
}

// A driver that looks for a base finds one, or it is not told to look.
template <class Info>
void check_base(Validity& v, const Call& c, const Info& info, std::uint32_t self,
                const std::vector<VkFlags64>& before) {
  if ((pipeline_flags(info) & VK_PIPELINE_CREATE_DERIVATIVE_BIT) == 0) return;
  constexpr VkPipelineCreateFlags kAllows = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  const Pipeline* base = v.pipelines.find(c.id(&info.basePipelineHandle));
  const std::int64_t index = info.basePipelineIndex;
  const bool good = index == -1 ? base != nullptr && base->allows_derivatives
                                : info.basePipelineHandle == VK_NULL_HANDLE && index >= 0 && index < self &&
                                      (before[static_cast<std::size_t>(index)] & kAllows) != 0;
  if (good) return;
  constexpr VkPipelineCreateFlags kDerives = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  if (const auto* wide = flags2_in<PipelineFlags2>(info.pNext, kPipelineFlags2); wide != nullptr)
    v.change(c, wide->flags, wide->flags & ~VkFlags64{kDerives});
  else
    v.change(c, info.flags, info.flags & ~kDerives);
}

Wrong create_graphics(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCreateGraphicsPipelines>();
  std::vector<VkFlags64> flags;
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkGraphicsPipelineCreateInfo& info = a.pCreateInfos[i];
    for (std::uint32_t s = 0; info.pStages != nullptr && s < info.stageCount; ++s)
      if (Wrong w = check_stage(info.pStages[s]); !w.empty()) return w;
    const auto* libraries = find_chained<VkPipelineLibraryCreateInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    for (std::uint32_t p = 0; libraries != nullptr && p < libraries->libraryCount; ++p)
      if (const Pipeline* part = v.pipelines.find(c.id(&libraries->pLibraries[p]));
          part == nullptr || !part->library)
        return "library " + std::to_string(p) + " is none";
    if (Wrong w = check_rendering_places(info.pNext); !w.empty()) return w;
    if (Wrong w = Graphics{v, c, info}.check(); !w.empty()) return "pipeline " + std::to_string(i) + ": " + w;
    check_base(v, c, info, i, flags);
    flags.push_back(pipeline_flags(info));
    if (const ObjectId id = c.created(i); id != 0) {
      ShaderUses uses;
      for (std::uint32_t s = 0; info.pStages != nullptr && s < info.stageCount; ++s)
        add_uses(v, c, info.pStages[s], uses);
      const auto* parts = find_chained<VkPipelineLibraryCreateInfoKHR>(
          info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
      for (std::uint32_t p = 0; parts != nullptr && p < parts->libraryCount; ++p)
        if (const Pipeline* part = v.pipelines.find(c.id(&parts->pLibraries[p])); part != nullptr)
          uses.insert(part->uses.begin(), part->uses.end());
      Pipeline& made = v.pipelines.make(id);
      made.point = VK_PIPELINE_BIND_POINT_GRAPHICS;
      made.library = (pipeline_flags(info) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
      made.allows_derivatives = (pipeline_flags(info) & VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT) != 0;
      made.uses = std::move(uses);
    }
  }
  return {};
}

Wrong create_compute(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCreateComputePipelines>();
  std::vector<VkFlags64> flags;
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    if (Wrong w = check_stage(a.pCreateInfos[i].stage); !w.empty()) return w;
    if (a.pCreateInfos[i].stage.stage != VK_SHADER_STAGE_COMPUTE_BIT)
      return "its stage is not the compute stage";
    const VkComputePipelineCreateInfo& info = a.pCreateInfos[i];
    check_base(v, c, info, i, flags);
    flags.push_back(pipeline_flags(info));
    if (const ObjectId id = c.created(i); id != 0) {
      Pipeline& made = v.pipelines.make(id);
      made.point = VK_PIPELINE_BIND_POINT_COMPUTE;
      made.allows_derivatives = (pipeline_flags(info) & VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT) != 0;
      made.any_base = (pipeline_flags(info) & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT) != 0;
      add_uses(v, c, info.stage, made.uses);
    }
  }
  return {};
}

Wrong create_ray_tracing(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCreateRayTracingPipelinesKHR>();
  std::vector<VkFlags64> flags;
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkRayTracingPipelineCreateInfoKHR& info = a.pCreateInfos[i];
    std::uint32_t stages = info.stageCount, groups = info.groupCount;
    for (std::uint32_t s = 0; s < info.stageCount; ++s)
      if (Wrong w = check_stage(info.pStages[s]); !w.empty()) return w;
    for (std::uint32_t p = 0; info.pLibraryInfo != nullptr && p < info.pLibraryInfo->libraryCount; ++p) {
      const Pipeline* part = v.pipelines.find(c.id(&info.pLibraryInfo->pLibraries[p]));
      if (part == nullptr || !part->library || part->point != VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
        return "library " + std::to_string(p) + " is none";
      groups += part->groups;
    }
    if (Wrong w = check_shader_groups(info, stages); !w.empty()) return w;
    check_base(v, c, info, i, flags);
    flags.push_back(pipeline_flags(info));
    if (const ObjectId id = c.created(i); id != 0) {
      ShaderUses uses;
      for (std::uint32_t s = 0; s < info.stageCount; ++s) add_uses(v, c, info.pStages[s], uses);
      for (std::uint32_t p = 0; info.pLibraryInfo != nullptr && p < info.pLibraryInfo->libraryCount; ++p)
        if (const Pipeline* part = v.pipelines.find(c.id(&info.pLibraryInfo->pLibraries[p])); part != nullptr)
          uses.insert(part->uses.begin(), part->uses.end());
      Pipeline& made = v.pipelines.make(id);
      made.point = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
      made.library = (pipeline_flags(info) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
      made.allows_derivatives = (pipeline_flags(info) & VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT) != 0;
      made.groups = groups;
      made.uses = std::move(uses);
    }
  }
  return {};
}

Wrong bind_pipeline(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindPipeline>();
  const ObjectId id = c.id(&a.pipeline);
  const Pipeline* pipeline = v.pipelines.find(id);
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (pipeline != nullptr && pipeline->point != a.pipelineBindPoint)
    return v.name(id) + " is bound as another kind of pipeline than it is";
  if (pipeline != nullptr && pipeline->library) return v.name(id) + " is only a part of a pipeline";
  if (commands == nullptr) return {};
  const bool graphics = a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS;
  if (commands->can != 0 && (commands->can & (graphics ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT)) == 0)
    return "the queues of family " + std::to_string(commands->family) + " have no such pipelines";
  unbind_shaders(*commands, a.pipelineBindPoint);
  if (graphics) commands->bound_graphics = id;
  if (a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE) commands->bound_compute = id;
  if (a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR) commands->bound_rays = id;
  commands->graphics = commands->graphics || a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS;
  commands->compute = commands->compute || a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE;
  return {};
}

Wrong merge_caches(Validity&, const Call& c) {
  const auto& a = c.as<args_vkMergePipelineCaches>();
  for (std::uint32_t i = 0; i < a.srcCacheCount; ++i)
    if (c.id(&a.pSrcCaches[i]) == 0) return "cache " + std::to_string(i) + " is null";
  return {};
}

Wrong create_sampler(Validity&, const Call& c) {
  const VkSamplerCreateInfo& info = *c.as<args_vkCreateSampler>().pCreateInfo;
  if (info.unnormalizedCoordinates != VK_FALSE &&
      (info.anisotropyEnable != VK_FALSE || info.compareEnable != VK_FALSE || info.minLod != 0 ||
       info.maxLod != 0 || info.minFilter != info.magFilter ||
       info.mipmapMode != VK_SAMPLER_MIPMAP_MODE_NEAREST))
    return "unnormalizedCoordinates with anisotropy, comparison, mips or two filters";
  return {};
}

}  // namespace

void add_pipeline_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateGraphicsPipelines)] = create_graphics;
  table[static_cast<std::size_t>(CommandId::vkCreateComputePipelines)] = create_compute;
  table[static_cast<std::size_t>(CommandId::vkCreateRayTracingPipelinesKHR)] = create_ray_tracing;
  table[static_cast<std::size_t>(CommandId::vkCreateShaderModule)] = create_module;
  table[static_cast<std::size_t>(CommandId::vkCmdBindPipeline)] = bind_pipeline;
  table[static_cast<std::size_t>(CommandId::vkCreateSampler)] = create_sampler;
  table[static_cast<std::size_t>(CommandId::vkMergePipelineCaches)] = merge_caches;
}

}  // namespace rondo::player::validity
