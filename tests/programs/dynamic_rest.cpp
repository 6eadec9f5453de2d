// SPDX-License-Identifier: Apache-2.0
// The dynamic states that lavapipe lacks: the rest of
// VK_EXT_extended_dynamic_state3, discard rectangles, sample locations, shading
// rates and depth bounds.
#include "dynamic.h"

using namespace program;

namespace {

using Buffer = VkCommandBuffer;
using Of = const Session&;
using On = const Stage&;

// A state that is a boolean: off in the first picture, on in the second.
#define SWITCH(text, state, command)                              \
  {                                                               \
    text, {state}, nullptr, [](Of s, On, Buffer b, bool second) { \
      LOAD(s, command);                                           \
      command(b, second);                                         \
    }                                                             \
  }

void bounded(Drawing& d) {
  d.depth.minDepthBounds = 0.75f;
  d.depth.maxDepthBounds = 1;
}
void overestimated(Drawing& d) {
  static const VkPipelineRasterizationConservativeStateCreateInfoEXT state{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT};
  d.raster.pNext = &state;
}
void discards(Drawing& d) {
  static const VkPipelineDiscardRectangleStateCreateInfoEXT inclusive{
      VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
      nullptr,
      0,
      VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT,
      1,
      nullptr};
  d.rendering.pNext = &inclusive;
}
void located(Drawing& d) {
  static const VkPipelineSampleLocationsStateCreateInfoEXT dynamic{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
      .sampleLocationsEnable = VK_TRUE,
      .sampleLocationsInfo = {.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT,
                              .sampleLocationsPerPixel = VK_SAMPLE_COUNT_1_BIT,
                              .sampleLocationGridSize = {1, 1}}};
  d.multisample.pNext = &dynamic;
}
void blends(Drawing& d) { d.attachments[0].blendEnable = VK_TRUE; }

void set_location(Of s, Buffer b, float x) {
  LOAD(s, vkCmdSetSampleLocationsEXT);
  const VkSampleLocationEXT location{x, 0.5f};
  const VkSampleLocationsInfoEXT info{
      VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT, nullptr, VK_SAMPLE_COUNT_1_BIT, {1, 1}, 1, &location};
  vkCmdSetSampleLocationsEXT(b, &info);
}

const std::vector<Case> kCases = {
    {"depth bounds test enable",
     {VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE},
     bounded,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetDepthBoundsTestEnableEXT);
       vkCmdSetDepthBoundsTestEnableEXT(b, second);
     }},
    {"rasterization stream",
     {VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetRasterizationStreamEXT);
       vkCmdSetRasterizationStreamEXT(b, second ? 1 : 0);
     }},
    {"conservative rasterization",
     {VK_DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT, VK_DYNAMIC_STATE_EXTRA_PRIMITIVE_OVERESTIMATION_SIZE_EXT},
     overestimated,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetConservativeRasterizationModeEXT);
       LOAD(s, vkCmdSetExtraPrimitiveOverestimationSizeEXT);
       vkCmdSetConservativeRasterizationModeEXT(b, second ? VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT
                                                          : VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT);
       vkCmdSetExtraPrimitiveOverestimationSizeEXT(b, 0);
     }},
    {"sample locations",
     {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT},
     located,
     [](Of s, On, Buffer b, bool second) { set_location(s, b, second ? 0.25f : 0.5f); }},
    {"sample locations enable",
     {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT},
     located,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetSampleLocationsEnableEXT);
       set_location(s, b, 0.25f);
       vkCmdSetSampleLocationsEnableEXT(b, second);
     }},
    {"advanced blending",
     {VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT},
     blends,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetColorBlendAdvancedEXT);
       const VkColorBlendAdvancedEXT advanced{second ? VK_BLEND_OP_SCREEN_EXT : VK_BLEND_OP_MULTIPLY_EXT, VK_TRUE,
                                              VK_TRUE, VK_BLEND_OVERLAP_UNCORRELATED_EXT, VK_FALSE};
       vkCmdSetColorBlendAdvancedEXT(b, 0, 1, &advanced);
     }},
    {"viewport swizzle",
     {VK_DYNAMIC_STATE_VIEWPORT_SWIZZLE_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetViewportSwizzleNV);
       const VkViewportSwizzleNV swizzle{
           second ? VK_VIEWPORT_COORDINATE_SWIZZLE_NEGATIVE_X_NV : VK_VIEWPORT_COORDINATE_SWIZZLE_POSITIVE_X_NV,
           VK_VIEWPORT_COORDINATE_SWIZZLE_POSITIVE_Y_NV, VK_VIEWPORT_COORDINATE_SWIZZLE_POSITIVE_Z_NV,
           VK_VIEWPORT_COORDINATE_SWIZZLE_POSITIVE_W_NV};
       vkCmdSetViewportSwizzleNV(b, 0, 1, &swizzle);
     }},
    {"coverage to color location",
     {VK_DYNAMIC_STATE_COVERAGE_TO_COLOR_LOCATION_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetCoverageToColorLocationNV);
       vkCmdSetCoverageToColorLocationNV(b, second ? 1 : 0);
     }},
    {"coverage modulation mode",
     {VK_DYNAMIC_STATE_COVERAGE_MODULATION_MODE_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetCoverageModulationModeNV);
       vkCmdSetCoverageModulationModeNV(
           b, second ? VK_COVERAGE_MODULATION_MODE_RGBA_NV : VK_COVERAGE_MODULATION_MODE_NONE_NV);
     }},
    {"coverage modulation table",
     {VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetCoverageModulationTableNV);
       const float table[2] = {0.5f, second ? 1.0f : 0.75f};
       vkCmdSetCoverageModulationTableNV(b, 2, table);
     }},
    {"coverage reduction mode",
     {VK_DYNAMIC_STATE_COVERAGE_REDUCTION_MODE_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetCoverageReductionModeNV);
       vkCmdSetCoverageReductionModeNV(
           b, second ? VK_COVERAGE_REDUCTION_MODE_TRUNCATE_NV : VK_COVERAGE_REDUCTION_MODE_MERGE_NV);
     }},
    SWITCH("coverage to color enable", VK_DYNAMIC_STATE_COVERAGE_TO_COLOR_ENABLE_NV, vkCmdSetCoverageToColorEnableNV),
    SWITCH("coverage modulation table enable", VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_ENABLE_NV,
           vkCmdSetCoverageModulationTableEnableNV),
    SWITCH("viewport w scaling enable", VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_ENABLE_NV,
           vkCmdSetViewportWScalingEnableNV),
    {"viewport w scaling",
     {VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetViewportWScalingNV);
       const VkViewportWScalingNV scaling{second ? 0.5f : 0.0f, 0};
       vkCmdSetViewportWScalingNV(b, 0, 1, &scaling);
     }},
    SWITCH("representative fragment test enable", VK_DYNAMIC_STATE_REPRESENTATIVE_FRAGMENT_TEST_ENABLE_NV,
           vkCmdSetRepresentativeFragmentTestEnableNV),
    {"discard rectangles",
     {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT},
     discards,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetDiscardRectangleEXT);
       const VkRect2D rectangle{{0, 0}, {second ? 8u : 16u, 16}};
       vkCmdSetDiscardRectangleEXT(b, 0, 1, &rectangle);
     }},
    {"fragment shading rate",
     {VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetFragmentShadingRateKHR);
       const VkExtent2D size{second ? 2u : 1u, 1};
       const VkFragmentShadingRateCombinerOpKHR keep[2] = {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR,
                                                           VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR};
       vkCmdSetFragmentShadingRateKHR(b, &size, keep);
     }},
};

