// SPDX-License-Identifier: Apache-2.0
// Command buffers, passes, queries and synchronization in the wrong state.
#include "tests/unit/player_hostile.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileCommands : public test::PlayerHostile {
 protected:
  VkRenderPass pass(std::uint32_t color = 0, std::uint32_t dependency = VK_SUBPASS_EXTERNAL) {
    VkAttachmentDescription attachment{};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkAttachmentReference reference{color, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    VkSubpassDependency depends{};
    depends.srcSubpass = dependency;
    auto info = of_type<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
    info.attachmentCount = info.subpassCount = info.dependencyCount = 1;
    info.pAttachments = &attachment;
    info.pSubpasses = &subpass;
    info.pDependencies = &depends;
    return create<VkRenderPass, args_vkCreateRenderPass>(CommandId::vkCreateRenderPass, info);
  }
  VkFramebuffer framebuffer(VkRenderPass pass) {
    auto view = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    view.image = image(16, 16);
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = VK_FORMAT_R8G8B8A8_UNORM;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const auto made = create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, view);
    auto info = of_type<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
    info.renderPass = pass;
    info.attachmentCount = 1;
    info.pAttachments = &made;
    info.width = info.height = 16;
    info.layers = 1;
    return create<VkFramebuffer, args_vkCreateFramebuffer>(CommandId::vkCreateFramebuffer, info);
  }
  void begin_pass(VkCommandBuffer commands, std::uint32_t width = 16, std::uint32_t clears = 1) {
    const VkClearValue clear{};
    auto info = of_type<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
    info.renderPass = pass();
    info.framebuffer = framebuffer(info.renderPass);
    info.renderArea = {{0, 0}, {width, 16}};
    info.clearValueCount = clears;
    info.pClearValues = &clear;
    capture.call(CommandId::vkCmdBeginRenderPass,
                 args_vkCmdBeginRenderPass{commands, &info, VK_SUBPASS_CONTENTS_INLINE});
  }
  VkQueryPool queries(VkQueryType type) {
    auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = type;
    info.queryCount = 2;
    return create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  }
  void wait(VkFence fence) {
    capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, 5}, ok());
  }
  void dispatch(VkCommandBuffer commands) {
    capture.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{commands, 1, 1, 1});
  }
};

