// SPDX-License-Identifier: Apache-2.0
// Rules that something relaxes which the program enabled: what they refuse without it is played with it.
#include <algorithm>

#include "tests/unit/player_pipelines.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

// States that are null, with all that they say dynamic.
struct NullState {
  const char* member;
  std::vector<VkDynamicState> dynamic;
  void (*leave_out)(VkGraphicsPipelineCreateInfo&);
};

const std::vector<NullState>& null_states() {
  static const std::vector<NullState> all = {
      {"pInputAssemblyState",
       {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE},
       [](VkGraphicsPipelineCreateInfo& info) { info.pInputAssemblyState = nullptr; }},
      {"pViewportState",
       {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT},
       [](VkGraphicsPipelineCreateInfo& info) { info.pViewportState = nullptr; }},
      {"pRasterizationState",
       {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
        VK_DYNAMIC_STATE_POLYGON_MODE_EXT, VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE,
        VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, VK_DYNAMIC_STATE_DEPTH_BIAS, VK_DYNAMIC_STATE_LINE_WIDTH},
       [](VkGraphicsPipelineCreateInfo& info) { info.pRasterizationState = nullptr; }},
      {"pMultisampleState",
       {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
        VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT},
       [](VkGraphicsPipelineCreateInfo& info) { info.pMultisampleState = nullptr; }},
      {"pDepthStencilState",
       {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
        VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_OP,
        VK_DYNAMIC_STATE_DEPTH_BOUNDS},
       [](VkGraphicsPipelineCreateInfo& info) { info.pDepthStencilState = nullptr; }},
      {"pColorBlendState",
       {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VK_DYNAMIC_STATE_LOGIC_OP_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
        VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
        VK_DYNAMIC_STATE_BLEND_CONSTANTS},
       [](VkGraphicsPipelineCreateInfo& info) { info.pColorBlendState = nullptr; }},
      {"pTessellationState", {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT}, [](VkGraphicsPipelineCreateInfo& info) {
         info.pTessellationState = nullptr;
       }}};
  return all;
}

class NullStates : public GraphicsPipelines, public ::testing::WithParamInterface<NullState> {
 protected:
  explicit NullStates(const std::vector<const char*>& extensions = {}) : GraphicsPipelines(nullptr, extensions) {
    stages.assign(3, stage);
    stages[1].stage = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    stages[2].stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    info.stageCount = 3;
    info.pStages = stages.data();
    tessellation.patchControlPoints = 3;
    info.pTessellationState = &tessellation;
    rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
    info.pDepthStencilState = &depth;
  }
  void create_without(const NullState& state, std::vector<VkDynamicState> dynamic) {
    state.leave_out(info);
    states.dynamicStateCount = static_cast<std::uint32_t>(dynamic.size());
    states.pDynamicStates = dynamic.data();
    info.pDynamicState = &states;
    create_pipeline();
  }

  std::vector<VkPipelineShaderStageCreateInfo> stages;
  VkPipelineTessellationStateCreateInfo tessellation =
      of_type<VkPipelineTessellationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO);
  VkPipelineDepthStencilStateCreateInfo depth =
      of_type<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  VkPipelineDynamicStateCreateInfo states =
      of_type<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
};

class DynamicNullStates : public NullStates {
 protected:
  DynamicNullStates() : NullStates({VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME}) {}
};

TEST_P(NullStates, AreMissingWithoutTheExtension) {
  create_without(GetParam(), GetParam().dynamic);
  refuses(std::string(GetParam().member) + " is null");
}
TEST_P(DynamicNullStates, AreNotNeeded) {
  create_without(GetParam(), GetParam().dynamic);
  accepts();
}
TEST_P(DynamicNullStates, AreMissingWhereOneOfTheirValuesIsNotDynamic) {
  std::vector<VkDynamicState> dynamic = GetParam().dynamic;
  dynamic.pop_back();
  create_without(GetParam(), dynamic);
  refuses(std::string(GetParam().member) + " is null");
}
std::string name_of(const ::testing::TestParamInfo<NullState>& state) { return state.param.member; }
INSTANTIATE_TEST_SUITE_P(OfPipelines, NullStates, ::testing::ValuesIn(null_states()), name_of);
INSTANTIATE_TEST_SUITE_P(OfPipelines, DynamicNullStates, ::testing::ValuesIn(null_states()), name_of);

