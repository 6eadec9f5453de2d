// SPDX-License-Identifier: Apache-2.0
// Captures of programs that bend the specification and got away with it: they
// are played so that no driver is asked to.
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

TEST_F(Sloppy, AFenceSubmittedWhileSignalledIsReset) {
  submit({}, create_fence(VK_FENCE_CREATE_SIGNALED_BIT));
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].fence), "VkFence#0");
  EXPECT_EQ(built->settles[0].op, built->ops.size() - 1);
}

TEST_F(Sloppy, AFenceResetWhileItsSubmitMayRunIsWaitedFor) {
  const VkFence fence = create_fence();
  submit({}, fence);
  capture.call(CommandId::vkResetFences, args_vkResetFences{kDevice, 1, &fence}, ok());
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].queue), "VkQueue#0");
  EXPECT_EQ(built->settles[0].fence, ObjectId::null);
}

TEST_F(Sloppy, WhatWorkMayStillUseIsWaitedForBeforeItsEnd) {
  const VkBuffer used = buffer(64);
  submit({recorded(used)}, create_fence());
  destroy(used);
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].queue), "VkQueue#0");
}

TEST_F(Sloppy, WhatWasWaitedForIsNotWaitedForAgain) {
  const VkBuffer used = buffer(64), other = buffer(64);
  const VkFence fence = create_fence();
  const VkCommandBuffer commands = recorded(used);
  submit({commands}, fence);
  destroy(other);  // never used
  wait(fence);
  destroy(used);
  capture.call(CommandId::vkResetFences, args_vkResetFences{kDevice, 1, &fence}, ok());
  begin(commands);
  EXPECT_TRUE(plan()->settles.empty());
}

TEST_F(Sloppy, CommandsRecordedAgainWhileTheyMayRunAreWaitedFor) {
  const VkCommandBuffer commands = recorded();
  submit({commands});
  begin(commands);
  EXPECT_EQ(plan()->settles.size(), 1u);
}

TEST_F(Sloppy, CommandsSubmittedAgainWhileTheyMayRunMayBe) {
  const VkCommandBuffer commands = recorded(VK_NULL_HANDLE, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  submit({commands});
  submit({commands});
  const auto built = plan();
  EXPECT_TRUE(built->settles.empty());
  const auto* args = last<args_vkBeginCommandBuffer>(*built, CommandId::vkBeginCommandBuffer);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pBeginInfo).flags,
            static_cast<VkCommandBufferUsageFlags>(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
}

// Of a present that waits for a semaphore and shows nothing.
class Presents : public Sloppy {
 protected:
  void present(VkSemaphore semaphore, VkResult result) {
    auto info = of_type<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &semaphore;
    capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{kQueue, &info}, {.result = result});
  }
  VkSemaphore semaphore() {
    const auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    return create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  }
};

TEST_F(Presents, OfALostDeviceAreNotPlayed) {
  for (const VkResult lost : {VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY}) present(semaphore(), lost);
  EXPECT_EQ(last<args_vkQueuePresentKHR>(*plan(), CommandId::vkQueuePresentKHR), nullptr);
}

TEST_F(Presents, ThatAreRejectedWaitAllTheSame) {
  const VkSemaphore signalled = semaphore();
  auto signals = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  signals.signalSemaphoreCount = 1;
  signals.pSignalSemaphores = &signalled;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &signals, VK_NULL_HANDLE}, ok());
  present(signalled, VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_NE(last<args_vkQueuePresentKHR>(*plan(), CommandId::vkQueuePresentKHR), nullptr);
}

TEST_F(Sloppy, ASecondSignalOfABinarySemaphoreTakesTheFirst) {
  const auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  const auto semaphore = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  auto signals = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  signals.signalSemaphoreCount = 1;
  signals.pSignalSemaphores = &semaphore;
  for (int i = 0; i < 2; ++i)
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &signals, VK_NULL_HANDLE}, ok());
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].semaphore), "VkSemaphore#0");
}

VkSamplerCreateInfo sampler_info() {
  auto info = of_type<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.anisotropyEnable = 0xcdcdcdcd;
  info.maxAnisotropy = 1;
  info.compareOp = static_cast<VkCompareOp>(0xcdcdcd);
  return info;
}

TEST_F(Sloppy, BooleansAndUnusedEnumerantsAreSetRight) {
  create<VkSampler, args_vkCreateSampler>(CommandId::vkCreateSampler, sampler_info());
  const auto built = plan();
  const auto* args = last<args_vkCreateSampler>(*built, CommandId::vkCreateSampler);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pCreateInfo).anisotropyEnable, VK_TRUE);
  EXPECT_EQ(behind(args, args->pCreateInfo).compareOp, VK_COMPARE_OP_NEVER);
}

