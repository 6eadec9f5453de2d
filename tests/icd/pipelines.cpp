// SPDX-License-Identifier: Apache-2.0
// Pipelines and their layouts.
#include <algorithm>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

void check_layout(Call&, const args_vkCreatePipelineLayout& a) {
  const VkPipelineLayoutCreateInfo& info = *a.pCreateInfo;
  if (info.setLayoutCount > 8) return violation("setLayoutCount is beyond maxBoundDescriptorSets");
  for (std::uint32_t i = 0; i < info.pushConstantRangeCount; ++i) {
    const VkPushConstantRange& r = info.pPushConstantRanges[i];
    if (r.offset > 256 || r.size > 256 - r.offset)
      return violation("a push constant range is beyond maxPushConstantsSize");
    // Drivers take what all ranges reach.
    if (r.size == 0 || r.size % 4 != 0 || r.offset % 4 != 0)
      return harmless("a push constant range is empty, or not aligned to 4");
    for (std::uint32_t k = 0; k < i; ++k)
      if ((info.pPushConstantRanges[k].stageFlags & r.stageFlags) != 0)
        return harmless("two push constant ranges are for the same stage");
  }
}

VkResult create_layout(Call& call, args_vkCreatePipelineLayout& a) {
  const VkPipelineLayoutCreateInfo& info = *a.pCreateInfo;
  auto layout = std::make_shared<PipelineLayout>();
  for (std::uint32_t i = 0; i < info.setLayoutCount; ++i)
    layout->sets.push_back(get<DescriptorSetLayout>(info.pSetLayouts[i]));
  if (info.pushConstantRangeCount != 0)
    layout->push_constants.assign(info.pPushConstantRanges, info.pPushConstantRanges + info.pushConstantRangeCount);
  *a.pPipelineLayout = as_handle<VkPipelineLayout>(publish(layout, call.device));
  return VK_SUCCESS;
}

bool check_stage(const VkPipelineShaderStageCreateInfo& stage) {
  const auto bits = static_cast<std::uint32_t>(stage.stage);
  if (bits == 0 || (bits & (bits - 1)) != 0)
    violation("a stage is not one bit");
  else if (stage.module == VK_NULL_HANDLE && chained<VkShaderModuleCreateInfo>(stage) == nullptr)
    violation("a stage has no shader");
  else if (const VkSpecializationInfo* constants = stage.pSpecializationInfo; constants != nullptr) {
    for (std::uint32_t i = 0; i < constants->mapEntryCount; ++i) {
      const VkSpecializationMapEntry& e = constants->pMapEntries[i];
      if (e.offset >= constants->dataSize || e.size > constants->dataSize - e.offset) {
        violation("a specialization constant lies outside the data");
        return false;
      }
    }
    return true;
  } else {
    return true;
  }
  return false;
}

bool base_is_wrong(VkPipelineCreateFlags flags, VkPipeline handle, std::int32_t index, std::uint32_t self) {
  if ((flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT) == 0) return false;
  if (index == -1) {
    const auto base = get<Pipeline>(handle);
    return base == nullptr || (base->flags & VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT) == 0;
  }
  return handle != VK_NULL_HANDLE || index < 0 || static_cast<std::uint32_t>(index) >= self;
}

void check_compute(Call&, const args_vkCreateComputePipelines& a) {
  if (a.createInfoCount == 0) return violation("createInfoCount is 0");
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkComputePipelineCreateInfo& info = a.pCreateInfos[i];
    if (!check_stage(info.stage)) return;
    if (info.stage.stage != VK_SHADER_STAGE_COMPUTE_BIT) return violation("the stage is not compute");
    if (base_is_wrong(info.flags, info.basePipelineHandle, info.basePipelineIndex, i))
      return violation("a derivative names no base that allows it");
  }
}

struct Parts {
  bool vertex = true, pre_raster = true, fragment = true, output = true;
  bool all() const { return vertex && pre_raster && fragment && output; }
};

