// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_stages.h"

#include <cstddef>
#include <iterator>

namespace fake::order {
namespace {

constexpr Stages kCombinedTransfer = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
                                     VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;
constexpr Stages kVertexInput = VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
constexpr Stages kPreRasterization =
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;

// The graphics pipeline in its logical order; stages of one row have no order that matters here.
constexpr Stages kGraphics[] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                kVertexInput,
                                VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT,
                                VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT,
                                VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT,
                                VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT,
                                VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                                VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
                                VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
                                VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT};
constexpr Stages kCompute[] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
constexpr Stages kRays[] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR};

Stages single_stages(Stages mask) {
  Stages single = mask;
  if ((mask & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0) single |= kAllStages;
  if ((mask & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) != 0) {
    single |= VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT;
    for (const Stages row : kGraphics) single |= row;
  }
  if ((mask & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0) single |= kCombinedTransfer;
  if ((mask & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) != 0) single |= kVertexInput;
  if ((mask & VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT) != 0) single |= kPreRasterization;
  return single & ~Stages{VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT};
}

template <std::size_t n>
Stages with_earlier(Stages mask, const Stages (&pipeline)[n]) {
  Stages added = 0, before = 0;
  for (const Stages row : pipeline) {
    if ((mask & row) != 0) added |= before;
    before |= row;
  }
  return mask | added;
}

template <std::size_t n>
Stages with_later(Stages mask, const Stages (&pipeline)[n]) {
  Stages added = 0, after = 0;
  for (std::size_t i = n; i-- > 0;) {
    if ((mask & pipeline[i]) != 0) added |= after;
    after |= pipeline[i];
  }
  return mask | added;
}

}  // namespace

Stages first_scope(Stages mask) {
  if ((mask & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) != 0) return kAllStages;
  const Stages single = single_stages(mask);
  return with_earlier(single, kGraphics) | with_earlier(single, kCompute) | with_earlier(single, kRays);
}

Stages second_scope(Stages mask) {
  if ((mask & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) != 0) return kAllStages;
  const Stages single = single_stages(mask);
  return with_later(single, kGraphics) | with_later(single, kCompute) | with_later(single, kRays);
}

Stages access_scope(Stages mask) { return single_stages(mask); }

Accesses single_accesses(Accesses mask) {
  constexpr Accesses kShaderReads = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr Accesses kWrites =
      VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT |
      VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT;
  constexpr Accesses kReads =
      kShaderReads | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT |
      VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT |
      VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_HOST_READ_BIT |
      VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT | VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT;
  Accesses single = mask;
  if ((mask & VK_ACCESS_2_SHADER_READ_BIT) != 0) single |= kShaderReads;
  if ((mask & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) single |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  if ((mask & VK_ACCESS_2_MEMORY_READ_BIT) != 0) single |= kReads;
  if ((mask & VK_ACCESS_2_MEMORY_WRITE_BIT) != 0) single |= kWrites;
  return single;
}

Stages stages_of_shaders(VkShaderStageFlags shaders) {
  constexpr VkShaderStageFlags kRayShaders = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                             VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                             VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
  constexpr struct {
    VkShaderStageFlags shaders;
    Stages stage;
  } kRows[] = {
      {VK_SHADER_STAGE_VERTEX_BIT, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT},
      {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT},
      {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT},
      {VK_SHADER_STAGE_GEOMETRY_BIT, VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT},
      {VK_SHADER_STAGE_FRAGMENT_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT},
      {VK_SHADER_STAGE_COMPUTE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT},
      {VK_SHADER_STAGE_TASK_BIT_EXT, VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT},
      {VK_SHADER_STAGE_MESH_BIT_EXT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT},
      {kRayShaders, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR},
  };
  Stages stages = 0;
  for (const auto& row : kRows)
    if ((shaders & row.shaders) != 0) stages |= row.stage;
  return stages;
}

}  // namespace fake::order
