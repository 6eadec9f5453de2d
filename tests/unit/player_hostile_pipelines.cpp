// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines without the states that they need.
#include "tests/unit/player_hostile.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostilePipelines : public test::PlayerHostile {
 protected:
  explicit HostilePipelines(const void* device_chain = nullptr)
      : PlayerHostile(VK_API_VERSION_1_0, device_chain) {
    const std::uint32_t code[5] = {0x07230203};
    auto module_info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = sizeof code;
    module_info.pCode = code;
    stage.module =
        create<VkShaderModule, args_vkCreateShaderModule>(CommandId::vkCreateShaderModule, module_info);
    stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
    stage.pName = "main";
    const auto layout_info =
        of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.layout =
        create<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, layout_info);
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
  VkPipelineVertexInputStateCreateInfo input = of_type<VkPipelineVertexInputStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  VkPipelineInputAssemblyStateCreateInfo assembly = of_type<VkPipelineInputAssemblyStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  VkPipelineViewportStateCreateInfo viewports =
      of_type<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  VkPipelineRasterizationStateCreateInfo rasterization = of_type<VkPipelineRasterizationStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  VkPipelineMultisampleStateCreateInfo multisample =
      of_type<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  VkPipelineColorBlendStateCreateInfo blend =
      of_type<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  VkPipelineRenderingCreateInfo rendering =
      of_type<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  VkGraphicsPipelineCreateInfo info =
      of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
};

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
  auto parts = of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(
      VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
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
  auto part = of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(
      VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  part.pNext = &rendering;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.pNext = &part;
  info.pStages = nullptr;
  create_pipeline();
  refuses("pStages is null");
}

TEST_F(HostilePipelines, PartsBeforeTheRasterizerNeedViewports) {
  auto parts = of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(
      VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
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
  auto features = of_type<VkPhysicalDeviceRobustness2FeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
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
