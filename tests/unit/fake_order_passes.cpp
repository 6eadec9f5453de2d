// SPDX-License-Identifier: Apache-2.0
// The fake driver's order mode in render passes.
#include "fake_order_scene.h"

namespace {

using fake_test::Bytes;
using fake_test::FakeOrder;
using fake_test::MappedBuffer;
using fake_test::shader;

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkRect2D kArea{{0, 0}, {8, 8}};

class FakeOrderedPasses : public FakeOrder {
 protected:
  // Vertices of 16 bytes; `sets`: what its shaders declare. Of a render pass, or of dynamic rendering.
  VkPipeline make_pipeline(VkPipelineLayout layout, std::uint32_t bindings, VkRenderPass pass = VK_NULL_HANDLE,
                           std::uint32_t subpass = 0) {
    VkPipelineShaderStageCreateInfo stages[2]{};
    for (VkPipelineShaderStageCreateInfo& stage : stages) {
      stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stage.pName = "main";
    }
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = make_shader(shader(0, 0));
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = make_shader(shader(bindings, ~0u));
    const VkVertexInputBindingDescription binding{0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo input{};
    input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.pVertexAttributeDescriptions = &attribute;
    VkPipelineInputAssemblyStateCreateInfo assembly{};
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkViewport viewport{0, 0, 8, 8, 0, 1};
    VkPipelineViewportStateCreateInfo viewport_state{};
    viewport_state.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewport_state.viewportCount = viewport_state.scissorCount = 1;
    viewport_state.pViewports = &viewport;
    viewport_state.pScissors = &kArea;
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
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    if (pass == VK_NULL_HANDLE) info.pNext = &rendering;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport_state;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = layout;
    info.renderPass = pass;
    info.subpass = subpass;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    return pipeline;
  }

  VkImage make_input_image() {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = kFormat;
    info.extent = {8, 8, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
    VkImage image = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateImage(device, &info, nullptr, &image), VK_SUCCESS);
    VkMemoryRequirements needs;
    vk.vkGetImageMemoryRequirements(device, image, &needs);
    EXPECT_EQ(vk.vkBindImageMemory(device, image, allocate(needs), 0), VK_SUCCESS);
    return image;
  }

  VkPipelineLayout make_layout(const VkDescriptorSetLayout* set) {
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = set != nullptr;
    info.pSetLayouts = set;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreatePipelineLayout(device, &info, nullptr, &layout), VK_SUCCESS);
    return layout;
  }

  void draw(VkCommandBuffer c, VkPipeline pipeline, const MappedBuffer& vertices, std::uint32_t first = 0) {
    const VkDeviceSize zero = 0;
    vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vk.vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
    vk.vkCmdDraw(c, 3, 1, first, 0);
  }

  void begin_rendering(VkCommandBuffer c, VkImageView view) {
    VkRenderingAttachmentInfo color{};
    color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    color.imageView = view;
    color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = kArea;
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vk.vkCmdBeginRendering(c, &info);
  }

  void read_back(VkCommandBuffer c, VkImage image, VkImageLayout layout, const MappedBuffer& to) {
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {8, 8, 1}};
    vk.vkCmdCopyImageToBuffer(c, image, layout, to.buffer, 1, &region);
  }

  void attachment_to_copy(VkCommandBuffer c) {
    barrier(c, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  }

  // Vertices that a copy writes are drawn, and what is drawn is read back.
  Bytes rendered(VkPipelineStageFlags second, VkAccessFlags reads, bool ordered_after = true) {
    const VkImage image = make_image(kFormat, {8, 8, 1});
    const VkImageView view = make_view(image, kFormat);
    const MappedBuffer from = make_buffer(64);
    const MappedBuffer vertices = make_buffer(64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kTransfers),
                       out = make_buffer(256);
    std::fill_n(from.bytes, 64, std::uint8_t{4});
    const VkPipeline pipeline = make_pipeline(make_layout(nullptr), 0);
    run([&](VkCommandBuffer c) {
      copy(c, from, vertices);
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, second, VK_ACCESS_TRANSFER_WRITE_BIT, reads);
      begin_rendering(c, view);
      draw(c, pipeline, vertices);
      draw(c, pipeline, vertices, 1);  // over the first: in rasterization order
      vk.vkCmdEndRendering(c);
      if (ordered_after) attachment_to_copy(c);
      read_back(c, image, VK_IMAGE_LAYOUT_GENERAL, out);
    });
    return out.contents();
  }

