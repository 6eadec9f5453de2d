// SPDX-License-Identifier: Apache-2.0
// Pipelines, the shader modules and parts that they are made of, and where they are bound.
// The states of graphics pipelines: graphics_pipelines.cpp.
#include <algorithm>
#include <bit>

#include "format/codec/shapes.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

bool has_code(const VkPipelineShaderStageCreateInfo& stage) {
  return stage.module != VK_NULL_HANDLE ||
         find_chained<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) != nullptr ||
         find_chained<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
             stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT) != nullptr;
}

Wrong check_stage(const VkPipelineShaderStageCreateInfo& stage) {
  if (!std::has_single_bit(static_cast<std::uint32_t>(stage.stage))) return "a stage is not one of the stages";
  if (!has_code(stage)) return "a stage has no shader module";
  const auto* code = find_chained<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
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
  if (const ObjectId id = c.created(); id != ObjectId::null)
    v.modules.make(id) = uses_of(info.pCode, info.codeSize / 4);
  return {};
}

void add_uses(Validity& v, const Call& c, const VkPipelineShaderStageCreateInfo& stage, ShaderUses& uses) {
  if (const ShaderUses* module = v.modules.find(c.id(&stage.module)); module != nullptr) {
    uses.insert(module->begin(), module->end());
  } else if (const auto* code =
                 find_chained<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
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
    const auto* libraries =
        find_chained<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    for (std::uint32_t p = 0; libraries != nullptr && p < libraries->libraryCount; ++p)
      if (const Pipeline* part = v.pipelines.find(c.id(&libraries->pLibraries[p])); part == nullptr || !part->library)
        return "library " + std::to_string(p) + " is none";
    if (Wrong w = check_rendering_places(info.pNext); !w.empty()) return w;
    if (Wrong w = check_graphics_pipeline(v, c, info); !w.empty()) return "pipeline " + std::to_string(i) + ": " + w;
    check_base(v, c, info, i, flags);
    flags.push_back(pipeline_flags(info));
    if (const ObjectId id = c.created(i); id != ObjectId::null) {
      ShaderUses uses;
      for (std::uint32_t s = 0; info.pStages != nullptr && s < info.stageCount; ++s)
        add_uses(v, c, info.pStages[s], uses);
      const auto* parts =
          find_chained<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
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
    if (a.pCreateInfos[i].stage.stage != VK_SHADER_STAGE_COMPUTE_BIT) return "its stage is not the compute stage";
    const VkComputePipelineCreateInfo& info = a.pCreateInfos[i];
    check_base(v, c, info, i, flags);
    flags.push_back(pipeline_flags(info));
    if (const ObjectId id = c.created(i); id != ObjectId::null) {
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
    if (const ObjectId id = c.created(i); id != ObjectId::null) {
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
    if (c.id(&a.pSrcCaches[i]) == ObjectId::null) return "cache " + std::to_string(i) + " is null";
  return {};
}

Wrong create_sampler(Validity&, const Call& c) {
  const VkSamplerCreateInfo& info = *c.as<args_vkCreateSampler>().pCreateInfo;
  if (info.unnormalizedCoordinates != VK_FALSE &&
      (info.anisotropyEnable != VK_FALSE || info.compareEnable != VK_FALSE || info.minLod != 0 || info.maxLod != 0 ||
       info.minFilter != info.magFilter || info.mipmapMode != VK_SAMPLER_MIPMAP_MODE_NEAREST))
    return "unnormalizedCoordinates with anisotropy, comparison, mips or two filters";
  const bool has_own_color =
      info.borderColor == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || info.borderColor == VK_BORDER_COLOR_INT_CUSTOM_EXT;
  if (has_own_color && find_chained<VkSamplerCustomBorderColorCreateInfoEXT>(
                           info.pNext, VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT) == nullptr)
    return "borderColor is a color of its own, and nothing says which";
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