Parts parts_of(const VkGraphicsPipelineCreateInfo& info) {
  const auto* library = chained<VkGraphicsPipelineLibraryCreateInfoEXT>(info);
  const auto* linked = chained<VkPipelineLibraryCreateInfoKHR>(info);
  if (library == nullptr && (linked == nullptr || linked->libraryCount == 0)) return {};
  const VkGraphicsPipelineLibraryFlagsEXT f = library == nullptr ? 0 : library->flags;
  return {(f & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) != 0,
          (f & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0,
          (f & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) != 0,
          (f & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0};
}

bool dynamic(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state) {
  if (info.pDynamicState == nullptr) return false;
  const auto* states = info.pDynamicState->pDynamicStates;
  return std::find(states, states + info.pDynamicState->dynamicStateCount, state) !=
         states + info.pDynamicState->dynamicStateCount;
}

void check_vertex_input(const VkPipelineVertexInputStateCreateInfo& input) {
  for (std::uint32_t i = 0; i < input.vertexBindingDescriptionCount; ++i) {
    if (input.pVertexBindingDescriptions[i].binding >= 32 || input.pVertexBindingDescriptions[i].stride > 2048)
      return violation("a vertex binding is beyond the limits");
    for (std::uint32_t k = 0; k < i; ++k)
      if (input.pVertexBindingDescriptions[k].binding == input.pVertexBindingDescriptions[i].binding)
        return violation("two vertex bindings have the same number");
  }
  for (std::uint32_t i = 0; i < input.vertexAttributeDescriptionCount; ++i) {
    const auto& attribute = input.pVertexAttributeDescriptions[i];
    const bool bound = std::any_of(input.pVertexBindingDescriptions,
                                   input.pVertexBindingDescriptions + input.vertexBindingDescriptionCount,
                                   [&](const auto& b) { return b.binding == attribute.binding; });
    if (!bound) return violation("a vertex attribute names a binding that is not described");
    if (attribute.location >= 32 || attribute.offset > 2047)
      return violation("a vertex attribute is beyond the limits");
  }
}

void check_graphics_one(const VkGraphicsPipelineCreateInfo& info, std::uint32_t index) {
  const Parts parts = parts_of(info);
  if (base_is_wrong(info.flags, info.basePipelineHandle, info.basePipelineIndex, index))
    return violation("a derivative names no base that allows it");
  VkShaderStageFlags stages = 0;
  if (parts.pre_raster || parts.fragment)
    for (std::uint32_t i = 0; i < info.stageCount; ++i) {
      if (!check_stage(info.pStages[i])) return;
      if ((stages & static_cast<VkShaderStageFlags>(info.pStages[i].stage)) != 0)
        return violation("two stages are the same");
      stages |= static_cast<VkShaderStageFlags>(info.pStages[i].stage);
    }
  if (parts.pre_raster && (stages & (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_MESH_BIT_EXT)) == 0)
    return violation("it has neither a vertex nor a mesh stage");
  const bool mesh = (stages & VK_SHADER_STAGE_MESH_BIT_EXT) != 0;
  if (parts.vertex && !mesh && !dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
    check_vertex_input(*info.pVertexInputState);
  const auto pass = get<RenderPass>(info.renderPass);
  if ((parts.pre_raster || parts.fragment || parts.output) && pass != nullptr && info.subpass >= pass->subpasses.size())
    return violation("subpass is none of the render pass");
  if ((parts.pre_raster || parts.fragment) && parts.all() && info.layout == VK_NULL_HANDLE)
    return violation("layout is null");
  // A state is null where all that it says is dynamic.
  const bool discards = parts.pre_raster && info.pRasterizationState != nullptr &&
                        info.pRasterizationState->rasterizerDiscardEnable == VK_TRUE &&
                        !dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
  if (parts.pre_raster && !discards && info.pViewportState != nullptr) {
    const auto& viewports = *info.pViewportState;
    const bool counts = dynamic(info, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT);
    if (!counts && viewports.viewportCount == 0) violation("viewportCount is 0");
    if (!dynamic(info, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) && viewports.scissorCount == 0)
      violation("scissorCount is 0");
    if (viewports.viewportCount > 16 || viewports.scissorCount > 16) violation("there are more than maxViewports");
  }
  if (parts.output && !discards && pass != nullptr && info.pColorBlendState != nullptr) {
    const std::size_t colors = info.subpass < pass->subpasses.size() ? pass->subpasses[info.subpass].colors.size() : 0;
    if (colors != 0 && info.pColorBlendState->attachmentCount != colors)
      violation("the blend state has not as many attachments as the subpass");
  }
}

void check_graphics(Call&, const args_vkCreateGraphicsPipelines& a) {
  if (a.createInfoCount == 0) return violation("createInfoCount is 0");
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) check_graphics_one(a.pCreateInfos[i], i);
}

Pipeline::Stage stage_of(const VkPipelineShaderStageCreateInfo& from) {
  Pipeline::Stage stage;
  stage.stage = from.stage;
  stage.entry = from.pName;
  if (const auto module = get<ShaderModule>(from.module)) {
    stage.code = module->code;
  } else if (const auto* in_place = chained<VkShaderModuleCreateInfo>(from)) {
    stage.code.assign(in_place->pCode, in_place->pCode + in_place->codeSize / 4);
  }
  if (const VkSpecializationInfo* constants = from.pSpecializationInfo) {
    stage.constants.assign(constants->pMapEntries, constants->pMapEntries + constants->mapEntryCount);
    const auto* data = static_cast<const std::byte*>(constants->pData);
    if (constants->dataSize != 0) stage.constant_data.assign(data, data + constants->dataSize);
  }
  return stage;
}

void link_libraries(const VkGraphicsPipelineCreateInfo& info, Pipeline& pipeline) {
  const auto* linked = chained<VkPipelineLibraryCreateInfoKHR>(info);
  for (std::uint32_t i = 0; linked != nullptr && i < linked->libraryCount; ++i) {
    const auto part = get<Pipeline>(linked->pLibraries[i]);
    pipeline.stages.insert(pipeline.stages.end(), part->stages.begin(), part->stages.end());
    pipeline.dynamic.insert(pipeline.dynamic.end(), part->dynamic.begin(), part->dynamic.end());
    if (pipeline.layout == nullptr) pipeline.layout = part->layout;
  }
}

VkResult create_graphics(Call& call, args_vkCreateGraphicsPipelines& a) {
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkGraphicsPipelineCreateInfo& info = a.pCreateInfos[i];
    const Parts parts = parts_of(info);
    auto pipeline = std::make_shared<Pipeline>();
    pipeline->bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    pipeline->flags = info.flags;
    pipeline->library = (info.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
    pipeline->layout = get<PipelineLayout>(info.layout);
    if (parts.pre_raster || parts.fragment)
      for (std::uint32_t k = 0; k < info.stageCount; ++k) pipeline->stages.push_back(stage_of(info.pStages[k]));
    if (info.pDynamicState != nullptr && info.pDynamicState->dynamicStateCount != 0)
      pipeline->dynamic.assign(info.pDynamicState->pDynamicStates,
                               info.pDynamicState->pDynamicStates + info.pDynamicState->dynamicStateCount);
    link_libraries(info, *pipeline);
    a.pPipelines[i] = as_handle<VkPipeline>(publish(pipeline, call.device));
  }
  return VK_SUCCESS;
}

VkResult create_compute(Call& call, args_vkCreateComputePipelines& a) {
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkComputePipelineCreateInfo& info = a.pCreateInfos[i];
    auto pipeline = std::make_shared<Pipeline>();
    pipeline->bind_point = VK_PIPELINE_BIND_POINT_COMPUTE;
    pipeline->flags = info.flags;
    pipeline->layout = get<PipelineLayout>(info.layout);
    pipeline->stages.push_back(stage_of(info.stage));
    a.pPipelines[i] = as_handle<VkPipeline>(publish(pipeline, call.device));
  }
  return VK_SUCCESS;
}

// --- while recording ------------------------------------------------------

void check_bind(Call& call, const args_vkCmdBindPipeline& a) {
  const auto pipeline = get<Pipeline>(a.pipeline);
  if (pipeline->bind_point != a.pipelineBindPoint) violation("the pipeline is for another bind point");
  if (pipeline->library) violation("the pipeline is only a library");
  const VkQueueFlags needed =
      a.pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT;
  if ((call.command_buffer->capabilities & needed) == 0) violation("the queue family has no such bind point");
}

void check_push(Call&, const args_vkCmdPushConstants& a) {
  const auto layout = get<PipelineLayout>(a.layout);
  if (a.size == 0) return violation("size is 0");
  VkShaderStageFlags covered = 0;
  for (const VkPushConstantRange& r : layout->push_constants) {
    if ((r.stageFlags & a.stageFlags) == 0) continue;
    if (a.offset >= r.offset && a.offset + a.size <= r.offset + r.size) covered |= r.stageFlags;
  }
  constexpr std::uint32_t kMaxPushConstantsSize = 256;
  if (a.offset > kMaxPushConstantsSize || a.size > kMaxPushConstantsSize - a.offset)
    violation("pushes beyond maxPushConstantsSize");
  else if (a.size % 4 != 0 || a.offset % 4 != 0)
    harmless("offset or size is no multiple of 4");  // copied byte by byte
  else if ((a.stageFlags & ~covered) != 0)
    sloppy("the layout has no such range for these stages");
}

}  // namespace

void install_pipelines(Table& table) {
  table.check<check_layout>(CommandId::vkCreatePipelineLayout);
  table.behave<create_layout>(CommandId::vkCreatePipelineLayout);
  table.check<check_compute>(CommandId::vkCreateComputePipelines);
  table.behave<create_compute>(CommandId::vkCreateComputePipelines);
  table.check<check_graphics>(CommandId::vkCreateGraphicsPipelines);
  table.behave<create_graphics>(CommandId::vkCreateGraphicsPipelines);
  table.check<check_bind>(CommandId::vkCmdBindPipeline);
  table.check<check_push>(CommandId::vkCmdPushConstants);
}

}  // namespace fake
