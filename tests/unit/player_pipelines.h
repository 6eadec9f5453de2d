// SPDX-License-Identifier: Apache-2.0
// A graphics pipeline with all its states, for tests to take some away.
#pragma once

#include "tests/unit/player_hostile.h"

namespace rondo::test {

class GraphicsPipelines : public PlayerHostile {
 protected:
  explicit GraphicsPipelines(const void* device_chain = nullptr, const std::vector<const char*>& extensions = {})
      : PlayerHostile(VK_API_VERSION_1_0, device_chain, extensions) {
    const std::uint32_t code[5] = {0x07230203};
    auto module_info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = sizeof code;
    module_info.pCode = code;
    stage.module = create<VkShaderModule, args_vkCreateShaderModule>(CommandId::vkCreateShaderModule, module_info);
    stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
    stage.pName = "main";
    const auto layout_info = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.layout = create<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, layout_info);
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    rasterization.lineWidth = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    info.pNext = &rendering;
    info.stageCount = 1;
    info.pStages = &stage;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &rasterization;
    info.pMultisampleState = &multisample;
    info.pColorBlendState = &blend;
  }
  VkPipeline create_pipeline() {
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateGraphicsPipelines,
                 args_vkCreateGraphicsPipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
    return made;
  }
  // 26 indices of 4 bytes, from a buffer of 100 bytes.
  void draw_beyond_the_indices() {
    const VkPipeline pipeline = create_pipeline();
    const VkBuffer indices = buffer(100);
    const VkCommandBuffer recorded = recording();
    auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    pass.renderArea = {{0, 0}, {16, 16}};
    pass.layerCount = 1;
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{recorded, &pass});
    capture.call(CommandId::vkCmdBindPipeline,
                 args_vkCmdBindPipeline{recorded, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline});
    capture.call(CommandId::vkCmdBindIndexBuffer,
                 args_vkCmdBindIndexBuffer{recorded, indices, 0, VK_INDEX_TYPE_UINT32});
    capture.call(CommandId::vkCmdDrawIndexed, args_vkCmdDrawIndexed{recorded, 26, 1, 0, 0, 0});
  }

  const VkViewport viewport{0, 0, 16, 16, 0, 1};
  const VkRect2D scissor{{0, 0}, {16, 16}};
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkPipelineColorBlendAttachmentState attachment{};
  VkPipelineShaderStageCreateInfo stage =
      of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  VkPipelineVertexInputStateCreateInfo input =
      of_type<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  VkPipelineInputAssemblyStateCreateInfo assembly =
      of_type<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  VkPipelineViewportStateCreateInfo viewports =
      of_type<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  VkPipelineRasterizationStateCreateInfo rasterization =
      of_type<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  VkPipelineMultisampleStateCreateInfo multisample =
      of_type<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  VkPipelineColorBlendStateCreateInfo blend =
      of_type<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  VkPipelineRenderingCreateInfo rendering =
      of_type<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  VkGraphicsPipelineCreateInfo info =
      of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
};

}  // namespace rondo::test
