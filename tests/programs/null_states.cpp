// SPDX-License-Identifier: Apache-2.0
// States of a pipeline that are null because all that they say is dynamic (VK_EXT_extended_dynamic_state3):
// each once, and drawn with.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;

struct State {
  const char* name;
  std::vector<VkDynamicState> dynamic;
  void (*leave_out)(VkGraphicsPipelineCreateInfo&);
  void (*set)(const Session&);
};

void set_depth(const Session& s) {
  vkCmdSetDepthTestEnable(s.cmd, VK_TRUE);
  vkCmdSetDepthWriteEnable(s.cmd, VK_TRUE);
  vkCmdSetDepthCompareOp(s.cmd, VK_COMPARE_OP_ALWAYS);
  vkCmdSetDepthBoundsTestEnable(s.cmd, VK_FALSE);
  vkCmdSetStencilTestEnable(s.cmd, VK_FALSE);
  vkCmdSetStencilOp(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP,
                    VK_COMPARE_OP_ALWAYS);
  vkCmdSetDepthBounds(s.cmd, 0, 1);
  vkCmdSetStencilCompareMask(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
  vkCmdSetStencilWriteMask(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
  vkCmdSetStencilReference(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
}

void set_blending(const Session& s) {
  LOAD(s, vkCmdSetColorBlendEnableEXT);
  LOAD(s, vkCmdSetColorBlendEquationEXT);
  LOAD(s, vkCmdSetColorWriteMaskEXT);
  LOAD(s, vkCmdSetLogicOpEnableEXT);
  LOAD(s, vkCmdSetLogicOpEXT);
  const VkBool32 off = VK_FALSE;
  const VkColorBlendEquationEXT plain{VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD,
                                      VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
  const VkColorComponentFlags all = 0xf;
  const float constants[4] = {};
  vkCmdSetColorBlendEnableEXT(s.cmd, 0, 1, &off);
  vkCmdSetColorBlendEquationEXT(s.cmd, 0, 1, &plain);
  vkCmdSetColorWriteMaskEXT(s.cmd, 0, 1, &all);
  vkCmdSetLogicOpEnableEXT(s.cmd, VK_FALSE);
  vkCmdSetLogicOpEXT(s.cmd, VK_LOGIC_OP_COPY);
  vkCmdSetBlendConstants(s.cmd, constants);
}

void set_viewports(const Session& s) {
  const VkViewport viewport{0, 0, kExtent, kExtent, 0, 1};
  const VkRect2D scissor{{0, 0}, {kExtent, kExtent}};
  vkCmdSetViewportWithCount(s.cmd, 1, &viewport);
  vkCmdSetScissorWithCount(s.cmd, 1, &scissor);
}

void set_samples(const Session& s) {
  LOAD(s, vkCmdSetRasterizationSamplesEXT);
  LOAD(s, vkCmdSetSampleMaskEXT);
  LOAD(s, vkCmdSetAlphaToCoverageEnableEXT);
  const VkSampleMask all = ~0u;
  vkCmdSetRasterizationSamplesEXT(s.cmd, VK_SAMPLE_COUNT_1_BIT);
  vkCmdSetSampleMaskEXT(s.cmd, VK_SAMPLE_COUNT_1_BIT, &all);
  vkCmdSetAlphaToCoverageEnableEXT(s.cmd, VK_FALSE);
}

void set_rasterization(const Session& s) {
  LOAD(s, vkCmdSetDepthClampEnableEXT);
  LOAD(s, vkCmdSetPolygonModeEXT);
  vkCmdSetDepthClampEnableEXT(s.cmd, VK_FALSE);
  vkCmdSetRasterizerDiscardEnable(s.cmd, VK_FALSE);
  vkCmdSetPolygonModeEXT(s.cmd, VK_POLYGON_MODE_FILL);
  vkCmdSetCullMode(s.cmd, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace(s.cmd, VK_FRONT_FACE_CLOCKWISE);
  vkCmdSetDepthBiasEnable(s.cmd, VK_FALSE);
  vkCmdSetDepthBias(s.cmd, 0, 0, 0);
  vkCmdSetLineWidth(s.cmd, 1);
}

void set_topology(const Session& s) {
  vkCmdSetPrimitiveTopology(s.cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
  vkCmdSetPrimitiveRestartEnable(s.cmd, VK_FALSE);
}

const State kStates[] = {
    {"depth",
     {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
      VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_OP,
      VK_DYNAMIC_STATE_DEPTH_BOUNDS,
      // Drivers of the extension's first years look for these, too.
      VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE},
     [](VkGraphicsPipelineCreateInfo& info) { info.pDepthStencilState = nullptr; },
     set_depth},
    {"blending",
     {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VK_DYNAMIC_STATE_LOGIC_OP_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
      VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
      VK_DYNAMIC_STATE_BLEND_CONSTANTS},
     [](VkGraphicsPipelineCreateInfo& info) { info.pColorBlendState = nullptr; },
     set_blending},
    {"viewports",
     {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT},
     [](VkGraphicsPipelineCreateInfo& info) { info.pViewportState = nullptr; },
     set_viewports},
    {"samples",
     {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
      VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT},
     [](VkGraphicsPipelineCreateInfo& info) { info.pMultisampleState = nullptr; },
     set_samples},
    {"rasterization",
     {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
      VK_DYNAMIC_STATE_POLYGON_MODE_EXT, VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE,
      VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, VK_DYNAMIC_STATE_DEPTH_BIAS, VK_DYNAMIC_STATE_LINE_WIDTH},
     [](VkGraphicsPipelineCreateInfo& info) { info.pRasterizationState = nullptr; },
     set_rasterization},
    {"assembly",
     {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE},
     [](VkGraphicsPipelineCreateInfo& info) { info.pInputAssemblyState = nullptr; },
     set_topology},
};

VkPipeline build_without(Session& s, Drawing& d, const State& state) {
  const bool counts = state.set == set_viewports;
  std::vector<VkDynamicState> dynamic = counts ? std::vector<VkDynamicState>{} : d.dynamic;
  dynamic.insert(dynamic.end(), state.dynamic.begin(), state.dynamic.end());
  d.blend.attachmentCount = static_cast<std::uint32_t>(d.attachments.size());
  d.blend.pAttachments = d.attachments.data();
  d.rendering.colorAttachmentCount = static_cast<std::uint32_t>(d.formats.size());
  d.rendering.pColorAttachmentFormats = d.formats.data();
  d.rendering.depthAttachmentFormat = kDepth;
  const VkPipelineDynamicStateCreateInfo states{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0,
                                                static_cast<std::uint32_t>(dynamic.size()), dynamic.data()};
  VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                    .pNext = &d.rendering,
                                    .stageCount = static_cast<std::uint32_t>(d.stages.size()),
                                    .pStages = d.stages.data(),
                                    .pVertexInputState = &d.input,
                                    .pInputAssemblyState = &d.assembly,
                                    .pViewportState = &d.viewport,
                                    .pRasterizationState = &d.raster,
                                    .pMultisampleState = &d.multisample,
                                    .pDepthStencilState = &d.depth,
                                    .pColorBlendState = &d.blend,
                                    .pDynamicState = &states,
                                    .layout = d.layout};
  state.leave_out(info);
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

void draws_half(Session& s, const State& state) {
  Drawing d = shapes(s);
  const VkPipeline pipeline = build_without(s, d, state);
  const Image canvas = create_canvas(s, kExtent);
  const Image depth = create_image(s, image_info(kDepth, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
                                   VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  transition(s.cmd, depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const MappedBuffer picture = create_readback(s, VkDeviceSize{4} * kTexels);
  const VkRenderingAttachmentInfo color = attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  VkRenderingAttachmentInfo tested = attachment(depth.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  tested.clearValue.depthStencil.depth = 1;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color,
                             .pDepthAttachment = &tested};
  vkCmdBeginRendering(s.cmd, &info);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  if (state.set != set_viewports) set_area(s.cmd, kExtent);
  state.set(s);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {1, 0, 0, 1}});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, picture);
  run(s);
  add(s, picture);
  EXPECT(s, count(picture.words, kTexels, kRed) == kTexels / 2);
}

}  // namespace

int main(int argc, char** argv) {
  // Drivers of the extension's first years need the others all the same.
  const std::uint32_t only = option(argc, argv, "--state", std::size(kStates));
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
      .extendedDynamicState3DepthClampEnable = VK_TRUE,
      .extendedDynamicState3PolygonMode = VK_TRUE,
      .extendedDynamicState3RasterizationSamples = VK_TRUE,
      .extendedDynamicState3SampleMask = VK_TRUE,
      .extendedDynamicState3AlphaToCoverageEnable = VK_TRUE,
      .extendedDynamicState3LogicOpEnable = VK_TRUE,
      .extendedDynamicState3ColorBlendEnable = VK_TRUE,
      .extendedDynamicState3ColorBlendEquation = VK_TRUE,
      .extendedDynamicState3ColorWriteMask = VK_TRUE};
  VkPhysicalDeviceExtendedDynamicState2FeaturesEXT second{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
      .pNext = &third,
      .extendedDynamicState2 = VK_TRUE,
      .extendedDynamicState2LogicOp = VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &second, VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  wanted.extensions = {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME};
  Session s = open("null_states", wanted);
  for (std::uint32_t i = 0; i < std::size(kStates); ++i)
    if (only == std::size(kStates) || only == i) draws_half(s, kStates[i]);
  return finish(s);
}
