// SPDX-License-Identifier: Apache-2.0
// Which images of swapchains a checkpoint reads, and which are zeroed.
#include <string_view>

#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

VkImageUsageFlags g_usage;  // as the driver was asked

VkResult VKAPI_CALL fake_swapchain(VkDevice, const VkSwapchainCreateInfoKHR* info, const VkAllocationCallbacks*,
                                   VkSwapchainKHR* swapchain) {
  g_usage = info->imageUsage;
  *swapchain = made_up<VkSwapchainKHR>(1 + info->imageArrayLayers);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_images(VkDevice, VkSwapchainKHR, std::uint32_t* count, VkImage* images) {
  *count = 1;
  if (images != nullptr) images[0] = made_up<VkImage>(9);
  return VK_SUCCESS;
}

VkImageUsageFlags g_supported;  // by the surface
VkResult VKAPI_CALL fake_capabilities(VkPhysicalDevice, VkSurfaceKHR, VkSurfaceCapabilitiesKHR* capabilities) {
  *capabilities = {};
  capabilities->supportedUsageFlags = g_supported;
  return VK_SUCCESS;
}

class RecordedSwapchains : public RecorderTest {};

TEST_F(RecordedSwapchains, ImagesGetTheUsageThatTheSurfaceAllows) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "present", 1);
    Dispatch dispatch;
    dispatch.vkCreateSwapchainKHR = fake_swapchain;
    dispatch.vkGetSwapchainImagesKHR = fake_images;
    FakeDevice device(dispatch);
    Dispatch instance;
    instance.vkGetPhysicalDeviceSurfaceCapabilitiesKHR = fake_capabilities;
    device.state().next_instance = &instance;
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    const auto made = [&](std::uint32_t layers) -> const Swapchain& {
      VkSwapchainCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
      info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
      info.imageExtent = {16, 16};
      info.imageArrayLayers = layers;
      info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
      VkSwapchainKHR swapchain = VK_NULL_HANDLE;
      if (hook_vkCreateSwapchainKHR(device.device(), &info, nullptr, &swapchain) != VK_SUCCESS) ::_exit(1);
      return device.state().swapchains.at(swapchain);
    };
    constexpr VkImageUsageFlags color = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    g_supported = color;
    const Swapchain& none = made(1);
    if (none.readable || !none.to_zero.empty() || g_usage != color) ::_exit(2);
    g_supported = color | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const Swapchain& read = made(1);
    if (!read.readable || !read.to_zero.empty() || g_usage != g_supported) ::_exit(3);
    g_supported =
        color | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
    const Swapchain& both = made(1);
    if (!both.readable || both.to_zero != std::vector<bool>{true} ||
        g_usage != (g_supported & ~VkImageUsageFlags{VK_IMAGE_USAGE_STORAGE_BIT}))
      ::_exit(4);
    // A digest is of one layer.
    const Swapchain& stereo = made(2);
    if (stereo.readable || std::string_view(stereo.reason).find("layers") == std::string_view::npos) ::_exit(5);
  });
}

}  // namespace
}  // namespace rondo::layer::testing
