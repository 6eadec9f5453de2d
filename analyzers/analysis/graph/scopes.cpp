// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/scopes.h"

#include "model/touch.h"

namespace rondo::graph {

namespace {

// In the order in which a primitive goes through them. A draw with meshes has TASK and MESH in the place of the stages
// from INDEX_INPUT to TRANSFORM_FEEDBACK.
constexpr VkPipelineStageFlags2 kVertexPipeline[] = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT,
    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
};
constexpr VkPipelineStageFlags2 kMeshPipeline[] = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,        VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT,
    VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT,      VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,  VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
};
constexpr VkPipelineStageFlags2 kComputePipeline[] = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
};

constexpr VkPipelineStageFlags2 kVertexInput =
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
constexpr VkPipelineStageFlags2 kPreRasterization =
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;
constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
                                            VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT |
                                            VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR;

template <std::size_t Count>
constexpr VkPipelineStageFlags2 all_of(const VkPipelineStageFlags2 (&stages)[Count]) {
  VkPipelineStageFlags2 all = 0;
  for (const VkPipelineStageFlags2 one : stages) all |= one;
  return all;
}

constexpr VkPipelineStageFlags2 kGraphics =
    all_of(kVertexPipeline) | all_of(kMeshPipeline) | VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT |
    VK_PIPELINE_STAGE_2_FRAGMENT_DENSITY_PROCESS_BIT_EXT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT |
    VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
constexpr VkPipelineStageFlags2 kCommands =
    ~(VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_HOST_BIT} | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT |
      VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT);

VkPipelineStageFlags2 expand(VkPipelineStageFlags2 said) {
  VkPipelineStageFlags2 all = said;
  if ((said & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0) all |= kCommands;
  if ((said & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) != 0) all |= kGraphics;
  if ((said & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0) all |= kTransfer;
  if ((said & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) != 0) all |= kVertexInput;
  if ((said & VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT) != 0) all |= kPreRasterization;
  return all;
}

template <std::size_t Count>
VkPipelineStageFlags2 earlier(const VkPipelineStageFlags2 (&pipeline)[Count], VkPipelineStageFlags2 than) {
  VkPipelineStageFlags2 all = 0;
  bool any = false;
  for (std::size_t i = Count; i-- != 0;) {
    any = any || (than & pipeline[i]) != 0;
    if (any) all |= pipeline[i];
  }
  return all;
}
template <std::size_t Count>
VkPipelineStageFlags2 later(const VkPipelineStageFlags2 (&pipeline)[Count], VkPipelineStageFlags2 than) {
  VkPipelineStageFlags2 all = 0;
  bool any = false;
  for (const VkPipelineStageFlags2 one : pipeline) {
    any = any || (than & one) != 0;
    if (any) all |= one;
  }
  return all;
}

}  // namespace

VkPipelineStageFlags2 first_stages(VkPipelineStageFlags2 said) {
  if ((said & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) != 0) said |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return expand(said & ~(VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT));
}

VkPipelineStageFlags2 second_stages(VkPipelineStageFlags2 said) {
  if ((said & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) != 0) said |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return expand(said & ~(VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT));
}

VkPipelineStageFlags2 access_stages(VkPipelineStageFlags2 said) {
  return expand(said & ~(VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT));
}

VkPipelineStageFlags2 with_earlier(VkPipelineStageFlags2 stages) {
  return stages | earlier(kVertexPipeline, stages) | earlier(kMeshPipeline, stages) | earlier(kComputePipeline, stages);
}

VkPipelineStageFlags2 with_later(VkPipelineStageFlags2 stages) {
  return stages | later(kVertexPipeline, stages) | later(kMeshPipeline, stages) | later(kComputePipeline, stages);
}

VkAccessFlags2 all_accesses(VkAccessFlags2 said) {
  VkAccessFlags2 all = said;
  if ((said & VK_ACCESS_2_MEMORY_READ_BIT) != 0) all |= ~model::kWrites;
  if ((said & VK_ACCESS_2_MEMORY_WRITE_BIT) != 0) all |= model::kWrites;
  if ((said & VK_ACCESS_2_SHADER_READ_BIT) != 0)
    all |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
           VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR;
  if ((said & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) all |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return all;
}

}  // namespace rondo::graph
