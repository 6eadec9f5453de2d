// SPDX-License-Identifier: Apache-2.0
// The patterns that the fake driver's draws and dispatches leave: others if
// anything that they are given is, and the same if only handles are.
#include <cstring>
#include <set>

#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;
using fake_test::shader;

class FakePatterns : public FakeDevice {
 protected:
  struct Given {
    std::uint32_t salt = 0;      // of the shader
    std::uint32_t constant = 5;  // specialization
    std::uint8_t pushed = 1;
    std::uint8_t read = 2;     // a byte of the buffer that is read
    std::uint8_t written = 3;  // … that was in the buffer which is written
    std::uint32_t groups = 4;
    std::uint32_t other_objects = 0;  // made before, so that handles differ
    std::uint32_t offset = 0;         // of the descriptor that is read
    bool barrier = true;
  };

  std::vector<std::uint8_t> dispatch(const Given& given) {
    for (std::uint32_t i = 0; i < given.other_objects; ++i) {
      make_buffer(64);
      make_shader(shader(1, 0, 1000 + i));
      make_fence();
    }
    const MappedBuffer in = make_buffer(512, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const MappedBuffer out = make_buffer(128, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    in.bytes[100] = given.read;
    out.bytes[20] = given.written;

    VkDescriptorSetLayoutBinding bindings[2]{};
    for (std::uint32_t i = 0; i < 2; ++i)
      bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set_layout_info{};
    set_layout_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set_layout_info.bindingCount = 2;
    set_layout_info.pBindings = bindings;
    VkDescriptorSetLayout set_layout;
    EXPECT_EQ(vk.vkCreateDescriptorSetLayout(device, &set_layout_info, nullptr, &set_layout), VK_SUCCESS);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo layout_info{};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &set_layout;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    VkPipelineLayout layout;
    EXPECT_EQ(vk.vkCreatePipelineLayout(device, &layout_info, nullptr, &layout), VK_SUCCESS);

    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo constants{1, &entry, 4, &given.constant};
    VkComputePipelineCreateInfo pipeline_info{};
    pipeline_info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline_info.stage.module = make_shader(shader(2, 1, given.salt));
    pipeline_info.stage.pName = "main";
    pipeline_info.stage.pSpecializationInfo = &constants;
    pipeline_info.layout = layout;
    VkPipeline pipeline;
    EXPECT_EQ(vk.vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &pipeline), VK_SUCCESS);

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &size;
    VkDescriptorPool descriptors;
    EXPECT_EQ(vk.vkCreateDescriptorPool(device, &pool_info, nullptr, &descriptors), VK_SUCCESS);
    VkDescriptorSetAllocateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set_info.descriptorPool = descriptors;
    set_info.descriptorSetCount = 1;
    set_info.pSetLayouts = &set_layout;
    VkDescriptorSet set;
    EXPECT_EQ(vk.vkAllocateDescriptorSets(device, &set_info, &set), VK_SUCCESS);
    const VkDescriptorBufferInfo buffers[2] = {{in.buffer, given.offset, 128}, {out.buffer, 0, 96}};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.descriptorCount = 2;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = buffers;
    vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);

    const std::vector<std::uint8_t> before = in.contents();
    run([&](VkCommandBuffer c) {
      vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vk.vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      std::uint8_t push[16] = {};
      push[9] = given.pushed;
      vk.vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
      const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_HOST_WRITE_BIT,
                                    VK_ACCESS_SHADER_READ_BIT};
      if (given.barrier)
        vk.vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                                nullptr, 0, nullptr);
      vk.vkCmdDispatch(c, given.groups, 1, 1);
    });
    EXPECT_EQ(in.contents(), before) << "a shader that only reads writes nothing";
    for (std::size_t i = 96; i < 128; ++i) EXPECT_EQ(out.bytes[i], 0) << "behind the descriptor's range";
    return out.contents();
  }
};