// alphaToOne is one of the values only where the feature is enabled.
const VkPhysicalDeviceFeatures2 kAlphaToOne = [] {
  auto features = of_type<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.features.alphaToOne = VK_TRUE;
  return features;
}();
struct AlphaToOne : GraphicsPipelines {
  AlphaToOne() : GraphicsPipelines(&kAlphaToOne, {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME}) {}
  void create(std::vector<VkDynamicState> dynamic) {
    auto states = of_type<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
    states.dynamicStateCount = static_cast<std::uint32_t>(dynamic.size());
    states.pDynamicStates = dynamic.data();
    info.pDynamicState = &states;
    info.pMultisampleState = nullptr;
    create_pipeline();
  }
  std::vector<VkDynamicState> three = {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
                                       VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT};
};
TEST_F(AlphaToOne, IsDynamicToo) {
  three.push_back(VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT);
  create(three);
  accepts();
}
TEST_F(AlphaToOne, IsMissing) {
  create(three);
  refuses("pMultisampleState is null");
}

using StatesOfParts = GraphicsPipelines;
TEST_F(StatesOfParts, BlendNothingWhereNoAttachmentHasAFormat) {
  const VkFormat none = VK_FORMAT_UNDEFINED;
  rendering.pColorAttachmentFormats = &none;
  info.pColorBlendState = nullptr;
  create_pipeline();
  accepts();
}
TEST_F(StatesOfParts, FragmentShadersOfDynamicRenderingNeedNoSamples) {
  auto part =
      of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.pNext = &part;
  stage.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  info.pMultisampleState = nullptr;
  create_pipeline();
  accepts();
}
TEST_F(StatesOfParts, OutputsNeedSamples) {
  auto part =
      of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.pNext = &part;
  info.pMultisampleState = nullptr;
  create_pipeline();
  refuses("pMultisampleState is null");
}

class Blits : public Sloppy {
 protected:
  explicit Blits(const std::vector<const char*>& extensions = {}) : Sloppy(VK_API_VERSION_1_0, nullptr, extensions) {}
  VkImage image(VkImageType type, std::uint32_t depth, std::uint32_t layers) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = type;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {16, 16, depth};
    info.mipLevels = 1;
    info.arrayLayers = layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const auto made = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, made, allocate(1 << 20), 0}, ok());
    return made;
  }
  // `slices` of a 3D image to as many layers.
  void blit(std::int32_t slices, std::uint32_t layers, VkFilter filter = VK_FILTER_NEAREST) {
    VkImageBlit region{};
    region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers};
    region.srcOffsets[1] = {16, 16, slices};
    region.dstOffsets[1] = {16, 16, 1};
    capture.call(CommandId::vkCmdBlitImage,
                 args_vkCmdBlitImage{recording(), image(VK_IMAGE_TYPE_3D, 4, 1), VK_IMAGE_LAYOUT_GENERAL,
                                     image(VK_IMAGE_TYPE_2D, 1, 4), VK_IMAGE_LAYOUT_GENERAL, 1, &region, filter});
  }
};
class Resolves : public Sloppy {
 protected:
  explicit Resolves(const std::vector<const char*>& extensions = {})
      : Sloppy(VK_API_VERSION_1_0, nullptr, extensions) {}
  VkImage image(VkFormat format, VkSampleCountFlagBits samples) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {16, 16, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = samples;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const auto made = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, made, allocate(1 << 20), 0}, ok());
    return made;
  }
  void resolve(VkFormat from, VkFormat to, VkImageAspectFlags aspect) {
    const VkImageResolve region{{aspect, 0, 0, 1}, {}, {aspect, 0, 0, 1}, {}, {16, 16, 1}};
    capture.call(CommandId::vkCmdResolveImage,
                 args_vkCmdResolveImage{recording(), image(from, VK_SAMPLE_COUNT_4_BIT), VK_IMAGE_LAYOUT_GENERAL,
                                        image(to, VK_SAMPLE_COUNT_1_BIT), VK_IMAGE_LAYOUT_GENERAL, 1, &region});
  }
};
struct ResolvesOfDepth : Resolves {
  ResolvesOfDepth() : Resolves({"VK_KHR_maintenance10"}) {}
};

