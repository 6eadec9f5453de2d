// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/names.h"

#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

struct Stage {
  VkShaderStageFlagBits bit;
  const char* name;
  std::uint32_t model;
};

constexpr Stage kStages[] = {
    {VK_SHADER_STAGE_VERTEX_BIT, "vertex", SpvExecutionModelVertex},
    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tessellation-control", SpvExecutionModelTessellationControl},
    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tessellation-evaluation", SpvExecutionModelTessellationEvaluation},
    {VK_SHADER_STAGE_GEOMETRY_BIT, "geometry", SpvExecutionModelGeometry},
    {VK_SHADER_STAGE_FRAGMENT_BIT, "fragment", SpvExecutionModelFragment},
    {VK_SHADER_STAGE_COMPUTE_BIT, "compute", SpvExecutionModelGLCompute},
    {VK_SHADER_STAGE_TASK_BIT_EXT, "task", SpvExecutionModelTaskEXT},
    {VK_SHADER_STAGE_MESH_BIT_EXT, "mesh", SpvExecutionModelMeshEXT},
    {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "raygen", SpvExecutionModelRayGenerationKHR},
    {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "any-hit", SpvExecutionModelAnyHitKHR},
    {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "closest-hit", SpvExecutionModelClosestHitKHR},
    {VK_SHADER_STAGE_MISS_BIT_KHR, "miss", SpvExecutionModelMissKHR},
    {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "intersection", SpvExecutionModelIntersectionKHR},
    {VK_SHADER_STAGE_CALLABLE_BIT_KHR, "callable", SpvExecutionModelCallableKHR},
};

struct Mode {
  std::uint32_t value;
  const char* name;
};
constexpr Mode kModes[] = {
    {SpvExecutionModeInvocations, "invocations"},
    {SpvExecutionModeSpacingEqual, "equal spacing"},
    {SpvExecutionModeSpacingFractionalEven, "fractional even spacing"},
    {SpvExecutionModeSpacingFractionalOdd, "fractional odd spacing"},
    {SpvExecutionModeDepthReplacing, "depth replaced"},
    {SpvExecutionModePointMode, "point mode"},
    {SpvExecutionModeInputPoints, "input points"},
    {SpvExecutionModeInputLines, "input lines"},
    {SpvExecutionModeInputLinesAdjacency, "input lines with adjacency"},
    {SpvExecutionModeTriangles, "triangles"},
    {SpvExecutionModeInputTrianglesAdjacency, "input triangles with adjacency"},
    {SpvExecutionModeQuads, "quads"},
    {SpvExecutionModeIsolines, "isolines"},
    {SpvExecutionModeOutputVertices, "output vertices"},
    {SpvExecutionModeOutputPoints, "output points"},
    {SpvExecutionModeOutputLineStrip, "output line strip"},
    {SpvExecutionModeOutputTriangleStrip, "output triangle strip"},
    {SpvExecutionModeOutputLinesEXT, "output lines"},
    {SpvExecutionModeOutputPrimitivesEXT, "output primitives"},
    {SpvExecutionModeOutputTrianglesEXT, "output triangles"},
    {SpvExecutionModeXfb, "transform feedback"},
    {SpvExecutionModeStencilRefReplacingEXT, "stencil reference replaced"},
};

}  // namespace

std::string stage_name(VkShaderStageFlagBits stage) {
  for (const Stage& one : kStages)
    if (one.bit == stage) return one.name;
  return "stage-" + std::to_string(static_cast<VkFlags>(stage));
}

std::uint32_t model_of(VkShaderStageFlagBits stage) {
  for (const Stage& one : kStages)
    if (one.bit == stage) return one.model;
  return ~std::uint32_t{};
}

std::string model_name(std::uint32_t model) {
  for (const Stage& one : kStages)
    if (one.model == model) return one.name;
  return "model-" + std::to_string(model);
}

const char* mode_name(std::uint32_t mode) {
  for (const Mode& known : kModes)
    if (known.value == mode) return known.name;
  return nullptr;
}

const char* location_kind(std::uint32_t storage) {
  switch (storage) {
    case SpvStorageClassInput:
      return "input";
    case SpvStorageClassOutput:
      return "output";
    case SpvStorageClassRayPayloadKHR:
      return "ray payload";
    case SpvStorageClassIncomingRayPayloadKHR:
      return "incoming ray payload";
    case SpvStorageClassHitAttributeKHR:
      return "hit attribute";
    case SpvStorageClassCallableDataKHR:
      return "callable data";
    case SpvStorageClassIncomingCallableDataKHR:
      return "incoming callable data";
    case SpvStorageClassShaderRecordBufferKHR:
      return "shader record";
    case SpvStorageClassTaskPayloadWorkgroupEXT:
      return "task payload";
    default:
      return nullptr;
  }
}

}  // namespace rondo::shaders