TEST_F(Sloppy, UnusedFlagsAreSetRight) {
  VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, 0xcdcd0001, nullptr};
  auto layout = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  layout.bindingCount = 1;
  layout.pBindings = &binding;
  create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, layout);
  auto pool = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  pool.queryType = VK_QUERY_TYPE_OCCLUSION;
  pool.queryCount = 1;
  pool.pipelineStatistics = 0xcdcdc001;
  create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, pool);
  const auto built = plan();
  const auto* made = last<args_vkCreateDescriptorSetLayout>(*built, CommandId::vkCreateDescriptorSetLayout);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(behind(made, made->pCreateInfo).bindingCount, 1u);
  const auto* queries = last<args_vkCreateQueryPool>(*built, CommandId::vkCreateQueryPool);
  ASSERT_NE(queries, nullptr);
  EXPECT_EQ(behind(queries, queries->pCreateInfo).pipelineStatistics, 1u);
}

TEST_F(Sloppy, FlagsThatAreUsedAreRefused) {
  auto pool = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  pool.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  pool.queryCount = 1;
  pool.pipelineStatistics = 0xcdcdc001;
  create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, pool);
  refuses("pipelineStatistics of VkQueryPoolCreateInfo has bits (0xcdcdc000)");
}

TEST_F(Sloppy, BorderColorsOfSamplersWithoutABorderAreSetRight) {
  VkSamplerCreateInfo info = sampler_info();
  info.borderColor = static_cast<VkBorderColor>(0xcdcdcd);
  create<VkSampler, args_vkCreateSampler>(CommandId::vkCreateSampler, info);
  const auto built = plan();
  const auto* args = last<args_vkCreateSampler>(*built, CommandId::vkCreateSampler);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pCreateInfo).borderColor, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
}

TEST_F(Sloppy, BorderColorsOfSamplersWithABorderAreRefused) {
  VkSamplerCreateInfo info = sampler_info();
  info.borderColor = static_cast<VkBorderColor>(0xcdcdcd);
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  create<VkSampler, args_vkCreateSampler>(CommandId::vkCreateSampler, info);
  refuses("borderColor of VkSamplerCreateInfo is 13487565, which no VkBorderColor is");
}

// What no presentation engine minds is no more than a swapchain of the player's needs.
TEST_F(Sloppy, SwapchainsAreMadeForWhatIsDoneWithThem) {
  auto surface = fresh<VkSurfaceKHR>();
  const auto headless = of_type<VkHeadlessSurfaceCreateInfoEXT>(VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT);
  capture.call(CommandId::vkCreateHeadlessSurfaceEXT,
               args_vkCreateHeadlessSurfaceEXT{kInstance, &headless, nullptr, &surface}, ok());
  auto info = of_type<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface;
  info.minImageCount = 1;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageExtent = {16, 16};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const auto swapchain = create<VkSwapchainKHR, args_vkCreateSwapchainKHR>(CommandId::vkCreateSwapchainKHR, info);
  std::uint32_t count = 1;
  auto image = fresh<VkImage>();
  capture.call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{kDevice, swapchain, &count, &image},
               ok());
  auto view = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = VK_FORMAT_B8G8R8A8_SRGB;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, view);
  const VkCommandBuffer commands = recording();
  const VkClearColorValue color{};
  capture.call(CommandId::vkCmdClearColorImage,
               args_vkCmdClearColorImage{commands, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &view.subresourceRange});
  end(commands);
  const auto built = plan();
  const auto* args = last<args_vkCreateSwapchainKHR>(*built, CommandId::vkCreateSwapchainKHR);
  ASSERT_NE(args, nullptr);
  const VkSwapchainCreateInfoKHR& made = behind(args, args->pCreateInfo);
  EXPECT_EQ(made.imageUsage, VkImageUsageFlags{VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  EXPECT_EQ(made.flags, VkFlags{VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR});
}

TEST_F(Sloppy, EnumerantsThatAreUsedAreRefused) {
  VkSamplerCreateInfo info = sampler_info();
  info.compareEnable = 2;
  create<VkSampler, args_vkCreateSampler>(CommandId::vkCreateSampler, info);
  refuses("compareOp of VkSamplerCreateInfo is 13487565, which no VkCompareOp is");
}

TEST_F(Sloppy, UnknownFlagsAreRefusedByName) {
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = 4;
  info.usage = 0x40000001;
  create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  refuses("usage of VkBufferCreateInfo has bits (0x40000000) that no VkBufferUsageFlagBits has");
}

}  // namespace
}  // namespace rondo::test