// No device has these beside fragment shading rates.
const std::vector<Case> kImageRates = {
    {"shading rate palette",
     {VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetViewportShadingRatePaletteNV);
       const VkShadingRatePaletteEntryNV entry = second ? VK_SHADING_RATE_PALETTE_ENTRY_1_INVOCATION_PER_2X2_PIXELS_NV
                                                        : VK_SHADING_RATE_PALETTE_ENTRY_1_INVOCATION_PER_PIXEL_NV;
       const VkShadingRatePaletteNV palette{1, &entry};
       vkCmdSetViewportShadingRatePaletteNV(b, 0, 1, &palette);
     }},
    {"coarse sample order",
     {VK_DYNAMIC_STATE_VIEWPORT_COARSE_SAMPLE_ORDER_NV},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetCoarseSampleOrderNV);
       const VkCoarseSampleLocationNV first{0, 0, 0}, other{1, 0, 0};
       const VkCoarseSampleLocationNV both[2] = {second ? other : first, second ? first : other};
       const VkCoarseSampleOrderCustomNV order{VK_SHADING_RATE_PALETTE_ENTRY_1_INVOCATION_PER_2X1_PIXELS_NV, 1, 2,
                                               both};
       vkCmdSetCoarseSampleOrderNV(b, VK_COARSE_SAMPLE_ORDER_TYPE_CUSTOM_NV, 1, &order);
     }},
    {"shading rate image",
     {},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdBindShadingRateImageNV);
       vkCmdBindShadingRateImageNV(b, VK_NULL_HANDLE,
                                   second ? VK_IMAGE_LAYOUT_SHADING_RATE_OPTIMAL_NV : VK_IMAGE_LAYOUT_GENERAL);
     }},
    SWITCH("shading rate image enable", VK_DYNAMIC_STATE_SHADING_RATE_IMAGE_ENABLE_NV,
           vkCmdSetShadingRateImageEnableNV),
};

