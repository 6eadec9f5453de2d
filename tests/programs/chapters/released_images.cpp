// SPDX-License-Identifier: Apache-2.0
// Swapchains by VK_EXT_swapchain_maintenance1 and by VK_KHR_, its name of today: presents that signal fences,
// each in one of several modes; images that are given back without a present; memory that is allocated late.
#include <algorithm>

#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;

VkSurfaceKHR create_surface(Session& s) {
  LOAD(s, vkCreateHeadlessSurfaceEXT);
  const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  CHECK(vkCreateHeadlessSurfaceEXT(s.instance, &info, nullptr, &surface));
  s.at_end.push_back([instance = s.instance, surface] { vkDestroySurfaceKHR(instance, surface, nullptr); });
  VkBool32 presents = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(s.physical, s.family, surface, &presents));
  if (presents == VK_FALSE) leave("presents on surfaces without a window");
  return surface;
}

// That can be changed to at a present, where it begins with the first.
std::vector<VkPresentModeKHR> modes_of(Session& s, VkSurfaceKHR surface) {
  LOAD(s, vkGetPhysicalDeviceSurfaceCapabilities2KHR);
  const VkSurfacePresentModeEXT of{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT, nullptr, VK_PRESENT_MODE_FIFO_KHR};
  const VkPhysicalDeviceSurfaceInfo2KHR asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, &of, surface};
  VkSurfacePresentModeCompatibilityEXT compatible{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT};
  VkSurfacePresentScalingCapabilitiesEXT scaling{VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT,
                                                 &compatible};
  VkSurfaceCapabilities2KHR can{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &scaling};
  CHECK(vkGetPhysicalDeviceSurfaceCapabilities2KHR(s.physical, &asked, &can));
  std::vector<VkPresentModeKHR> modes(compatible.presentModeCount);
  compatible.pPresentModes = modes.data();
  CHECK(vkGetPhysicalDeviceSurfaceCapabilities2KHR(s.physical, &asked, &can));
  modes.resize(compatible.presentModeCount);
  EXPECT(s, std::count(modes.begin(), modes.end(), VK_PRESENT_MODE_FIFO_KHR) == 1);
  return modes;
}

}  // namespace

int main() {
  constexpr char kKhr[] = "VK_KHR_swapchain_maintenance1";
  constexpr char kExt[] = VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME;
  Needs needs({VK_KHR_SWAPCHAIN_EXTENSION_NAME});
  needs.wished = {kKhr, kExt};
  needs.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                               VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
  needs.instance_wished = {"VK_KHR_surface_maintenance1", VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME};
  NEED(needs, SwapchainMaintenance1FeaturesEXT, swapchainMaintenance1);
  Session s = open("released_images", needs);
  // The command by each of its names, in turn.
  std::vector<PFN_vkReleaseSwapchainImagesEXT> release;
  if (has(needs, kKhr)) release.push_back(load<PFN_vkReleaseSwapchainImagesEXT>(s, "vkReleaseSwapchainImagesKHR"));
  if (has(needs, kExt)) release.push_back(load<PFN_vkReleaseSwapchainImagesEXT>(s, "vkReleaseSwapchainImagesEXT"));
  if (release.empty()) leave(kExt);
  const VkSurfaceKHR surface = create_surface(s);
  const std::vector<VkPresentModeKHR> modes = modes_of(s, surface);
  const VkSwapchainPresentModesCreateInfoEXT all{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT, nullptr,
                                                 static_cast<std::uint32_t>(modes.size()), modes.data()};
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .pNext = &all,
                                      .surface = surface,
                                      .minImageCount = 4,
                                      .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                      .imageExtent = {kExtent, kExtent},
                                      .imageArrayLayers = 1,
                                      .imageUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                      .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_TRUE};
  VkSwapchainKHR swapchain;
  CHECK(vkCreateSwapchainKHR(s.device, &info, nullptr, &swapchain));
  keep(s, vkDestroySwapchainKHR, swapchain);
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, nullptr));
  std::vector<VkImage> images(count);
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, images.data()));

  const VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence there, presented;
  CHECK(vkCreateFence(s.device, &fence_info, nullptr, &there));
  CHECK(vkCreateFence(s.device, &fence_info, nullptr, &presented));
  keep(s, vkDestroyFence, there);
  keep(s, vkDestroyFence, presented);
  const auto acquire = [&] {
    std::uint32_t index = UINT32_MAX;
    CHECK(vkAcquireNextImageKHR(s.device, swapchain, UINT64_MAX, VK_NULL_HANDLE, there, &index));
    CHECK(vkWaitForFences(s.device, 1, &there, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(s.device, 1, &there));
    return index;
  };
  const MappedBuffer out = create_readback(s, 6 * kExtent * kExtent * 4);
  for (std::uint32_t frame = 0; frame < 6; ++frame) {
    // Two of them, of which the first goes back as it came.
    const std::uint32_t unused = acquire(), index = acquire();
    EXPECT(s, unused != index);
    const VkReleaseSwapchainImagesInfoEXT released{VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT, nullptr,
                                                   swapchain, 1, &unused};
    CHECK(release[frame % release.size()](s.device, &released));
    const VkClearColorValue color{{static_cast<float>(frame) / 8, 0.5f, 1, 1}};
    change_layout(s.cmd, images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdClearColorImage(s.cmd, images[index], VK_IMAGE_LAYOUT_GENERAL, &color, 1, &kColor);
    Image image;
    image.image = images[index];
    image.info.extent = {kExtent, kExtent, 1};
    image.range = kColor;
    barrier(s.cmd);
    copy_out(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, out, frame * kExtent * kExtent * 4);
    transition(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    run(s);
    const VkPresentModeKHR mode = modes[frame % modes.size()];
    VkSwapchainPresentModeInfoEXT in_mode{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT, nullptr, 1, &mode};
    const VkSwapchainPresentFenceInfoEXT signalling{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, &in_mode, 1,
                                                    &presented};
    const VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, &signalling, 0, nullptr, 1, &swapchain, &index};
    CHECK(vkQueuePresentKHR(s.queues[0], &present));
    CHECK(vkWaitForFences(s.device, 1, &presented, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(s.device, 1, &presented));
  }
  CHECK(vkQueueWaitIdle(s.queues[0]));
  EXPECT(s, (out.words[0] & 0xffff00ff) == 0xff0000ff);
  add(s, out);
  return finish(s);
}
