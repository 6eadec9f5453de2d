// SPDX-License-Identifier: Apache-2.0
// The dynamic states of VK_EXT_extended_dynamic_state3 that lavapipe has, and
// those of the smaller extensions: vertex input, colour writes, line stipple.
#include "dynamic.h"

using namespace program;

namespace {

using Buffer = VkCommandBuffer;
using Of = const Session&;
using On = const Stage&;

void lines(Drawing& d) {
  static const VkPipelineRasterizationLineStateCreateInfoEXT stippled{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
      nullptr,
      VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
      VK_TRUE,
      1,
      0x3333};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
  d.raster.pNext = &stippled;
}
void smooth(Drawing& d) {
  static const VkPipelineRasterizationLineStateCreateInfoEXT plain{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
  d.raster.pNext = &plain;
  d.raster.lineWidth = 4;
}
void clipped(Drawing& d) {
  static const VkPipelineRasterizationDepthClipStateCreateInfoEXT clip{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT, nullptr, 0, VK_TRUE};
  d.raster.pNext = &clip;
}
void both_depths(Drawing& d) {
  static const VkPipelineViewportDepthClipControlCreateInfoEXT control{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, nullptr, VK_TRUE};
  d.viewport.pNext = &control;
}
void last_provokes(Drawing& d) {
  static const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT last{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
      VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
  d.raster.pNext = &last;
}
void culls(Drawing& d) { d.raster.cullMode = VK_CULL_MODE_BACK_BIT; }
void inverts(Drawing& d) { d.blend.logicOp = VK_LOGIC_OP_INVERT; }
void adds(Drawing& d) {
  d.attachments[0] = {VK_TRUE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_OP_ADD,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_OP_ADD,
                      0xf};
}

const std::vector<Case> kCases = {
    {"tessellation domain origin",
     {VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT},
     culls,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetTessellationDomainOriginEXT);
       vkCmdSetTessellationDomainOriginEXT(
           b, second ? VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT : VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
     },
     0.25f,
     0.5f,
     false,
     true},
    {"depth clamp enable",
     {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetDepthClampEnableEXT);
       vkCmdSetDepthClampEnableEXT(b, second);
     },
     1.5f},
    {"polygon mode",
     {VK_DYNAMIC_STATE_POLYGON_MODE_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetPolygonModeEXT);
       vkCmdSetPolygonModeEXT(b, second ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL);
     }},
    {"sample mask",
     {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetSampleMaskEXT);
       const VkSampleMask mask = second ? 1 : 0;
       vkCmdSetSampleMaskEXT(b, VK_SAMPLE_COUNT_1_BIT, &mask);
     }},
    {"alpha to coverage enable",
     {VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetAlphaToCoverageEnableEXT);
       vkCmdSetAlphaToCoverageEnableEXT(b, second);
     },
     0.25f,
     0},
    {"alpha to one enable",
     {VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetAlphaToOneEnableEXT);
       vkCmdSetAlphaToOneEnableEXT(b, second);
     }},
    {"logic op enable",
     {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT},
     inverts,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetLogicOpEnableEXT);
       vkCmdSetLogicOpEnableEXT(b, second);
     }},
    {"color blend enable",
     {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT},
     adds,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorBlendEnableEXT);
       const VkBool32 enable = second;
       vkCmdSetColorBlendEnableEXT(b, 0, 1, &enable);
     }},
    {"color blend equation",
     {VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT},
     adds,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorBlendEquationEXT);
       const VkColorBlendEquationEXT e{
           VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE,  second ? VK_BLEND_OP_REVERSE_SUBTRACT : VK_BLEND_OP_ADD,
           VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
       vkCmdSetColorBlendEquationEXT(b, 0, 1, &e);
     }},
    {"color write mask",
     {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorWriteMaskEXT);
       const VkColorComponentFlags mask = second ? 0x5 : 0xf;
       vkCmdSetColorWriteMaskEXT(b, 0, 1, &mask);
     }},
    {"all of color blending",
     {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
      VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorBlendEnableEXT);
       LOAD(s, vkCmdSetColorBlendEquationEXT);
       LOAD(s, vkCmdSetColorWriteMaskEXT);
       const VkBool32 enable = second;
       const VkColorBlendEquationEXT e{VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE,  VK_BLEND_OP_ADD,
                                       VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
       const VkColorComponentFlags mask = 0xf;
       vkCmdSetColorBlendEnableEXT(b, 0, 1, &enable);
       vkCmdSetColorBlendEquationEXT(b, 0, 1, &e);
       vkCmdSetColorWriteMaskEXT(b, 0, 1, &mask);
     }},
    {"depth clip enable",
     {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT},
     clipped,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetDepthClipEnableEXT);
       vkCmdSetDepthClipEnableEXT(b, second);
     },
     1.5f},
    {"provoking vertex mode",
     {VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT},
     last_provokes,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetProvokingVertexModeEXT);
       vkCmdSetProvokingVertexModeEXT(
           b, second ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT);
     },
     0.25f,
     0.5f,
     true},
    {"line rasterization mode",
     {VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT},
     smooth,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetLineRasterizationModeEXT);
       vkCmdSetLineRasterizationModeEXT(
           b, second ? VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT : VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT);
     }},
    {"line stipple enable",
     {VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT},
     lines,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetLineStippleEnableEXT);
       vkCmdSetLineStippleEnableEXT(b, second);
     }},
    {"line stipple",
     {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT},
     lines,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetLineStippleEXT);
       vkCmdSetLineStippleEXT(b, second ? 2 : 1, 0x5555);
     }},
    {"depth clip negative one to one",
     {VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT},
     both_depths,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetDepthClipNegativeOneToOneEXT);
       vkCmdSetDepthClipNegativeOneToOneEXT(b, second);
     },
     -0.5f},
    {"vertex input",
     {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetVertexInputEXT);
       const VkVertexInputBindingDescription2EXT binding{
           VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, nullptr, 0, 8, VK_VERTEX_INPUT_RATE_VERTEX, 1};
       const VkVertexInputAttributeDescription2EXT attribute{VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                             nullptr,
                                                             0,
                                                             0,
                                                             VK_FORMAT_R32G32_SFLOAT,
                                                             second ? 8u : 0u};
       vkCmdSetVertexInputEXT(b, 1, &binding, 1, &attribute);
     },
     0.25f,
     0.5f,
     true},
    {"color write enable",
     {VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorWriteEnableEXT);
       const VkBool32 enable = second;
       vkCmdSetColorWriteEnableEXT(b, 1, &enable);
     }},
};

}  // namespace