  VkRenderPass make_pass(std::uint32_t attachments, const VkSubpassDescription* subpasses, std::uint32_t subpass_count,
                         const std::vector<VkSubpassDependency>& dependencies) {
    VkAttachmentDescription about[2]{};
    for (VkAttachmentDescription& a : about) {
      a.format = kFormat;
      a.samples = VK_SAMPLE_COUNT_1_BIT;
      a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
      a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
      a.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
      a.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = attachments;
    info.pAttachments = about;
    info.subpassCount = subpass_count;
    info.pSubpasses = subpasses;
    info.dependencyCount = static_cast<std::uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    VkRenderPass pass = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateRenderPass(device, &info, nullptr, &pass), VK_SUCCESS);
    return pass;
  }

  void begin_pass(VkCommandBuffer c, VkRenderPass pass, const std::vector<VkImageView>& views) {
    VkFramebufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    info.renderPass = pass;
    info.attachmentCount = static_cast<std::uint32_t>(views.size());
    info.pAttachments = views.data();
    info.width = info.height = 8;
    info.layers = 1;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateFramebuffer(device, &info, nullptr, &framebuffer), VK_SUCCESS);
    const VkClearValue clears[2] = {{{{0.5f, 0, 0, 1}}}, {{{0, 0.5f, 0, 1}}}};
    VkRenderPassBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    begin.renderPass = pass;
    begin.framebuffer = framebuffer;
    begin.renderArea = kArea;
    begin.clearValueCount = info.attachmentCount;
    begin.pClearValues = clears;
    vk.vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
  }

  static constexpr VkSubpassDependency kToCopies{0,
                                                 VK_SUBPASS_EXTERNAL,
                                                 VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                                 VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                 VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                                 VK_ACCESS_TRANSFER_READ_BIT,
                                                 0};
};

TEST_F(FakeOrderedPasses, ADrawReadsWhatABarrierMadeVisibleToItsStage) {
  expect_order([this] { return rendered(VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT); });
  expect_race([this] { return rendered(VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT); });
  expect_race([this] { return rendered(VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_INDEX_READ_BIT); });
  expect_race(
      [this] { return rendered(VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT, false); });
}

TEST_F(FakeOrderedPasses, ASubpassDependencyOrdersWhatComesAfterThePass) {
  const auto program = [this](const std::vector<VkSubpassDependency>& dependencies) {
    const VkImage image = make_image(kFormat, {8, 8, 1});
    const VkImageView view = make_view(image, kFormat);
    const MappedBuffer vertices = make_buffer(64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT), out = make_buffer(256);
    const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &color;
    const VkRenderPass pass = make_pass(1, &subpass, 1, dependencies);
    const VkPipeline pipeline = make_pipeline(make_layout(nullptr), 0, pass);
    run([&](VkCommandBuffer c) {
      begin_pass(c, pass, {view});
      draw(c, pipeline, vertices);
      vk.vkCmdEndRenderPass(c);
      read_back(c, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out);
    });
    return out.contents();
  };
  expect_order([&] { return program({kToCopies}); });
  expect_race([&] { return program({}); });
  VkSubpassDependency wrong = kToCopies;
  wrong.srcStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
  expect_race([&] { return program({wrong}); });
}