void ask(Session& s) {
  LOAD(s, vkGetPhysicalDeviceFragmentShadingRatesKHR);
  std::uint32_t count = 0;
  CHECK(vkGetPhysicalDeviceFragmentShadingRatesKHR(s.physical, &count, nullptr));
  EXPECT(s, count > 0);
  LOAD(s, vkGetPhysicalDeviceMultisamplePropertiesEXT);
  VkMultisamplePropertiesEXT grid{VK_STRUCTURE_TYPE_MULTISAMPLE_PROPERTIES_EXT};
  vkGetPhysicalDeviceMultisamplePropertiesEXT(s.physical, VK_SAMPLE_COUNT_1_BIT, &grid);
  EXPECT(s, grid.maxSampleLocationGridSize.width > 0);
  LOAD(s, vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV);
  CHECK(vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV(s.physical, &count, nullptr));
}

}  // namespace

int main() {
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
      .extendedDynamicState3RasterizationStream = VK_TRUE,
      .extendedDynamicState3ConservativeRasterizationMode = VK_TRUE,
      .extendedDynamicState3ExtraPrimitiveOverestimationSize = VK_TRUE,
      .extendedDynamicState3SampleLocationsEnable = VK_TRUE,
      .extendedDynamicState3ColorBlendAdvanced = VK_TRUE,
      .extendedDynamicState3ViewportWScalingEnable = VK_TRUE,
      .extendedDynamicState3ViewportSwizzle = VK_TRUE,
      .extendedDynamicState3CoverageToColorEnable = VK_TRUE,
      .extendedDynamicState3CoverageToColorLocation = VK_TRUE,
      .extendedDynamicState3CoverageModulationMode = VK_TRUE,
      .extendedDynamicState3CoverageModulationTableEnable = VK_TRUE,
      .extendedDynamicState3CoverageModulationTable = VK_TRUE,
      .extendedDynamicState3CoverageReductionMode = VK_TRUE,
      .extendedDynamicState3RepresentativeFragmentTestEnable = VK_TRUE,
      .extendedDynamicState3ShadingRateImageEnable = VK_TRUE};
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT first{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, &third, VK_TRUE};
  VkPhysicalDeviceTransformFeedbackFeaturesEXT streams{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, &first, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceBlendOperationAdvancedFeaturesEXT advanced{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT, &streams, VK_TRUE};
  VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR,
      .pNext = &advanced,
      .pipelineFragmentShadingRate = VK_TRUE};
  VkPhysicalDeviceVulkan13Features rendering{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &rates, .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.depthBounds = core.features.geometryShader = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                       VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,
                       VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                       VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME,
                       VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME,
                       VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME,
                       VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME,
                       VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME,
                       VK_NV_VIEWPORT_SWIZZLE_EXTENSION_NAME,
                       VK_NV_CLIP_SPACE_W_SCALING_EXTENSION_NAME,
                       VK_NV_FRAGMENT_COVERAGE_TO_COLOR_EXTENSION_NAME,
                       VK_NV_FRAMEBUFFER_MIXED_SAMPLES_EXTENSION_NAME,
                       VK_NV_COVERAGE_REDUCTION_MODE_EXTENSION_NAME,
                       VK_NV_SHADING_RATE_IMAGE_EXTENSION_NAME,
                       VK_NV_REPRESENTATIVE_FRAGMENT_TEST_EXTENSION_NAME};
  Session s = open("dynamic_rest", wanted);
  ask(s);
  draw_cases(s, kCases);
  const int status = finish(s);

  VkPhysicalDeviceShadingRateImageFeaturesNV image_rates{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADING_RATE_IMAGE_FEATURES_NV, &advanced, VK_TRUE, VK_TRUE};
  rendering.pNext = &image_rates;
  Session other = open("dynamic_rest", wanted);
  draw_cases(other, kImageRates);
  return finish(other) | status;
}
