// SPDX-License-Identifier: Apache-2.0
// What the fake driver's queues refuse to be given, and what they do with
// secondaries, render passes, feedback, conditions and presents.
#include <cstring>

#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;
using fake_test::shader;

class FakeWork : public FakeDevice {
 protected:
  VkResult try_submit(VkCommandBuffer buffer) {
    const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &buffer, 0, nullptr};
    return vk.vkQueueSubmit(queues[0], 1, &info, VK_NULL_HANDLE);
  }
  VkCommandBuffer fill(const MappedBuffer& buffer, std::uint32_t value) {
    return record([&](VkCommandBuffer c) { vk.vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, value); });
  }
  VkCommandBuffer secondary(const Commands& commands, VkRenderPass pass = VK_NULL_HANDLE) {
    const VkCommandBuffer buffer = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceInfo inherited{};
    inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
    inherited.renderPass = pass;
    const VkCommandBufferUsageFlags usage =
        pass == VK_NULL_HANDLE ? 0 : VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, usage, &inherited};
    EXPECT_EQ(vk.vkBeginCommandBuffer(buffer, &begin), VK_SUCCESS);
    commands(buffer);
    EXPECT_EQ(vk.vkEndCommandBuffer(buffer), VK_SUCCESS);
    return buffer;
  }
};

TEST_F(FakeWork, IsRefusedUnlessItIsEnded) {
  const MappedBuffer buffer = make_buffer(64);
  const VkCommandBuffer ended = fill(buffer, 1), never = allocate();
  EXPECT_EQ(try_submit(ended), VK_SUCCESS);
  EXPECT_EQ(try_submit(never), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("not ended");
  EXPECT_EQ(try_submit(secondary([](VkCommandBuffer) {})), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("secondary");
  const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &ended, 0, nullptr};
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
  vk.vkQueueSubmit(queues[2], 1, &info, VK_NULL_HANDLE);
  expect_violation("another queue family");
  vk.vkDestroyBuffer(device, buffer.buffer, nullptr);
  EXPECT_EQ(try_submit(ended), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("needs a VkBuffer which was destroyed");
}

TEST_F(FakeWork, SecondariesRunInTheirPrimaryAndOnlyAsTheyWere) {
  const MappedBuffer buffer = make_buffer(64);
  const VkCommandBuffer inner = secondary([&](VkCommandBuffer c) { vk.vkCmdFillBuffer(c, buffer.buffer, 0, 4, 7); });
  const VkCommandBuffer outer = record([&](VkCommandBuffer c) {
    vk.vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, 5);
    vk.vkCmdExecuteCommands(c, 1, &inner);
    vk.vkCmdFillBuffer(c, buffer.buffer, 8, 4, 9);
  });
  EXPECT_EQ(try_submit(outer), VK_SUCCESS);
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
  EXPECT_EQ(buffer.word(0), 7u);
  EXPECT_EQ(buffer.word(1), 5u);
  EXPECT_EQ(buffer.word(2), 9u);
  EXPECT_EQ(vk.vkResetCommandBuffer(inner, 0), VK_SUCCESS);
  EXPECT_EQ(try_submit(outer), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("recorded again");
  const VkCommandBuffer primary = fill(buffer, 1);
  record([&](VkCommandBuffer c) { vk.vkCmdExecuteCommands(c, 1, &primary); });
  expect_violation("no secondary");
  record([&](VkCommandBuffer c) { vk.vkCmdExecuteCommands(c, 1, &inner); });
  expect_violation("not ended");
}

// One binding with a storage buffer, dispatched.
TEST_F(FakeWork, NeedsWhatDescriptorsReferTo) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1,
                                             VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  const VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                 &binding};
  VkDescriptorSetLayout set_layout;
  ASSERT_EQ(vk.vkCreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout), VK_SUCCESS);
  const VkPipelineLayoutCreateInfo layout_info{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 0, nullptr};
  VkPipelineLayout layout;
  ASSERT_EQ(vk.vkCreatePipelineLayout(device, &layout_info, nullptr, &layout), VK_SUCCESS);
  VkComputePipelineCreateInfo pipeline_info{};
  pipeline_info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline_info.stage.module = make_shader(shader(1, 0));
  pipeline_info.stage.pName = "main";
  pipeline_info.layout = layout;
  VkPipeline pipeline;
  ASSERT_EQ(vk.vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &pipeline), VK_SUCCESS);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1};
  const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
  VkDescriptorPool sets;
  ASSERT_EQ(vk.vkCreateDescriptorPool(device, &pool_info, nullptr, &sets), VK_SUCCESS);
  const VkDescriptorSetAllocateInfo set_of{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1,
                                           &set_layout};
  VkDescriptorSet set;
  ASSERT_EQ(vk.vkAllocateDescriptorSets(device, &set_of, &set), VK_SUCCESS);
  const MappedBuffer buffer = make_buffer(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorBufferInfo written{buffer.buffer, 64, 64};
  const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   nullptr,
                                   set,
                                   0,
                                   0,
                                   1,
                                   binding.descriptorType,
                                   nullptr,
                                   &written,
                                   nullptr};
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  const auto bind = [&](VkCommandBuffer c, std::uint32_t offset) {
    vk.vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 1, &offset);
  };
  record([&](VkCommandBuffer c) { bind(c, 192); });
  expect_violation("outside its buffer");
  record([&](VkCommandBuffer c) {
    vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk.vkCmdDispatch(c, 1, 1, 1);
  });
  expect_violation("declare set 0");
  const VkCommandBuffer dispatch = record([&](VkCommandBuffer c) {
    vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bind(c, 128);
    vk.vkCmdDispatch(c, 65535, 1, 1);
  });
  record([&](VkCommandBuffer c) {
    vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bind(c, 0);
    vk.vkCmdDispatch(c, 65536, 1, 1);
  });
  expect_violation("maxComputeWorkGroupCount");
  // A layout only has to live while it is named.
  vk.vkDestroyPipelineLayout(device, layout, nullptr);
  EXPECT_EQ(try_submit(dispatch), VK_SUCCESS);
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
  EXPECT_EQ(buffer.word(47), 0u) << "in front of the range";
  EXPECT_NE(buffer.word(48), 0u);
  vk.vkDestroyBuffer(device, buffer.buffer, nullptr);
  EXPECT_EQ(try_submit(dispatch), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("needs a VkBuffer which was destroyed");
}