TEST_F(HostileCommands, AreBegunBeforeTheyAreRecorded) {
  dispatch(commands(command_pool()));
  refuses("vkCmdDispatch: VkCommandBuffer#0 is not being recorded");
}
TEST_F(HostileCommands, AreEndedBeforeTheyAreSubmitted) {
  submit({recording()});
  refuses("vkQueueSubmit: VkCommandBuffer#0 is not recorded");
}
TEST_F(HostileCommands, AreNotRecordedAnyMoreWhenTheirPoolIsReset) {
  const VkCommandPool pool = command_pool();
  const VkCommandBuffer made = commands(pool);
  begin(made);
  end(made);
  capture.call(CommandId::vkResetCommandPool, args_vkResetCommandPool{kDevice, pool, 0}, ok());
  submit({made});
  refuses("VkCommandBuffer#0 is not recorded");
}
TEST_F(HostileCommands, UseWhatIsAlive) {
  const VkBuffer made = buffer(64);
  const VkCommandBuffer recorded = recording();
  capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{recorded, made, 0, 64, 0});
  end(recorded);
  capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{kDevice, made, nullptr});
  submit({recorded});
  refuses("VkCommandBuffer#0 uses VkBuffer#0, which is destroyed");
}
TEST_F(HostileCommands, OfTheSecondLevelInherit) {
  begin(commands(command_pool(), VK_COMMAND_BUFFER_LEVEL_SECONDARY));
  refuses("pInheritanceInfo of a secondary command buffer is null");
}
TEST_F(HostileCommands, ExecutedByOthersAreOfTheSecondLevel) {
  const VkCommandBuffer inner = recording();
  end(inner);
  capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{recording(), 1, &inner});
  refuses("VkCommandBuffer#0 is not a secondary command buffer");
}
TEST_F(HostileCommands, AreFreedFromTheirOwnPool) {
  const VkCommandBuffer made = commands(command_pool());
  capture.call(CommandId::vkFreeCommandBuffers, args_vkFreeCommandBuffers{kDevice, command_pool(), 1, &made});
  refuses("VkCommandBuffer#0 is not of VkCommandPool#1");
}
TEST_F(HostileCommands, ComeFromPoolsOfFamiliesThatTheDeviceHas) {
  auto info = of_type<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.queueFamilyIndex = 7;
  create<VkCommandPool, args_vkCreateCommandPool>(CommandId::vkCreateCommandPool, info);
  refuses("VkDevice#0 has no queue of family 7");
}
TEST_F(HostileCommands, DispatchWithAPipeline) {
  dispatch(recording());
  refuses("vkCmdDispatch: no compute pipeline is bound");
}
TEST_F(HostileCommands, DrawWithinAPass) {
  capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{recording(), 3, 1, 0, 0});
  refuses("vkCmdDraw: outside of a render pass");
}
TEST_F(HostileCommands, DrawWithAPipeline) {
  const VkCommandBuffer recorded = recording();
  begin_pass(recorded);
  capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{recorded, 3, 1, 0, 0});
  refuses("vkCmdDraw: no graphics pipeline is bound");
}
TEST_F(HostileCommands, EndTheirPasses) {
  const VkCommandBuffer recorded = recording();
  begin_pass(recorded);
  end(recorded);
  refuses("vkEndCommandBuffer: within a render pass");
}
TEST_F(HostileCommands, RenderWithinTheFramebuffer) {
  begin_pass(recording(), 17);
  refuses("renderArea ends outside VkFramebuffer#0, which is 16x16");
}
TEST_F(HostileCommands, ClearWhatThePassClears) {
  begin_pass(recording(), 16, 0);
  refuses("has 0 clear values, and VkRenderPass#0 needs 1");
}
TEST_F(HostileCommands, StayInThePassesSubpasses) {
  const VkCommandBuffer recorded = recording();
  begin_pass(recorded);
  capture.call(CommandId::vkCmdNextSubpass, args_vkCmdNextSubpass{recorded, VK_SUBPASS_CONTENTS_INLINE});
  refuses("vkCmdNextSubpass: behind the last subpass");
}
TEST_F(HostileCommands, PassesNameTheirAttachments) {
  pass(3);
  refuses("pColorAttachments of subpass 0 names attachment 3 of 1");
}
TEST_F(HostileCommands, PassesDependOnTheirSubpasses) {
  pass(0, 4);
  refuses("dependency 0 names subpass 4 of 1");
}
TEST_F(HostileCommands, QueriesAreBegunBeforeTheyEnd) {
  const VkQueryPool pool = queries(VK_QUERY_TYPE_OCCLUSION);
  capture.call(CommandId::vkCmdEndQuery, args_vkCmdEndQuery{recording(), pool, 1});
  refuses("query 1 of VkQueryPool#0 was not begun");
}
TEST_F(HostileCommands, TimestampsGoToTheirOwnPools) {
  const VkQueryPool pool = queries(VK_QUERY_TYPE_OCCLUSION);
  capture.call(CommandId::vkCmdWriteTimestamp,
               args_vkCmdWriteTimestamp{recording(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool, 0});
  refuses("VkQueryPool#0 does not hold timestamps");
}
TEST_F(HostileCommands, FencesAreWaitedForWhenSomethingSignalsThem) {
  wait(create_fence());
  refuses("waits for VkFence#0, which nothing signals");
}
TEST_F(HostileCommands, SubmittedFencesAreWaitedFor) {
  const VkFence fence = create_fence();
  submit({}, fence);
  wait(fence);
  accepts();
}
TEST_F(HostileCommands, BinarySemaphoresAreSignalledBeforeTheyAreWaitedFor) {
  auto semaphore_info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  const auto semaphore = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, semaphore_info);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &semaphore;
  info.pWaitDstStageMask = &stage;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{test::kQueue, 1, &info, VK_NULL_HANDLE}, ok());
  refuses("vkQueueSubmit: waits for VkSemaphore#0, which nothing signals");
}
TEST_F(HostileCommands, TimelinesGrow) {
  auto type = of_type<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = 4;
  auto semaphore_info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  semaphore_info.pNext = &type;
  const auto semaphore = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, semaphore_info);
  const auto signal = [&](std::uint64_t value) {
    auto values = of_type<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &value;
    auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.pNext = &values;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &semaphore;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{test::kQueue, 1, &info, VK_NULL_HANDLE}, ok());
  };
  signal(5);
  signal(7);
  signal(7);
  refuses("vkQueueSubmit: signals 7 of VkSemaphore#0, which reached 7 before");
}

}  // namespace
}  // namespace rondo::player