TEST_F(FakePatterns, ADispatchIsSensitiveToAllThatItIsGiven) {
  std::set<std::vector<std::uint8_t>> seen;
  EXPECT_TRUE(seen.insert(dispatch({})).second);
  EXPECT_TRUE(seen.insert(dispatch({.salt = 1})).second) << "shader";
  EXPECT_TRUE(seen.insert(dispatch({.constant = 6})).second) << "specialization constant";
  EXPECT_TRUE(seen.insert(dispatch({.pushed = 2})).second) << "push constant";
  EXPECT_TRUE(seen.insert(dispatch({.read = 3})).second) << "byte read";
  EXPECT_TRUE(seen.insert(dispatch({.written = 4})).second) << "byte written over";
  EXPECT_TRUE(seen.insert(dispatch({.groups = 5})).second) << "parameter";
  EXPECT_TRUE(seen.insert(dispatch({.offset = 64})).second) << "descriptor";
  EXPECT_TRUE(seen.insert(dispatch({.barrier = false})).second) << "barrier";
}

TEST_F(FakePatterns, HandlesDoNotCount) {
  const auto pattern = dispatch({});
  EXPECT_EQ(dispatch({.other_objects = 3}), pattern);
  fake::Settings settings;
  settings.handles = fake::Handles::unique;
  start(settings);
  EXPECT_EQ(dispatch({.other_objects = 1}), pattern) << "on another device";
}

class FakeDraws : public FakePatterns {
 protected:
  struct Given {
    std::uint8_t vertex = 1;  // a byte of the second vertex
    std::uint8_t behind = 0;  // … of the fourth, which is not drawn
    float width = 8;          // of the viewport, which is dynamic
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    std::uint32_t first_index = 0;
    bool indexed = false;
    bool indirect = false;
    std::uint32_t count = 3;
  };