TEST_F(FakeWork, SubpassesClearLoadAndTakeSecondaries) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1});
  const VkImageView view = make_view(image, VK_FORMAT_R8G8B8A8_UNORM);
  const MappedBuffer out = make_buffer(64);
  const VkAttachmentDescription attachment{0,
                                           VK_FORMAT_R8G8B8A8_UNORM,
                                           VK_SAMPLE_COUNT_1_BIT,
                                           VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           VK_IMAGE_LAYOUT_UNDEFINED,
                                           VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = subpasses[1].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = subpasses[1].pColorAttachments = &color;
  const VkRenderPassCreateInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &attachment, 2, subpasses, 0, nullptr};
  VkRenderPass pass;
  ASSERT_EQ(vk.vkCreateRenderPass(device, &info, nullptr, &pass), VK_SUCCESS);
  const VkFramebufferCreateInfo frame_info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &view, 4, 4, 1};
  VkFramebuffer frame;
  ASSERT_EQ(vk.vkCreateFramebuffer(device, &frame_info, nullptr, &frame), VK_SUCCESS);
  VkClearValue red{};
  red.color.float32[0] = 1;
  VkRenderPassBeginInfo begin{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {4, 2}}, 1, &red};
  const VkClearAttachment green{VK_IMAGE_ASPECT_COLOR_BIT, 0, {{{0, 1, 0, 1}}}};
  const VkClearRect corner{{{0, 0}, {1, 1}}, 0, 1};
  const VkCommandBuffer inner =
      secondary([&](VkCommandBuffer c) { vk.vkCmdClearAttachments(c, 1, &green, 1, &corner); }, pass);
  run([&](VkCommandBuffer c) {
    vk.vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vk.vkCmdExecuteCommands(c, 1, &inner);
    vk.vkCmdNextSubpass(c, VK_SUBPASS_CONTENTS_INLINE);
    vk.vkCmdEndRenderPass(c);
    const VkBufferImageCopy all{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {4, 4, 1}};
    vk.vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &all);
  });
  EXPECT_EQ(out.word(0), 0xff00ff00u);
  EXPECT_EQ(out.word(1), 0x000000ffu);
  EXPECT_EQ(out.word(7), 0x000000ffu);
  EXPECT_EQ(out.word(8), 0u) << "outside of the render area";
  const VkCommandBuffer open = allocate();
  const VkCommandBufferBeginInfo start_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  vk.vkBeginCommandBuffer(open, &start_info);
  begin.renderArea.extent.width = 5;
  vk.vkCmdBeginRenderPass(open, &begin, VK_SUBPASS_CONTENTS_INLINE);
  expect_violation("outside the framebuffer");
  begin.renderArea.extent.width = 4;
  vk.vkCmdBeginRenderPass(open, &begin, VK_SUBPASS_CONTENTS_INLINE);
  EXPECT_EQ(take_violation(), "");
  vk.vkCmdExecuteCommands(open, 1, &inner);
  expect_violation("takes no secondary");
  vk.vkCmdEndRenderPass(open);
  expect_violation("not in the last subpass");
  vk.vkCmdNextSubpass(open, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  vk.vkCmdClearAttachments(open, 1, &green, 1, &corner);
  expect_violation("takes only secondary");
  vk.vkCmdExecuteCommands(open, 1, &inner);
  expect_violation("another subpass");
  vk.vkCmdNextSubpass(open, VK_SUBPASS_CONTENTS_INLINE);
  expect_violation("no more subpasses");
}

