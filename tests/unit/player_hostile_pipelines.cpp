// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines without the states that they need.
#include "tests/unit/player_pipelines.h"

namespace rondo::player {
namespace {

using test::of_type;
using test::ok;

using HostilePipelines = test::GraphicsPipelines;

TEST_F(HostilePipelines, AreMadeWithAllTheirStates) {
  create_pipeline();
  accepts();
}
TEST_F(HostilePipelines, NeedAViewportState) {
  info.pViewportState = nullptr;
  create_pipeline();
  refuses("pViewportState");
}
TEST_F(HostilePipelines, NeedARasterizationState) {
  info.pRasterizationState = nullptr;
  create_pipeline();
  refuses("pRasterizationState");
}
TEST_F(HostilePipelines, NeedTheFormatsOfWhatTheyDrawTo) {
  rendering.pColorAttachmentFormats = nullptr;
  create_pipeline();
  refuses("pColorAttachmentFormats is null");
}

TEST_F(HostilePipelines, NeedViewportsThatAreNotDynamic) {
  viewports.pViewports = nullptr;
  create_pipeline();
  refuses("pViewports is null");
}
TEST_F(HostilePipelines, BlendEveryAttachment) {
  blend.attachmentCount = 0;
  create_pipeline();
  refuses("blends 0 attachments of 1");
}
TEST_F(HostilePipelines, BlendNothingWhereAllIsUnused) {
  const VkAttachmentReference unused{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &unused;
  auto pass = of_type<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  pass.subpassCount = 1;
  pass.pSubpasses = &subpass;
  info.pNext = nullptr;
  info.renderPass = create<VkRenderPass, args_vkCreateRenderPass>(CommandId::vkCreateRenderPass, pass);
  info.pColorBlendState = nullptr;
  create_pipeline();
  accepts();
}
TEST_F(HostilePipelines, NeedAVertexShader) {
  stage.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  create_pipeline();
  refuses("has no vertex shader");
}
TEST_F(HostilePipelines, PartsHaveTheStatesOfTheirs) {
  auto parts =
      of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  info.pNext = &parts;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  parts.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
  info.pVertexInputState = nullptr;
  info.pViewportState = nullptr;
  create_pipeline();
  parts.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  info.pViewportState = &viewports;
  create_pipeline();
  parts.flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT;
  create_pipeline();
  refuses("pVertexInputState is null");
}
TEST_F(HostilePipelines, PartsWithShadersNeedTheirStages) {
  auto part =
      of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  part.pNext = &rendering;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.pNext = &part;
  info.pStages = nullptr;
  create_pipeline();
  refuses("pStages is null");
}

TEST_F(HostilePipelines, PartsBeforeTheRasterizerNeedViewports) {
  auto parts =
      of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  parts.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  info.pNext = &parts;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  viewports.pViewports = nullptr;
  create_pipeline();
  refuses("pViewports is null");
}
const VkPhysicalDeviceFeatures2 kRobust = [] {
  auto features = of_type<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.features.robustBufferAccess = VK_TRUE;
  return features;
}();
struct RobustPipelines : HostilePipelines {
  RobustPipelines() : HostilePipelines(&kRobust) {}
};
TEST_F(HostilePipelines, DrawWithIndicesThatAreThere) {
  draw_beyond_the_indices();
  refuses("the index buffer has 104 bytes at 0 of VkBuffer#0, which has 100");
}
TEST_F(RobustPipelines, DrawBeyondTheirIndices) {
  draw_beyond_the_indices();
  accepts();
}
// So many offsets are no part of the record, where the player could set them right.
const VkPhysicalDeviceRobustness2FeaturesEXT kNullDescriptors = [] {
  auto features =
      of_type<VkPhysicalDeviceRobustness2FeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
  features.nullDescriptor = VK_TRUE;
  return features;
}();
struct NullBuffers : test::PlayerHostile {
  NullBuffers() : test::PlayerHostile(VK_API_VERSION_1_0, &kNullDescriptors) {}
  void bind(std::uint32_t count) {
    const std::vector<VkBuffer> buffers(count);
    std::vector<VkDeviceSize> offsets(count);
    offsets.back() = 8;
    capture.call(CommandId::vkCmdBindVertexBuffers,
                 args_vkCmdBindVertexBuffers{recording(), 0, count, buffers.data(), offsets.data()});
  }
};
TEST_F(NullBuffers, HaveNoOffset) {
  bind(2);
  accepts();
}
TEST_F(NullBuffers, HaveNoOffsetWhereThereAreVeryMany) {
  bind(100);
  refuses("the offset of null buffer 99 is not 0");
}
TEST_F(HostilePipelines, TakeAttributesFromBindingsThatAreThere) {
  const VkVertexInputAttributeDescription description{0, 2, VK_FORMAT_R32_SFLOAT, 0};
  input.vertexAttributeDescriptionCount = 1;
  input.pVertexAttributeDescriptions = &description;
  create_pipeline();
  refuses("a vertex attribute is of binding 2");
}

}  // namespace
}  // namespace rondo::player
