// SPDX-License-Identifier: Apache-2.0
// Presents to a plane of a display, without any window system: in a mode of the
// display's, then in one that it makes itself.
#include <algorithm>
#include <string>

#include "objects.h"

using namespace program;

namespace {

struct Functions {
#define FUNCTION(name) PFN_##name name = nullptr
  FUNCTION(vkGetPhysicalDeviceDisplayPropertiesKHR);
  FUNCTION(vkGetPhysicalDeviceDisplayPlanePropertiesKHR);
  FUNCTION(vkGetDisplayPlaneSupportedDisplaysKHR);
  FUNCTION(vkGetDisplayModePropertiesKHR);
  FUNCTION(vkCreateDisplayModeKHR);
  FUNCTION(vkGetDisplayPlaneCapabilitiesKHR);
  FUNCTION(vkCreateDisplayPlaneSurfaceKHR);
  FUNCTION(vkGetPhysicalDeviceDisplayProperties2KHR);
  FUNCTION(vkGetPhysicalDeviceDisplayPlaneProperties2KHR);
  FUNCTION(vkGetDisplayModeProperties2KHR);
  FUNCTION(vkGetDisplayPlaneCapabilities2KHR);
#undef FUNCTION
};

Functions functions_of(VkInstance instance) {
  Functions f;
#define LOAD(name)                                                               \
  f.name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(instance, #name)); \
  if (f.name == nullptr) die(#name, 0)
  LOAD(vkGetPhysicalDeviceDisplayPropertiesKHR);
  LOAD(vkGetPhysicalDeviceDisplayPlanePropertiesKHR);
  LOAD(vkGetDisplayPlaneSupportedDisplaysKHR);
  LOAD(vkGetDisplayModePropertiesKHR);
  LOAD(vkCreateDisplayModeKHR);
  LOAD(vkGetDisplayPlaneCapabilitiesKHR);
  LOAD(vkCreateDisplayPlaneSurfaceKHR);
  LOAD(vkGetPhysicalDeviceDisplayProperties2KHR);
  LOAD(vkGetPhysicalDeviceDisplayPlaneProperties2KHR);
  LOAD(vkGetDisplayModeProperties2KHR);
  LOAD(vkGetDisplayPlaneCapabilities2KHR);
#undef LOAD
  return f;
}

// Asked for by both commands, which have to agree.
VkDisplayKHR find_display(const Functions& f, const Context& c) {
  std::uint32_t count = 0;
  CHECK(f.vkGetPhysicalDeviceDisplayPropertiesKHR(c.physical, &count, nullptr));
  std::vector<VkDisplayPropertiesKHR> all(count);
  CHECK(f.vkGetPhysicalDeviceDisplayPropertiesKHR(c.physical, &count, all.data()));
  if (count == 0) die("no display", 0);
  VkDisplayProperties2KHR again{};
  again.sType = VK_STRUCTURE_TYPE_DISPLAY_PROPERTIES_2_KHR;
  count = 1;
  if (const VkResult r = f.vkGetPhysicalDeviceDisplayProperties2KHR(c.physical, &count, &again); r < 0)
    die("vkGetPhysicalDeviceDisplayProperties2KHR", r);
  if (again.displayProperties.display != all[0].display) die("another display", 0);
  return all[0].display;
}

std::uint32_t find_plane(const Functions& f, const Context& c, VkDisplayKHR display) {
  std::uint32_t count = 0;
  CHECK(f.vkGetPhysicalDeviceDisplayPlanePropertiesKHR(c.physical, &count, nullptr));
  std::vector<VkDisplayPlanePropertiesKHR> planes(count);
  CHECK(f.vkGetPhysicalDeviceDisplayPlanePropertiesKHR(c.physical, &count, planes.data()));
  std::vector<VkDisplayPlaneProperties2KHR> again(count);
  for (auto& one : again) one.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_PROPERTIES_2_KHR;
  CHECK(f.vkGetPhysicalDeviceDisplayPlaneProperties2KHR(c.physical, &count, again.data()));
  for (std::uint32_t plane = count; plane-- > 0;) {
    std::uint32_t displays = 0;
    CHECK(f.vkGetDisplayPlaneSupportedDisplaysKHR(c.physical, plane, &displays, nullptr));
    std::vector<VkDisplayKHR> supported(displays);
    CHECK(f.vkGetDisplayPlaneSupportedDisplaysKHR(c.physical, plane, &displays, supported.data()));
    if (std::find(supported.begin(), supported.end(), display) != supported.end()) return plane;
  }
  die("no plane for the display", count);
}

VkDisplayModePropertiesKHR first_mode(const Functions& f, const Context& c, VkDisplayKHR display) {
  std::uint32_t count = 0;
  CHECK(f.vkGetDisplayModePropertiesKHR(c.physical, display, &count, nullptr));
  std::vector<VkDisplayModePropertiesKHR> modes(count);
  CHECK(f.vkGetDisplayModePropertiesKHR(c.physical, display, &count, modes.data()));
  std::vector<VkDisplayModeProperties2KHR> again(count);
  for (auto& one : again) one.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR;
  CHECK(f.vkGetDisplayModeProperties2KHR(c.physical, display, &count, again.data()));
  if (count == 0 || again[0].displayModeProperties.displayMode != modes[0].displayMode) die("modes", count);
  return modes[0];
}

VkSurfaceKHR create_surface(const Functions& f, const Context& c, VkDisplayModeKHR mode, std::uint32_t plane,
                            VkExtent2D extent) {
  VkDisplayPlaneCapabilitiesKHR caps;
  CHECK(f.vkGetDisplayPlaneCapabilitiesKHR(c.physical, mode, plane, &caps));
  VkDisplayPlaneInfo2KHR asked{};
  asked.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_INFO_2_KHR;
  asked.mode = mode;
  asked.planeIndex = plane;
  VkDisplayPlaneCapabilities2KHR again{};
  again.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_CAPABILITIES_2_KHR;
  CHECK(f.vkGetDisplayPlaneCapabilities2KHR(c.physical, &asked, &again));
  if (again.capabilities.maxDstExtent.width != caps.maxDstExtent.width) die("another extent", caps.maxDstExtent.width);
  VkDisplaySurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR;
  info.displayMode = mode;
  info.planeIndex = plane;
  info.transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR;
  info.imageExtent = extent;
  VkSurfaceKHR surface;
  CHECK(f.vkCreateDisplayPlaneSurfaceKHR(c.instance, &info, nullptr, &surface));
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(c.physical, c.family, surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  return surface;
}

VkSwapchainKHR create_swapchain(const Context& c, VkSurfaceKHR surface, VkExtent2D extent) {
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface;
  info.minImageCount = 2;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = extent;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  VkSwapchainKHR swapchain;
  CHECK(vkCreateSwapchainKHR(c.device, &info, nullptr, &swapchain));
  return swapchain;
}

void present_some(const Context& c, const Commands& commands, VkSurfaceKHR surface, VkExtent2D extent) {
  const VkSwapchainKHR swapchain = create_swapchain(c, surface, extent);
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(c.device, swapchain, &count, nullptr));
  std::vector<VkImage> images(count);
  CHECK(vkGetSwapchainImagesKHR(c.device, swapchain, &count, images.data()));
  const VkFence there = create_fence(c);
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    std::uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(c.device, swapchain, UINT64_MAX, VK_NULL_HANDLE, there, &index));
    CHECK(vkWaitForFences(c.device, 1, &there, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(c.device, 1, &there));
    run_once(c, commands, [&](VkCommandBuffer buffer) {
      const VkClearColorValue color{{static_cast<float>(frame) / 4, static_cast<float>(extent.width) / 64, 1, 1}};
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
      change_layout(buffer, images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      vkCmdClearColorImage(buffer, images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
      change_layout(buffer, images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    });
    VkPresentInfoKHR present{};
    present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    present.swapchainCount = 1;
    present.pSwapchains = &swapchain;
    present.pImageIndices = &index;
    CHECK(vkQueuePresentKHR(c.queues[0], &present));
  }
  CHECK(vkDeviceWaitIdle(c.device));
  vkDestroyFence(c.device, there, nullptr);
  vkDestroySwapchainKHR(c.device, swapchain, nullptr);
}

}  // namespace

int main() {
  Wanted wanted;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_DISPLAY_EXTENSION_NAME,
                                VK_KHR_GET_DISPLAY_PROPERTIES_2_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Context c = create_context("displays", wanted);
  const Functions f = functions_of(c.instance);
  Commands commands = create_commands(c);

  const VkDisplayKHR display = find_display(f, c);
  const std::uint32_t plane = find_plane(f, c, display);
  const VkDisplayModePropertiesKHR mode = first_mode(f, c, display);
  const VkExtent2D extent = mode.parameters.visibleRegion;
  VkSurfaceKHR surface = create_surface(f, c, mode.displayMode, plane, extent);
  present_some(c, commands, surface, {32, 16});
  vkDestroySurfaceKHR(c.instance, surface, nullptr);

  VkDisplayModeCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR;
  info.parameters = {{64, 48}, 30'000};
  VkDisplayModeKHR own = VK_NULL_HANDLE;
  CHECK(f.vkCreateDisplayModeKHR(c.physical, display, &info, nullptr, &own));
  surface = create_surface(f, c, own, plane, {64, 48});
  present_some(c, commands, surface, {64, 48});
  vkDestroySurfaceKHR(c.instance, surface, nullptr);

  std::printf("displays: plane %u of %ux%u\n", plane, extent.width, extent.height);
  destroy(c, commands);
  destroy(c);
  return 0;
}