class FakeExtended : public FakeWork {
 protected:
  void SetUp() override {
    instance_extensions = {"VK_KHR_surface", "VK_EXT_headless_surface"};
    extensions = {"VK_KHR_swapchain", "VK_EXT_conditional_rendering", "VK_EXT_transform_feedback"};
    start({});
  }
  VkSwapchainKHR make_swapchain(VkSwapchainKHR old = VK_NULL_HANDLE) {
    const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT, nullptr, 0};
    if (surface == VK_NULL_HANDLE) {
      EXPECT_EQ(vk.vkCreateHeadlessSurfaceEXT(instance, &info, nullptr, &surface), VK_SUCCESS);
    }
    VkSwapchainCreateInfoKHR create{};
    create.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
    create.surface = surface;
    create.minImageCount = 2;
    create.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    create.imageExtent = {8, 8};
    create.imageArrayLayers = 1;
    create.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    create.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
    create.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    create.presentMode = VK_PRESENT_MODE_FIFO_KHR;
    create.oldSwapchain = old;
    VkSwapchainKHR made = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateSwapchainKHR(device, &create, nullptr, &made), VK_SUCCESS);
    return made;
  }
  VkResult acquire(VkSwapchainKHR swapchain, std::uint32_t& index) {
    const VkFence fence = make_fence();
    return vk.vkAcquireNextImageKHR(device, swapchain, 0, VK_NULL_HANDLE, fence, &index);
  }
  VkResult present(VkSwapchainKHR swapchain, std::uint32_t index) {
    const VkPresentInfoKHR info{
        VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 0, nullptr, 1, &swapchain, &index, nullptr};
    return vk.vkQueuePresentKHR(queues[0], &info);
  }
  VkSurfaceKHR surface = VK_NULL_HANDLE;
};

