// SPDX-License-Identifier: Apache-2.0
// Which shaders pipelines and shader objects hold, and what those use.
#include <algorithm>
#include <set>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "model/access/tracker.h"
#include "model/shaders/sites.h"

namespace rondo::access {

namespace {

using shaders::Site;
using shaders::StaticUse;

struct Stage {
  VkShaderStageFlagBits bit;
  VkPipelineStageFlags2 stage;
  std::uint32_t model;  // SpvExecutionModel
};
constexpr Stage kStages[] = {
    {VK_SHADER_STAGE_VERTEX_BIT, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, 0},
    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT, 1},
    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT, 2},
    {VK_SHADER_STAGE_GEOMETRY_BIT, VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT, 3},
    {VK_SHADER_STAGE_FRAGMENT_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, 4},
    {VK_SHADER_STAGE_COMPUTE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 5},
    {VK_SHADER_STAGE_TASK_BIT_EXT, VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT, 5364},
    {VK_SHADER_STAGE_MESH_BIT_EXT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT, 5365},
    {VK_SHADER_STAGE_RAYGEN_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5313},
    {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5314},
    {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5315},
    {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5316},
    {VK_SHADER_STAGE_MISS_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5317},
    {VK_SHADER_STAGE_CALLABLE_BIT_KHR, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, 5318},
};

// Of a stage that is not in the table no entry point is found, so that nothing is known of it.
Stage stage_of(VkShaderStageFlagBits bit) {
  for (const Stage& stage : kStages)
    if (stage.bit == bit) return stage;
  return {bit, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, ~0u};
}

std::span<const std::byte> code_of(const Site& site) {
  if (site.code == nullptr || *site.code == nullptr || site.binary) return {};
  return {static_cast<const std::byte*>(*site.code), *site.bytes};
}

ShaderUse use_of(Tracker& t, const Call& c, const Site& site) {
  const Stage stage = stage_of(site.stage);
  ShaderUse found{stage.stage, nullptr};
  const auto choose = [&](const std::vector<StaticUse>& all) {
    for (const StaticUse& one : all)
      if (one.entry == site.entry && one.model == stage.model) found.use = std::make_shared<const StaticUse>(one);
  };
  if (site.module != nullptr) {
    if (const auto* module = t.modules.find(c.id(site.module)); module != nullptr) choose(*module);
  } else {
    choose(shaders::static_uses(code_of(site)));
  }
  return found;
}

void create_module(Tracker& t, const Call& c) {
  shaders::for_each_site(c.command.canonical, &c.as<args_vkCreateShaderModule>(),
                         [&](const Site& site) { t.modules.make(c.created()) = shaders::static_uses(code_of(site)); });
}

// Pipelines by their place: one that failed has no object.
template <class Args>
std::vector<Pipeline*> make_pipelines(Tracker& t, const Call& c, const Args& a) {
  std::vector<Pipeline*> made(a.createInfoCount);
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i)
    if (const ObjectId id = a.pPipelines != nullptr ? c.id(&a.pPipelines[i]) : ObjectId::null; id != ObjectId::null)
      made[i] = &t.pipelines.make(id);
  return made;
}

// What several parts have in common counts once.
void add_part(Pipeline& to, const Pipeline* part) {
  if (part == nullptr || part == &to) return;
  std::set<std::pair<VkPipelineStageFlags2, const StaticUse*>> has;
  for (const ShaderUse& one : to.shaders) has.emplace(one.stage, one.use.get());
  for (const ShaderUse& one : part->shaders)
    if (has.emplace(one.stage, one.use.get()).second) to.shaders.push_back(one);
  to.vertex_bindings |= part->vertex_bindings;
  for (const auto member : {&Pipeline::color, &Pipeline::depth}) {
    (to.*member).is_known = (to.*member).is_known || (part->*member).is_known;
    (to.*member).access |= (part->*member).access;
  }
}

template <class Args>
std::vector<Pipeline*> create_pipelines(Tracker& t, const Call& c, const Args& a) {
  std::vector<Pipeline*> made = make_pipelines(t, c, a);
  shaders::for_each_site(c.command.canonical, &a, [&](const Site& site) {
    if (made[site.index] != nullptr) made[site.index]->shaders.push_back(use_of(t, c, site));
  });
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const auto* libraries = find_chained<VkPipelineLibraryCreateInfoKHR>(
        a.pCreateInfos[i].pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    for (std::uint32_t k = 0; made[i] != nullptr && libraries != nullptr && k < libraries->libraryCount; ++k)
      add_part(*made[i], t.pipelines.find(c.id(&libraries->pLibraries[k])));
  }
  return made;
}

bool is_dynamic(const VkPipelineDynamicStateCreateInfo* states, VkDynamicState wanted) {
  return states != nullptr && std::find(states->pDynamicStates, states->pDynamicStates + states->dynamicStateCount,
                                        wanted) != states->pDynamicStates + states->dynamicStateCount;
}

