// SPDX-License-Identifier: Apache-2.0
// Images that are presented: a semaphore that an acquire signals must not be waited for any more by earlier work, and
// the first use of the image must wait for the acquire.
#include "plants.h"

namespace hazards {

namespace {

constexpr VkFormat kPresented = VK_FORMAT_B8G8R8A8_UNORM;

struct Swapchain {
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
};

// On a surface without a window.
Swapchain make_swapchain(Bench& b) {
  const auto create = load<PFN_vkCreateHeadlessSurfaceEXT>(b, "vkCreateHeadlessSurfaceEXT");
  const VkHeadlessSurfaceCreateInfoEXT headless{.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  CHECK(create(b.instance, &headless, nullptr, &surface));
  b.at_end.push_back([surface, instance = b.instance] { vkDestroySurfaceKHR(instance, surface, nullptr); });
  VkBool32 is_supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(b.physical, b.family, surface, &is_supported));
  if (is_supported == VK_FALSE) std::exit(cannot_run("the queue cannot present"));
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, surface, &caps));
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .surface = surface,
                                      .minImageCount = std::max(caps.minImageCount, 3u),
                                      .imageFormat = kPresented,
                                      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                      .imageExtent = {kExtent, kExtent},
                                      .imageArrayLayers = 1,
                                      .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                      .preTransform = caps.currentTransform,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_TRUE};
  Swapchain s;
  CHECK(vkCreateSwapchainKHR(b.device, &info, nullptr, &s.swapchain));
  keep(b, vkDestroySwapchainKHR, s.swapchain);
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(b.device, s.swapchain, &count, nullptr));
  s.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(b.device, s.swapchain, &count, s.images.data()));
  return s;
}

// Acquires an image, clears it in the open command buffer, and presents it. `waiting`: the stages that wait for the
// acquire.
void present(Bench& b, const char* label, const Swapchain& s, VkSemaphore acquired, VkFence done,
             const Scope& waiting = kClearWrites) {
  constexpr VkImageLayout cleared = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  constexpr VkClearColorValue black{};
  const VkSemaphore written = binary(b);
  std::uint32_t index = 0;
  CHECK(vkAcquireNextImageKHR(b.device, s.swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
  const VkImage image = s.images[index];
  barrier(b, "start",
          {{.from = stages_of(kClearWrites), .to = kClearWrites, .image = image, .range = all, .after = cleared}});
  labelled(b, label, [&] { vkCmdClearColorImage(b.cmd, image, cleared, &black, 1, &all); });
  barrier(b, "end",
          {{.from = kClearWrites,
            .to = kNoDestination,
            .image = image,
            .range = all,
            .before = cleared,
            .after = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR}});
  submit(b, {.wait = {acquired, waiting}, .signal = {written, kAllWrites}, .fence = done});
  const VkPresentInfoKHR info{
      VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &written, 1, &s.swapchain, &index, nullptr};
  CHECK(vkQueuePresentKHR(b.queues[0], &info));
}

// The next acquire signals the semaphore for which the work before waits, or another one.
void before_acquire(Bench& b) {
  const Swapchain s = make_swapchain(b);
  const VkSemaphore acquired = binary(b), other = binary(b);
  const VkFence done = make_fence(b);
  present(b, "A", s, acquired, done);
  wait_for(b, done);
  begin(b);
  present(b, "B", s, b.clean ? acquired : other, VK_NULL_HANDLE);
}

// The submit waits for the acquire in a stage with which the first barrier of the image does not begin. Nobody has
// presented the image before.
void other_stage(Bench& b) {
  const Swapchain s = make_swapchain(b);
  present(b, "A", s, binary(b), VK_NULL_HANDLE, b.clean ? kClearWrites : kComputeReads);
}

}  // namespace

std::vector<Plant> present_plants() {
  return {{"wait-acquire", Form::second, {"superfluous vkWaitForFences#1"}, before_acquire, Queues::one, {}, true},
          {"acquire-other-stage", Form::second, {"race WAR host start"}, other_stage, Queues::one, {}, true}};
}

}  // namespace hazards