  std::vector<std::uint8_t> draw(const Given& given) {
    const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
    const VkImageView view = make_view(image, VK_FORMAT_R8G8B8A8_UNORM);
    const MappedBuffer vertices = make_buffer(256, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    const MappedBuffer indices = make_buffer(64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    const MappedBuffer parameters = make_buffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    const MappedBuffer out = make_buffer(256);
    vertices.bytes[16 + 3] = given.vertex;
    vertices.bytes[48 + 3] = given.behind;
    const std::uint16_t list[] = {2, 1, 0, 1, 2, 3};
    std::memcpy(indices.bytes, list, sizeof list);
    const VkDrawIndirectCommand command{given.count, 1, 0, 0};
    std::memcpy(parameters.bytes, &command, sizeof command);

    VkPipelineLayoutCreateInfo layout_info{};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    VkPipelineLayout layout;
    EXPECT_EQ(vk.vkCreatePipelineLayout(device, &layout_info, nullptr, &layout), VK_SUCCESS);
    VkPipelineShaderStageCreateInfo stage{};
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
    stage.module = make_shader(shader(0, 0));
    stage.pName = "main";
    const VkVertexInputBindingDescription binding{0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo input{};
    input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    input.vertexBindingDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.vertexAttributeDescriptionCount = 1;
    input.pVertexAttributeDescriptions = &attribute;
    VkPipelineInputAssemblyStateCreateInfo assembly{};
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = given.topology;
    const VkRect2D scissor{{0, 0}, {8, 8}};
    VkPipelineViewportStateCreateInfo viewport_state{};
    viewport_state.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewport_state.viewportCount = viewport_state.scissorCount = 1;
    viewport_state.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{};
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{};
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState blend_attachment{};
    blend_attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{};
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = 1;
    blend.pAttachments = &blend_attachment;
    const VkDynamicState dynamic = VK_DYNAMIC_STATE_VIEWPORT;
    VkPipelineDynamicStateCreateInfo dynamics{};
    dynamics.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    dynamics.dynamicStateCount = 1;
    dynamics.pDynamicStates = &dynamic;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = &rendering;
    info.stageCount = 1;
    info.pStages = &stage;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport_state;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamics;
    info.layout = layout;
    VkPipeline pipeline;
    EXPECT_EQ(vk.vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);

    queries_ = make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
    run([&](VkCommandBuffer c) {
      vk.vkCmdResetQueryPool(c, queries_, 0, 1);
      VkRenderingAttachmentInfo color{};
      color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
      color.imageView = view;
      color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
      color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      VkRenderingInfo area{};
      area.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
      area.renderArea = {{0, 0}, {8, 4}};
      area.layerCount = 1;
      area.colorAttachmentCount = 1;
      area.pColorAttachments = &color;
      const VkViewport viewport{0, 0, given.width, 8, 0, 1};
      vk.vkCmdBeginRendering(c, &area);
      vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vk.vkCmdSetViewport(c, 0, 1, &viewport);
      const VkDeviceSize zero = 0;
      vk.vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
      vk.vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
      vk.vkCmdBeginQuery(c, queries_, 0, 0);
      if (given.indexed)
        vk.vkCmdDrawIndexed(c, 3, 1, given.first_index, 0, 0);
      else if (given.indirect)
        vk.vkCmdDrawIndirect(c, parameters.buffer, 0, 1, 16);
      else
        vk.vkCmdDraw(c, given.count, 1, 0, 0);
      vk.vkCmdEndQuery(c, queries_, 0);
      vk.vkCmdEndRendering(c);
      const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {8, 8, 1}};
      vk.vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    });
    for (std::size_t i = 128; i < 256; ++i) EXPECT_EQ(out.bytes[i], 0) << "outside of the render area";
    return out.contents();
  }

  std::uint64_t occlusion() {
    std::uint64_t value = 0;
    EXPECT_EQ(vk.vkGetQueryPoolResults(device, queries_, 0, 1, 8, &value, 8, VK_QUERY_RESULT_64_BIT), VK_SUCCESS);
    return value;
  }

  VkQueryPool queries_ = VK_NULL_HANDLE;
};

TEST_F(FakeDraws, ADrawIsSensitiveToAllThatItIsGiven) {
  std::set<std::vector<std::uint8_t>> seen;
  EXPECT_TRUE(seen.insert(draw({})).second);
  EXPECT_TRUE(seen.insert(draw({.vertex = 2})).second) << "vertex byte";
  EXPECT_TRUE(seen.insert(draw({.width = 7})).second) << "viewport";
  EXPECT_TRUE(seen.insert(draw({.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP})).second) << "state";
  EXPECT_TRUE(seen.insert(draw({.count = 4})).second) << "parameter";
  EXPECT_TRUE(seen.insert(draw({.indexed = true})).second);
  EXPECT_TRUE(seen.insert(draw({.vertex = 2, .indexed = true})).second) << "indexed vertex";
  EXPECT_TRUE(seen.insert(draw({.first_index = 3, .indexed = true})).second) << "indices";
  EXPECT_TRUE(seen.insert(draw({.indirect = true})).second);
  EXPECT_TRUE(seen.insert(draw({.indirect = true, .count = 2})).second) << "indirect parameter";
}

TEST_F(FakeDraws, OnlyWhatIsFetchedCounts) {
  EXPECT_EQ(draw({.behind = 9}), draw({.behind = 8})) << "the fourth of three vertices";
  EXPECT_NE(draw({.behind = 9, .count = 4}), draw({.behind = 8, .count = 4}));
  EXPECT_EQ(draw({.behind = 9, .indexed = true}), draw({.behind = 8, .indexed = true}));
  EXPECT_NE(draw({.behind = 9, .first_index = 3, .indexed = true}),
            draw({.behind = 8, .first_index = 3, .indexed = true}));
}

TEST_F(FakeDraws, AQueryCountsByWhatIsDrawn) {
  draw({});
  const std::uint64_t one = occlusion();
  EXPECT_NE(one, 0u);
  draw({});
  EXPECT_EQ(occlusion(), one);
  draw({.vertex = 2});
  EXPECT_NE(occlusion(), one);
}

}  // namespace