TEST_F(Resolves, AreOfColors) {
  resolve(VK_FORMAT_D32_SFLOAT, VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT);
  refuses("a region names another aspect than color");
}
TEST_F(Resolves, AreToTheSameFormat) {
  resolve(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  refuses("the images have different formats");
}
TEST_F(ResolvesOfDepth, AreAllowed) {
  resolve(VK_FORMAT_D32_SFLOAT, VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT);
  accepts();
}
TEST_F(ResolvesOfDepth, AreToFormatsThatShareIt) {
  resolve(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT);
  accepts();
}
TEST_F(ResolvesOfDepth, AreNotToColors) {
  resolve(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  refuses("the images have different formats");
}

struct BlitsOfSlices : Blits {
  BlitsOfSlices() : Blits({"VK_KHR_maintenance8"}) {}
};
struct CubicBlits : Blits {
  CubicBlits() : Blits({VK_EXT_FILTER_CUBIC_EXTENSION_NAME}) {}
};

TEST_F(Blits, OfSlicesAreToNoLayers) {
  blit(3, 3);
  refuses("a region's source has other layers than its target");
}
TEST_F(BlitsOfSlices, AreToAsManyLayers) {
  blit(3, 3);
  accepts();
}
TEST_F(BlitsOfSlices, AreNotToMoreLayers) {
  blit(3, 4);
  refuses("a region's source has other layers than its target");
}
TEST_F(Blits, AreNotCubic) {
  blit(1, 1, VK_FILTER_CUBIC_EXT);
  refuses("filter is cubic");
}
TEST_F(CubicBlits, AreCubic) {
  blit(1, 1, VK_FILTER_CUBIC_EXT);
  accepts();
}

#ifdef VK_KHR_maintenance6  // before, no index buffer may be null
struct NullIndices : GraphicsPipelines {
  explicit NullIndices(const std::vector<const char*>& extensions = {}) : GraphicsPipelines(nullptr, extensions) {}
  void draw() {
    const VkPipeline pipeline = create_pipeline();
    const VkCommandBuffer recorded = recording();
    auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    pass.layerCount = 1;
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{recorded, &pass});
    capture.call(CommandId::vkCmdBindPipeline,
                 args_vkCmdBindPipeline{recorded, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline});
    capture.call(CommandId::vkCmdBindIndexBuffer,
                 args_vkCmdBindIndexBuffer{recorded, VK_NULL_HANDLE, 0, VK_INDEX_TYPE_UINT32});
    capture.call(CommandId::vkCmdDrawIndexed, args_vkCmdDrawIndexed{recorded, 26, 1, 0, 0, 0});
  }
};
struct AllowedNullIndices : NullIndices {
  AllowedNullIndices() : NullIndices({"VK_KHR_maintenance6"}) {}
};
TEST_F(NullIndices, AreNotDrawnWith) {
  draw();
  refuses("no index buffer is bound");
}
TEST_F(AllowedNullIndices, AreDrawnWith) {
  draw();
  accepts();
}
#endif

}  // namespace
}  // namespace rondo::test