TEST_F(FakeExtended, ImagesAreAcquiredInTurnAndPresentedOnce) {
  const VkSwapchainKHR swapchain = make_swapchain();
  std::uint32_t a = 9, b = 9, c = 9;
  EXPECT_EQ(acquire(swapchain, a), VK_SUCCESS);
  EXPECT_EQ(acquire(swapchain, b), VK_SUCCESS);
  EXPECT_NE(a, b);
  EXPECT_EQ(acquire(swapchain, c), VK_NOT_READY) << "all are taken";
  EXPECT_EQ(present(swapchain, a), VK_SUCCESS);
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
  EXPECT_EQ(acquire(swapchain, c), VK_SUCCESS);
  EXPECT_EQ(c, a);
  present(swapchain, 2);
  expect_violation("not acquired");
  const VkSwapchainKHR next = make_swapchain(swapchain);
  EXPECT_EQ(acquire(swapchain, c), VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_EQ(acquire(next, c), VK_SUCCESS);
}

TEST_F(FakeExtended, PresentsAreSuboptimalOnDemand) {
  fake::Settings settings;
  settings.failures = {{"vkAcquireNextImageKHR", 1, VK_SUBOPTIMAL_KHR},
                       {"vkQueuePresentKHR", 1, VK_ERROR_OUT_OF_DATE_KHR}};
  start(settings);
  surface = VK_NULL_HANDLE;
  const VkSwapchainKHR swapchain = make_swapchain();
  std::uint32_t image = 9;
  EXPECT_EQ(acquire(swapchain, image), VK_SUBOPTIMAL_KHR);
  EXPECT_LT(image, 2u) << "it is acquired all the same";
  EXPECT_EQ(present(swapchain, image), VK_ERROR_OUT_OF_DATE_KHR);  // it is given back all the same
  EXPECT_EQ(acquire(swapchain, image), VK_SUCCESS);
  EXPECT_EQ(present(swapchain, image), VK_SUCCESS);
}

TEST_F(FakeExtended, ConditionsLeaveOutClears) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1});
  const VkImageView view = make_view(image, VK_FORMAT_R8G8B8A8_UNORM);
  const MappedBuffer condition = make_buffer(64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  const MappedBuffer out = make_buffer(64);
  condition.bytes[4] = 1;
  for (const VkDeviceSize offset : {0U, 4U}) {
    run([&](VkCommandBuffer c) {
      VkRenderingAttachmentInfo color{};
      color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
      color.imageView = view;
      color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
      color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      VkRenderingInfo info{};
      info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
      info.renderArea = {{0, 0}, {4, 4}};
      info.layerCount = info.colorAttachmentCount = 1;
      info.pColorAttachments = &color;
      vk.vkCmdBeginRendering(c, &info);
      const VkConditionalRenderingBeginInfoEXT begin{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr,
                                                     condition.buffer, offset, 0};
      const VkClearAttachment white{VK_IMAGE_ASPECT_COLOR_BIT, 0, {{{1, 1, 1, 1}}}};
      const VkClearRect all{{{0, 0}, {4, 4}}, 0, 1};
      vk.vkCmdBeginConditionalRenderingEXT(c, &begin);
      vk.vkCmdClearAttachments(c, 1, &white, 1, &all);
      vk.vkCmdEndConditionalRenderingEXT(c);
      vk.vkCmdEndRendering(c);
      const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {4, 4, 1}};
      vk.vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    });
    EXPECT_EQ(out.word(15), offset == 0 ? 0u : UINT32_MAX);
  }
  record([&](VkCommandBuffer c) {
    const VkConditionalRenderingBeginInfoEXT begin{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr,
                                                   condition.buffer, 64, 0};
    vk.vkCmdBeginConditionalRenderingEXT(c, &begin);
  });
  expect_violation("the condition");
}

TEST_F(FakeExtended, FeedbackStaysWithinItsBuffers) {
  const VkBuffer to = make_buffer(64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT).buffer;
  const auto bind = [&](std::uint32_t binding, VkDeviceSize offset, VkDeviceSize size) {
    record([&](VkCommandBuffer c) { vk.vkCmdBindTransformFeedbackBuffersEXT(c, binding, 1, &to, &offset, &size); });
  };
  bind(3, 32, 32);
  EXPECT_EQ(take_violation(), "");
  bind(4, 32, 32);
  expect_violation("beyond the limits");
  bind(0, 32, 36);
  expect_violation("range");
  bind(0, 2, 32);
  expect_violation("multiple of 4");
}

}  // namespace