int main() {
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
      .extendedDynamicState3TessellationDomainOrigin = VK_TRUE,
      .extendedDynamicState3DepthClampEnable = VK_TRUE,
      .extendedDynamicState3PolygonMode = VK_TRUE,
      .extendedDynamicState3SampleMask = VK_TRUE,
      .extendedDynamicState3AlphaToCoverageEnable = VK_TRUE,
      .extendedDynamicState3AlphaToOneEnable = VK_TRUE,
      .extendedDynamicState3LogicOpEnable = VK_TRUE,
      .extendedDynamicState3ColorBlendEnable = VK_TRUE,
      .extendedDynamicState3ColorBlendEquation = VK_TRUE,
      .extendedDynamicState3ColorWriteMask = VK_TRUE,
      .extendedDynamicState3DepthClipEnable = VK_TRUE,
      .extendedDynamicState3ProvokingVertexMode = VK_TRUE,
      .extendedDynamicState3LineRasterizationMode = VK_TRUE,
      .extendedDynamicState3LineStippleEnable = VK_TRUE,
      .extendedDynamicState3DepthClipNegativeOneToOne = VK_TRUE};
  VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT input{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT, &third, VK_TRUE};
  VkPhysicalDeviceColorWriteEnableFeaturesEXT writes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT,
                                                     &input, VK_TRUE};
  VkPhysicalDeviceLineRasterizationFeaturesEXT line{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
      .pNext = &writes,
      .rectangularLines = VK_TRUE,
      .bresenhamLines = VK_TRUE,
      .stippledBresenhamLines = VK_TRUE};
  VkPhysicalDeviceDepthClipEnableFeaturesEXT clip{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT,
                                                  &line, VK_TRUE};
  VkPhysicalDeviceDepthClipControlFeaturesEXT control{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT,
                                                      &clip, VK_TRUE};
  VkPhysicalDeviceProvokingVertexFeaturesEXT provoking{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
                                                       &control, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceVulkan13Features rendering{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &provoking, .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.logicOp = core.features.wideLines = core.features.fillModeNonSolid = VK_TRUE;
  core.features.depthClamp = core.features.alphaToOne = core.features.tessellationShader = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                       VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME,       VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
                       VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,        VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
                       VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME};
  Session s = open("dynamic3", wanted);
  draw_cases(s, kCases);
  return finish(s);
}
