// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines, and the states that they are drawn with.
#pragma once

#include "picture.h"

#ifdef VK_EXT_shader_object

namespace program {

template <std::size_t N>
VkShaderCreateInfoEXT shader_info(VkShaderStageFlagBits stage, VkShaderStageFlags next, const std::uint32_t (&code)[N],
                                  const VkPushConstantRange* range, VkShaderCreateFlagsEXT flags = 0) {
  return {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
          .flags = flags,
          .stage = stage,
          .nextStage = next,
          .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
          .codeSize = sizeof code,
          .pCode = code,
          .pName = "main",
          .pushConstantRangeCount = range != nullptr ? 1u : 0u,
          .pPushConstantRanges = range};
}

// Everything that is not a shader, as a pipeline of picture.h has it.
inline void set_states(const Session& s, VkCommandBuffer cmd, std::uint32_t extent) {
  LOAD(s, vkCmdSetVertexInputEXT);
  LOAD(s, vkCmdSetPolygonModeEXT);
  LOAD(s, vkCmdSetRasterizationSamplesEXT);
  LOAD(s, vkCmdSetSampleMaskEXT);
  LOAD(s, vkCmdSetAlphaToCoverageEnableEXT);
  LOAD(s, vkCmdSetLogicOpEnableEXT);
  LOAD(s, vkCmdSetColorBlendEnableEXT);
  LOAD(s, vkCmdSetColorBlendEquationEXT);
  LOAD(s, vkCmdSetColorWriteMaskEXT);
  LOAD(s, vkCmdSetPatchControlPointsEXT);
  LOAD(s, vkCmdSetTessellationDomainOriginEXT);
  LOAD(s, vkCmdSetAlphaToOneEnableEXT);
  LOAD(s, vkCmdSetDepthClampEnableEXT);
  LOAD(s, vkCmdSetLogicOpEXT);
  const VkViewport viewport{0, 0, static_cast<float>(extent), static_cast<float>(extent), 0, 1};
  const VkRect2D scissor{{0, 0}, {extent, extent}};
  vkCmdSetViewportWithCount(cmd, 1, &viewport);
  vkCmdSetScissorWithCount(cmd, 1, &scissor);
  vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
  vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
  vkCmdSetPrimitiveRestartEnable(cmd, VK_FALSE);
  vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace(cmd, VK_FRONT_FACE_COUNTER_CLOCKWISE);
  vkCmdSetDepthTestEnable(cmd, VK_FALSE);
  vkCmdSetDepthWriteEnable(cmd, VK_FALSE);
  vkCmdSetDepthCompareOp(cmd, VK_COMPARE_OP_ALWAYS);
  vkCmdSetDepthBoundsTestEnable(cmd, VK_FALSE);
  vkCmdSetDepthBiasEnable(cmd, VK_FALSE);
  vkCmdSetStencilTestEnable(cmd, VK_FALSE);
  vkCmdSetStencilOp(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP,
                    VK_COMPARE_OP_ALWAYS);
  vkCmdSetVertexInputEXT(cmd, 0, nullptr, 0, nullptr);
  vkCmdSetPolygonModeEXT(cmd, VK_POLYGON_MODE_FILL);
  vkCmdSetRasterizationSamplesEXT(cmd, VK_SAMPLE_COUNT_1_BIT);
  const VkSampleMask samples = 1;
  vkCmdSetSampleMaskEXT(cmd, VK_SAMPLE_COUNT_1_BIT, &samples);
  vkCmdSetAlphaToCoverageEnableEXT(cmd, VK_FALSE);
  vkCmdSetAlphaToOneEnableEXT(cmd, VK_FALSE);
  vkCmdSetDepthClampEnableEXT(cmd, VK_FALSE);
  vkCmdSetLogicOpEnableEXT(cmd, VK_FALSE);
  vkCmdSetLogicOpEXT(cmd, VK_LOGIC_OP_COPY);
  vkCmdSetPatchControlPointsEXT(cmd, 3);
  vkCmdSetTessellationDomainOriginEXT(cmd, VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
  const VkBool32 blends = VK_FALSE;
  const VkColorBlendEquationEXT equation{VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD,
                                         VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
  const VkColorComponentFlags mask = 0xf;
  vkCmdSetColorBlendEnableEXT(cmd, 0, 1, &blends);
  vkCmdSetColorBlendEquationEXT(cmd, 0, 1, &equation);
  vkCmdSetColorWriteMaskEXT(cmd, 0, 1, &mask);
}

}  // namespace program

#endif