TEST_F(FakeOrderedPasses, AnInputAttachmentNeedsADependencyBetweenSubpasses) {
  // `reads`: what the dependency makes the drawn attachment visible to; 0: there is none.
  const auto program = [this](VkAccessFlags reads) {
    const VkImage images[2] = {make_input_image(), make_image(kFormat, {8, 8, 1})};
    const VkImageView views[2] = {make_view(images[0], kFormat), make_view(images[1], kFormat)};
    const MappedBuffer vertices = make_buffer(64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT), out = make_buffer(256);
    const VkAttachmentReference colors[2] = {{0, VK_IMAGE_LAYOUT_GENERAL},
                                             {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference input{0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpasses[2]{};
    for (int i = 0; i < 2; ++i) {
      subpasses[i].colorAttachmentCount = 1;
      subpasses[i].pColorAttachments = &colors[i];
    }
    subpasses[1].inputAttachmentCount = 1;
    subpasses[1].pInputAttachments = &input;
    VkSubpassDependency to_copies = kToCopies;
    to_copies.srcSubpass = 1;
    std::vector<VkSubpassDependency> dependencies = {to_copies};
    if (reads != 0)
      dependencies.push_back({0, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                              VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, reads, 0});
    const VkRenderPass pass = make_pass(2, subpasses, 2, dependencies);

    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
                                               nullptr};
    const VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                   &binding};
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout), VK_SUCCESS);
    const VkPipelineLayout layout = make_layout(&set_layout);
    const VkPipeline first = make_pipeline(make_layout(nullptr), 0, pass), second = make_pipeline(layout, 1, pass, 1);
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1};
    const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    VkDescriptorPool descriptors = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateDescriptorPool(device, &pool_info, nullptr, &descriptors), VK_SUCCESS);
    const VkDescriptorSetAllocateInfo allocate_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr,
                                                    descriptors, 1, &set_layout};
    VkDescriptorSet set = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkAllocateDescriptorSets(device, &allocate_info, &set), VK_SUCCESS);
    const VkDescriptorImageInfo image_info{VK_NULL_HANDLE, views[0], VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    write.pImageInfo = &image_info;
    vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);

    run([&](VkCommandBuffer c) {
      begin_pass(c, pass, {views[0], views[1]});
      draw(c, first, vertices);
      vk.vkCmdNextSubpass(c, VK_SUBPASS_CONTENTS_INLINE);
      vk.vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      draw(c, second, vertices);
      vk.vkCmdEndRenderPass(c);
      read_back(c, images[1], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out);
    });
    return out.contents();
  };
  expect_order([&] { return program(VK_ACCESS_INPUT_ATTACHMENT_READ_BIT); });
  expect_race([&] { return program(0); });
  // The other attachment's change of layout shows nothing that this dependency does not.
  expect_race([&] { return program(VK_ACCESS_SHADER_READ_BIT); });
}

TEST_F(FakeOrderedPasses, QueriesAreInTheirOwnOrder) {
  expect_order([this] {
    const VkImage image = make_image(kFormat, {8, 8, 1});
    const VkImageView view = make_view(image, kFormat);
    const MappedBuffer vertices = make_buffer(64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT), out = make_buffer(64);
    const VkPipeline pipeline = make_pipeline(make_layout(nullptr), 0);
    const VkQueryPool queries = make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
    run([&](VkCommandBuffer c) {
      vk.vkCmdResetQueryPool(c, queries, 0, 1);
      begin_rendering(c, view);
      vk.vkCmdBeginQuery(c, queries, 0, 0);
      draw(c, pipeline, vertices);
      draw(c, pipeline, vertices, 1);
      vk.vkCmdEndQuery(c, queries, 0);
      vk.vkCmdEndRendering(c);
      vk.vkCmdCopyQueryPoolResults(c, queries, 0, 1, out.buffer, 0, 8,
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    });
    EXPECT_NE(out.word(0), 0u);
    return out.contents();
  });
}

}  // namespace
