// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/sites.h"

#include <map>

#include "generated/args.h"
#include "model/shaders/names.h"

namespace rondo::shaders {

namespace {

template <class T>
const T* find(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

void take_stage(const VkPipelineShaderStageCreateInfo& info, std::uint32_t index,
                std::map<VkFlags, std::uint32_t>& seen, const std::function<void(const Site&)>& visit) {
  Site site{.kind = Site::Kind::stage, .index = index, .stage = info.stage, .constants = info.pSpecializationInfo};
  site.repeat = seen[info.stage]++;
  if (info.pName != nullptr) site.entry = info.pName;
  if (info.module != VK_NULL_HANDLE) {
    site.module = &info.module;
  } else if (const auto* own = find<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
             own != nullptr) {
    site.bytes = &own->codeSize;
    site.code = reinterpret_cast<const void* const*>(&own->pCode);
  } else {
    site.identifier = true;
  }
  visit(site);
}

template <class Args>
void take_pipelines(const void* args, const std::function<void(const Site&)>& visit) {
  const auto& a = *static_cast<const Args*>(args);
  for (std::uint32_t i = 0; a.pCreateInfos != nullptr && i < a.createInfoCount; ++i) {
    std::map<VkFlags, std::uint32_t> seen;
    for (std::uint32_t s = 0; a.pCreateInfos[i].pStages != nullptr && s < a.pCreateInfos[i].stageCount; ++s)
      take_stage(a.pCreateInfos[i].pStages[s], i, seen, visit);
  }
}

}  // namespace

std::string Site::suffix() const {
  return "." + stage_name(stage) + (repeat != 0 ? "[" + std::to_string(repeat) + "]" : "");
}

bool makes_shaders(CommandId canonical) {
  switch (canonical) {
    case CommandId::vkCreateShaderModule:
    case CommandId::vkCreateGraphicsPipelines:
    case CommandId::vkCreateComputePipelines:
    case CommandId::vkCreateRayTracingPipelinesKHR:
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
#endif
      return true;
    default:
      return false;
  }
}

void for_each_site(CommandId canonical, const void* args, const std::function<void(const Site&)>& visit) {
  switch (canonical) {
    case CommandId::vkCreateShaderModule: {
      const VkShaderModuleCreateInfo* info = static_cast<const args_vkCreateShaderModule*>(args)->pCreateInfo;
      if (info == nullptr) return;
      visit({.kind = Site::Kind::module,
             .bytes = &info->codeSize,
             .code = reinterpret_cast<const void* const*>(&info->pCode)});
      return;
    }
    case CommandId::vkCreateGraphicsPipelines:
      return take_pipelines<args_vkCreateGraphicsPipelines>(args, visit);
    case CommandId::vkCreateRayTracingPipelinesKHR:
      return take_pipelines<args_vkCreateRayTracingPipelinesKHR>(args, visit);
    case CommandId::vkCreateComputePipelines: {
      const auto& a = *static_cast<const args_vkCreateComputePipelines*>(args);
      for (std::uint32_t i = 0; a.pCreateInfos != nullptr && i < a.createInfoCount; ++i) {
        std::map<VkFlags, std::uint32_t> seen;
        take_stage(a.pCreateInfos[i].stage, i, seen, visit);
      }
      return;
    }
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT: {
      const auto& a = *static_cast<const args_vkCreateShadersEXT*>(args);
      for (std::uint32_t i = 0; a.pCreateInfos != nullptr && i < a.createInfoCount; ++i) {
        const VkShaderCreateInfoEXT& info = a.pCreateInfos[i];
        Site site{.kind = Site::Kind::object,
                  .index = i,
                  .stage = info.stage,
                  .constants = info.pSpecializationInfo,
                  .bytes = &info.codeSize,
                  .code = &info.pCode,
                  .binary = info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT};
        if (info.pName != nullptr) site.entry = info.pName;
        visit(site);
      }
      return;
    }
#endif
    default:
      return;
  }
}

}  // namespace rondo::shaders
