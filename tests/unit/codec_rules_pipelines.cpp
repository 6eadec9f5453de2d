// SPDX-License-Identifier: Apache-2.0
// What of a graphics pipeline is to be ignored, by its other states, its dynamic
// states, its render pass and the parts of a library.
#include "tests/unit/codec_ignored.h"

namespace rondo::test {
namespace {

class PipelineStates : public IgnoredMembers {
 protected:
  PipelineStates() {
    stages_[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages_[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    for (auto& stage : stages_) {
      stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stage.pName = "main";
    }
    create_.stageCount = 2;
    create_.pStages = stages_;
    create_.pVertexInputState = &vertex_input_;
    create_.pInputAssemblyState = &input_assembly_;
    create_.pTessellationState = garbage<VkPipelineTessellationStateCreateInfo*>();  // no such stages
    create_.pViewportState = &viewport_;
    create_.pRasterizationState = &rasterization_;
    create_.pMultisampleState = &multisample_;
    create_.pDepthStencilState = &depth_stencil_;
    create_.pColorBlendState = &color_blend_;
    create_.pDynamicState = &dynamic_;
    create_.renderPass = handle<VkRenderPass>(30);
    create_.basePipelineHandle = garbage<VkPipeline>();
    create_.basePipelineIndex = -1;
  }
  const VkGraphicsPipelineCreateInfo& replay() {
    VkPipeline pipeline = handle<VkPipeline>(40);
    args_vkCreateGraphicsPipelines args{handle<VkDevice>(1), VK_NULL_HANDLE, 1, &create_, nullptr, &pipeline};
    return *replayed(CommandId::vkCreateGraphicsPipelines, args).pCreateInfos;
  }
  void make_dynamic(std::initializer_list<VkDynamicState> states) {
    states_ = states;
    dynamic_.dynamicStateCount = static_cast<std::uint32_t>(states_.size());
    dynamic_.pDynamicStates = states_.data();
  }

  VkPipelineShaderStageCreateInfo stages_[2] = {};
  VkPipelineVertexInputStateCreateInfo vertex_input_ =
      titled<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  VkPipelineInputAssemblyStateCreateInfo input_assembly_ =
      titled<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  VkPipelineViewportStateCreateInfo viewport_ =
      titled<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  VkPipelineRasterizationStateCreateInfo rasterization_ =
      titled<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  VkPipelineMultisampleStateCreateInfo multisample_ =
      titled<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  VkPipelineDepthStencilStateCreateInfo depth_stencil_ =
      titled<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  VkPipelineColorBlendStateCreateInfo color_blend_ =
      titled<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  VkPipelineDynamicStateCreateInfo dynamic_ =
      titled<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  std::vector<VkDynamicState> states_;
  VkGraphicsPipelineCreateInfo create_ =
      titled<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
};

TEST_F(PipelineStates, OfACompletePipelineAreAllKept) {
  const auto& back = replay();
  EXPECT_NE(back.pViewportState, nullptr);
  EXPECT_NE(back.pMultisampleState, nullptr);
  EXPECT_NE(back.pDepthStencilState, nullptr);
  EXPECT_NE(back.pColorBlendState, nullptr);
  EXPECT_EQ(back.pTessellationState, nullptr);
  EXPECT_EQ(back.basePipelineHandle, VK_NULL_HANDLE);
  EXPECT_STREQ(back.pStages[1].pName, "main");
}

TEST_F(PipelineStates, AfterRasterizationAreIgnoredUnderDiscard) {
  rasterization_.rasterizerDiscardEnable = VK_TRUE;
  create_.pViewportState = garbage<VkPipelineViewportStateCreateInfo*>();
  create_.pMultisampleState = garbage<VkPipelineMultisampleStateCreateInfo*>();
  create_.pDepthStencilState = garbage<VkPipelineDepthStencilStateCreateInfo*>();
  create_.pColorBlendState = garbage<VkPipelineColorBlendStateCreateInfo*>();
  const auto& back = replay();
  EXPECT_EQ(back.pViewportState, nullptr);
  EXPECT_EQ(back.pMultisampleState, nullptr);
  EXPECT_EQ(back.pDepthStencilState, nullptr);
  EXPECT_EQ(back.pColorBlendState, nullptr);
  EXPECT_NE(back.pRasterizationState, nullptr);
}

TEST_F(PipelineStates, AreNeededWhereDiscardIsDynamic) {
  rasterization_.rasterizerDiscardEnable = VK_TRUE;
  make_dynamic({VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE});
  EXPECT_NE(replay().pViewportState, nullptr);
}

TEST_F(PipelineStates, OfAttachmentsThatTheSubpassLacksAreIgnored) {
  context_.subpass = {true, false, false};
  create_.pDepthStencilState = garbage<VkPipelineDepthStencilStateCreateInfo*>();
  create_.pColorBlendState = garbage<VkPipelineColorBlendStateCreateInfo*>();
  const auto& back = replay();
  EXPECT_EQ(back.pDepthStencilState, nullptr);
  EXPECT_EQ(back.pColorBlendState, nullptr);
}

TEST_F(PipelineStates, OfDynamicRenderingFollowItsFormats) {
  const VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
  VkPipelineRenderingCreateInfo rendering =
      titled<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &color;
  create_.renderPass = VK_NULL_HANDLE;
  create_.pNext = &rendering;
  create_.pDepthStencilState = garbage<VkPipelineDepthStencilStateCreateInfo*>();
  const auto& back = replay();
  EXPECT_EQ(back.pDepthStencilState, nullptr);
  EXPECT_NE(back.pColorBlendState, nullptr);
}

// In the chains of states: what its dynamic state, or the switch beside it, makes unused is not followed.
class ExtendedStates : public PipelineStates {
 protected:
  ExtendedStates() {
    viewport_.pNext = &scaling_;
    scaling_.pNext = &rates_;
    multisample_.pNext = &coverage_;
    create_.pNext = &rectangles_;
    scaling_.viewportCount = rates_.viewportCount = rectangles_.discardRectangleCount = 2;
    coverage_.coverageModulationTableCount = 2;
    scaling_.viewportWScalingEnable = coverage_.coverageModulationTableEnable = VK_TRUE;
    scaling_.pViewportWScalings = kScalings;
    rates_.pShadingRatePalettes = kPalettes;
    coverage_.pCoverageModulationTable = kTable;
    rectangles_.pDiscardRectangles = kRectangles;
  }
  void play() {
    const auto& back = replay();
    scaling = static_cast<const VkPipelineViewportWScalingStateCreateInfoNV*>(back.pViewportState->pNext);
    rates = static_cast<const VkPipelineViewportShadingRateImageStateCreateInfoNV*>(scaling->pNext);
    coverage = static_cast<const VkPipelineCoverageModulationStateCreateInfoNV*>(back.pMultisampleState->pNext);
    rectangles = static_cast<const VkPipelineDiscardRectangleStateCreateInfoEXT*>(back.pNext);
  }

  static constexpr VkViewportWScalingNV kScalings[2] = {{1, 2}, {3, 4}};
  static constexpr VkShadingRatePaletteNV kPalettes[2] = {};
  static constexpr float kTable[2] = {0.25f, 0.5f};
  static constexpr VkRect2D kRectangles[2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  VkPipelineViewportWScalingStateCreateInfoNV scaling_ = titled<VkPipelineViewportWScalingStateCreateInfoNV>(
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_W_SCALING_STATE_CREATE_INFO_NV);
  VkPipelineViewportShadingRateImageStateCreateInfoNV rates_ =
      titled<VkPipelineViewportShadingRateImageStateCreateInfoNV>(
          VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_SHADING_RATE_IMAGE_STATE_CREATE_INFO_NV);
  VkPipelineCoverageModulationStateCreateInfoNV coverage_ = titled<VkPipelineCoverageModulationStateCreateInfoNV>(
      VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_MODULATION_STATE_CREATE_INFO_NV);
  VkPipelineDiscardRectangleStateCreateInfoEXT rectangles_ = titled<VkPipelineDiscardRectangleStateCreateInfoEXT>(
      VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT);
  // What a replay gets.
  const VkPipelineViewportWScalingStateCreateInfoNV* scaling = nullptr;
  const VkPipelineViewportShadingRateImageStateCreateInfoNV* rates = nullptr;
  const VkPipelineCoverageModulationStateCreateInfoNV* coverage = nullptr;
  const VkPipelineDiscardRectangleStateCreateInfoEXT* rectangles = nullptr;
};

TEST_F(ExtendedStates, AreKeptWhereTheyAreUsed) {
  make_dynamic({VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR});
  play();
  ASSERT_NE(scaling->pViewportWScalings, nullptr);
  EXPECT_EQ(scaling->pViewportWScalings[1].ycoeff, 4);
  EXPECT_NE(rates->pShadingRatePalettes, nullptr);
  ASSERT_NE(coverage->pCoverageModulationTable, nullptr);
  EXPECT_EQ(coverage->pCoverageModulationTable[1], 0.5f);
  ASSERT_NE(rectangles->pDiscardRectangles, nullptr);
  EXPECT_EQ(rectangles->pDiscardRectangles[1].offset.x, 5);
}

TEST_F(ExtendedStates, ThatAreDynamicAreNotFollowed) {
  scaling_.pViewportWScalings = garbage<VkViewportWScalingNV*>();
  rates_.pShadingRatePalettes = garbage<VkShadingRatePaletteNV*>();
  coverage_.pCoverageModulationTable = garbage<float*>();
  rectangles_.pDiscardRectangles = garbage<VkRect2D*>();
  make_dynamic({VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV, VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV,
                VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT});
  play();
  EXPECT_EQ(scaling->pViewportWScalings, nullptr);
  EXPECT_EQ(rates->pShadingRatePalettes, nullptr);
  EXPECT_EQ(coverage->pCoverageModulationTable, nullptr);
  EXPECT_EQ(rectangles->pDiscardRectangles, nullptr);
}

TEST_F(ExtendedStates, ThatAreSwitchedOffAreNotFollowedUnlessTheSwitchIsDynamic) {
  scaling_.viewportWScalingEnable = coverage_.coverageModulationTableEnable = VK_FALSE;
  make_dynamic({VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_ENABLE_NV, VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_ENABLE_NV});
  play();
  EXPECT_NE(scaling->pViewportWScalings, nullptr);
  EXPECT_NE(coverage->pCoverageModulationTable, nullptr);
  scaling_.pViewportWScalings = garbage<VkViewportWScalingNV*>();
  coverage_.pCoverageModulationTable = garbage<float*>();
  make_dynamic({});
  play();
  EXPECT_EQ(scaling->pViewportWScalings, nullptr);
  EXPECT_EQ(coverage->pCoverageModulationTable, nullptr);
}

TEST_F(PipelineStates, HaveNoSamplesOfAttachmentsWhereARenderPassHasThem) {
  auto samples = titled<VkAttachmentSampleCountInfoAMD>(VK_STRUCTURE_TYPE_ATTACHMENT_SAMPLE_COUNT_INFO_AMD);
  samples.colorAttachmentCount = 2;
  samples.pColorAttachmentSamples = garbage<VkSampleCountFlagBits*>();
  create_.pNext = &samples;
  EXPECT_EQ(static_cast<const VkAttachmentSampleCountInfoAMD*>(replay().pNext)->pColorAttachmentSamples, nullptr);
  const VkSampleCountFlagBits counts[2] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT};
  samples.pColorAttachmentSamples = counts;
  create_.renderPass = VK_NULL_HANDLE;
  const auto* kept = static_cast<const VkAttachmentSampleCountInfoAMD*>(replay().pNext);
  ASSERT_NE(kept->pColorAttachmentSamples, nullptr);
  EXPECT_EQ(kept->pColorAttachmentSamples[1], VK_SAMPLE_COUNT_4_BIT);
}

TEST_F(PipelineStates, ThatAreDynamicHaveNoValues) {
  viewport_.viewportCount = viewport_.scissorCount = 2;
  viewport_.pViewports = garbage<VkViewport*>();
  viewport_.pScissors = garbage<VkRect2D*>();
  make_dynamic({VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT});
  const auto& back = replay();
  EXPECT_EQ(back.pViewportState->pViewports, nullptr);
  EXPECT_EQ(back.pViewportState->pScissors, nullptr);
  EXPECT_EQ(back.pViewportState->viewportCount, 2u);
}

TEST_F(PipelineStates, OfVertexInputAreIgnoredWhereDynamicOrMesh) {
  create_.pVertexInputState = garbage<VkPipelineVertexInputStateCreateInfo*>();
  make_dynamic({VK_DYNAMIC_STATE_VERTEX_INPUT_EXT});
  EXPECT_EQ(replay().pVertexInputState, nullptr);

  make_dynamic({});
  stages_[0].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
  create_.pInputAssemblyState = garbage<VkPipelineInputAssemblyStateCreateInfo*>();
  const auto& back = replay();
  EXPECT_EQ(back.pVertexInputState, nullptr);
  EXPECT_EQ(back.pInputAssemblyState, nullptr);
}

TEST_F(PipelineStates, OfTessellationNeedBothStages) {
  VkPipelineTessellationStateCreateInfo tessellation =
      titled<VkPipelineTessellationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO);
  tessellation.patchControlPoints = 3;
  create_.pTessellationState = &tessellation;
  stages_[0].stage = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  stages_[1].stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  EXPECT_EQ(replay().pTessellationState->patchControlPoints, 3u);
}

TEST_F(PipelineStates, OfALibraryAreThoseOfItsPart) {
  VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, nullptr,
                                                 VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
  create_.pNext = &library;
  create_.pStages = garbage<VkPipelineShaderStageCreateInfo*>();
  create_.pViewportState = garbage<VkPipelineViewportStateCreateInfo*>();
  create_.pRasterizationState = garbage<VkPipelineRasterizationStateCreateInfo*>();
  create_.pMultisampleState = garbage<VkPipelineMultisampleStateCreateInfo*>();
  create_.pDepthStencilState = garbage<VkPipelineDepthStencilStateCreateInfo*>();
  create_.pColorBlendState = garbage<VkPipelineColorBlendStateCreateInfo*>();
  const auto& back = replay();
  EXPECT_EQ(back.pStages, nullptr);
  EXPECT_EQ(back.pRasterizationState, nullptr);
  EXPECT_NE(back.pVertexInputState, nullptr);
}

TEST_F(PipelineStates, OfALibraryWithoutShadersHaveNoLayoutOrPass) {
  VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, nullptr,
                                                 VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
  create_.pNext = &library;
  create_.layout = garbage<VkPipelineLayout>();
  create_.renderPass = garbage<VkRenderPass>();
  EXPECT_EQ(replay().layout, VK_NULL_HANDLE);
  EXPECT_EQ(replay().renderPass, VK_NULL_HANDLE);
  library.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  create_.layout = handle<VkPipelineLayout>(31);
  create_.renderPass = handle<VkRenderPass>(30);
  EXPECT_EQ(replay().layout, create_.layout);
  EXPECT_EQ(replay().renderPass, create_.renderPass);
}

TEST_F(PipelineStates, FormatsAreThoseOfTheOutputsPartWithoutAPass) {
  const VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
  VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, nullptr,
                                                 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
  VkPipelineRenderingCreateInfo rendering =
      titled<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.colorAttachmentCount = 1;
  create_.pNext = &rendering;
  const auto formats = [&] {
    const auto* next = static_cast<const VkBaseInStructure*>(replay().pNext);
    return reinterpret_cast<const VkPipelineRenderingCreateInfo*>(next)->pColorAttachmentFormats;
  };
  rendering.pColorAttachmentFormats = garbage<VkFormat*>();
  EXPECT_EQ(formats(), nullptr) << "beside a render pass";
  create_.renderPass = VK_NULL_HANDLE;
  rendering.pNext = &library;
  library.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  EXPECT_EQ(formats(), nullptr) << "of another part";
  library.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
  rendering.pColorAttachmentFormats = &color;
  ASSERT_NE(formats(), nullptr);
  EXPECT_EQ(*formats(), color);
}

TEST_F(PipelineStates, DerivedByHandleKeepIt) {
  create_.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  create_.basePipelineHandle = handle<VkPipeline>(17);
  EXPECT_EQ(replay().basePipelineHandle, handle<VkPipeline>(17));
}

#ifdef VK_KHR_maintenance5
TEST_F(PipelineStates, DerivedByFlagsInTheChainKeepIt) {
  VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, create_.pNext,
                                           VK_PIPELINE_CREATE_2_DERIVATIVE_BIT_KHR};
  create_.pNext = &wide;
  create_.basePipelineHandle = handle<VkPipeline>(17);
  EXPECT_EQ(replay().basePipelineHandle, handle<VkPipeline>(17));
  wide.flags = 0;
  create_.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  create_.basePipelineHandle = garbage<VkPipeline>();
  EXPECT_EQ(replay().basePipelineHandle, VK_NULL_HANDLE) << "the member is ignored";
}
#endif

}  // namespace
}  // namespace rondo::test