// Color is read where it is blended or goes through a logic operation (specification, "Blending", "Logical
// Operations").
void add_color(Pipeline& pipeline, const VkGraphicsPipelineCreateInfo& info) {
  const VkPipelineColorBlendStateCreateInfo* const state = info.pColorBlendState;
  const VkPipelineDynamicStateCreateInfo* const dynamic = info.pDynamicState;
  if (state == nullptr) return;
  bool reads = state->logicOpEnable != 0;
#ifdef VK_EXT_extended_dynamic_state3
  reads = reads || is_dynamic(dynamic, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT) ||
          is_dynamic(dynamic, VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT);
#endif
  if (state->pAttachments == nullptr) reads = reads || state->attachmentCount != 0;
  for (std::uint32_t i = 0; !reads && i < state->attachmentCount; ++i) reads = state->pAttachments[i].blendEnable != 0;
  // Of a mask of components the others stay as they are, which is a write that somebody may make of a read.
  pipeline.color = {true, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
                              (reads ? VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT : VkAccessFlags2{0})};
}

bool writes_stencil(const VkStencilOpState& face) {
  return face.failOp != VK_STENCIL_OP_KEEP || face.passOp != VK_STENCIL_OP_KEEP ||
         face.depthFailOp != VK_STENCIL_OP_KEEP;
}

// "Depth Test", "Stencil Test", "Depth Bounds Test".
void add_depth(Pipeline& pipeline, const VkGraphicsPipelineCreateInfo& info) {
  const VkPipelineDepthStencilStateCreateInfo* const state = info.pDepthStencilState;
  const VkPipelineDynamicStateCreateInfo* const dynamic = info.pDynamicState;
  if (state == nullptr) return;
  for (const VkDynamicState one :
       {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
        VK_DYNAMIC_STATE_STENCIL_OP, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE})
    if (is_dynamic(dynamic, one)) return;
  const bool tests_depth = state->depthTestEnable != 0, tests_stencil = state->stencilTestEnable != 0;
  const bool reads = tests_depth || tests_stencil || state->depthBoundsTestEnable != 0;
  const bool writes = (tests_depth && state->depthWriteEnable != 0) ||
                      (tests_stencil && (writes_stencil(state->front) || writes_stencil(state->back)));
  pipeline.depth = {true, (reads ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT : VkAccessFlags2{0}) |
                              (writes ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT : VkAccessFlags2{0})};
}

void create_graphics(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCreateGraphicsPipelines>();
  const std::vector<Pipeline*> made = create_pipelines(t, c, a);
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    if (made[i] == nullptr) continue;
    const VkGraphicsPipelineCreateInfo& info = a.pCreateInfos[i];
    add_color(*made[i], info);
    add_depth(*made[i], info);
    if (is_dynamic(info.pDynamicState, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)) made[i]->vertex_bindings = ~0u;
    if (info.pVertexInputState == nullptr) continue;
    for (const auto& b : std::span(info.pVertexInputState->pVertexBindingDescriptions,
                                   info.pVertexInputState->vertexBindingDescriptionCount))
      made[i]->vertex_bindings |= b.binding < 32 ? 1u << b.binding : ~0u;
  }
}

void create_compute(Tracker& t, const Call& c) { create_pipelines(t, c, c.as<args_vkCreateComputePipelines>()); }

// Groups of libraries come with them.
void create_rays(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCreateRayTracingPipelinesKHR>();
  const std::vector<Pipeline*> made = create_pipelines(t, c, a);
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkPipelineLibraryCreateInfoKHR* libraries = a.pCreateInfos[i].pLibraryInfo;
    for (std::uint32_t k = 0; made[i] != nullptr && libraries != nullptr && k < libraries->libraryCount; ++k)
      add_part(*made[i], t.pipelines.find(c.id(&libraries->pLibraries[k])));
  }
}

#ifdef VK_EXT_shader_object
void create_objects(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCreateShadersEXT>();
  shaders::for_each_site(c.command.canonical, &a, [&](const Site& site) {
    if (const ObjectId id = a.pShaders != nullptr ? c.id(&a.pShaders[site.index]) : ObjectId::null;
        id != ObjectId::null)
      t.shaders.make(id) = use_of(t, c, site);
  });
}

#endif

}  // namespace

ShaderHandler shader_handler_of(CommandId canonical) {
  switch (canonical) {
    case CommandId::vkCreateShaderModule:
      return create_module;
    case CommandId::vkCreateGraphicsPipelines:
      return create_graphics;
    case CommandId::vkCreateComputePipelines:
      return create_compute;
    case CommandId::vkCreateRayTracingPipelinesKHR:
      return create_rays;
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
      return create_objects;
#endif
    default:
      return nullptr;
  }
}

}  // namespace rondo::access
