// SPDX-License-Identifier: Apache-2.0
// Which presented images a checkpoint reads.
#include <string_view>

#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

VkImageUsageFlags g_usage;  // as the driver was asked

VkResult VKAPI_CALL fake_swapchain(VkDevice, const VkSwapchainCreateInfoKHR* info,
                                   const VkAllocationCallbacks*, VkSwapchainKHR* swapchain) {
  g_usage = info->imageUsage;
  *swapchain = made_up<VkSwapchainKHR>(1 + info->imageArrayLayers);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_images(VkDevice, VkSwapchainKHR, std::uint32_t* count, VkImage* images) {
  *count = 1;
  if (images != nullptr) images[0] = made_up<VkImage>(9);
  return VK_SUCCESS;
}

class RecordedSwapchains : public RecorderTest {};

TEST_F(RecordedSwapchains, ImagesOfSeveralLayersAreNotCalledVerified) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "present", 1);
    Dispatch dispatch;
    dispatch.vkCreateSwapchainKHR = fake_swapchain;
    dispatch.vkGetSwapchainImagesKHR = fake_images;
    FakeDevice device(dispatch);
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    const auto made = [&](std::uint32_t layers) -> const Swapchain& {
      VkSwapchainCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
      info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
      info.imageExtent = {16, 16};
      info.imageArrayLayers = layers;
      info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      VkSwapchainKHR swapchain = VK_NULL_HANDLE;
      if (hook_vkCreateSwapchainKHR(device.device(), &info, nullptr, &swapchain) != VK_SUCCESS) ::_exit(1);
      return device.state().swapchains.at(swapchain);
    };
    if (!made(1).readable) ::_exit(2);
    const Swapchain& stereo = made(2);
    if (stereo.readable || std::string_view(stereo.reason).find("layers") == std::string_view::npos)
      ::_exit(3);
  });
}

}  // namespace
}  // namespace rondo::layer::testing
