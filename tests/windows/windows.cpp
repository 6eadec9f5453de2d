// SPDX-License-Identifier: Apache-2.0
// Presents to two windows at once, while one of them is resized, minimized and
// closed, and its swapchain is made anew in every frame.
//   windows --system xcb|xlib|wayland
//   windows --vanish 1 --system xcb|xlib    a window that vanishes under its swapchain
#include <algorithm>

#include "tests/programs/objects.h"
#include "window.h"

using namespace program;

namespace {

constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;

struct Chain {
  std::unique_ptr<Window> window;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  VkExtent2D extent{};  // what the program would have
  std::vector<VkImage> images;
  VkSemaphore acquired = VK_NULL_HANDLE;
};

struct Frames : Context {
  std::unique_ptr<WindowSystem> system;
  Commands commands;
  VkSemaphore painted = VK_NULL_HANDLE;
  std::uint32_t presented = 0, swapchains = 0;
};

// As large as the window is, where it has a size of its own.
VkExtent2D extent_of(const Frames& f, const Chain& chain) {
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(f.physical, chain.surface, &caps));
  return caps.currentExtent.width == UINT32_MAX ? chain.extent : caps.currentExtent;
}

VkPresentModeKHR mode_of(const Frames& f, const Chain& chain) {
  std::uint32_t count = 0;
  CHECK(vkGetPhysicalDeviceSurfacePresentModesKHR(f.physical, chain.surface, &count, nullptr));
  std::vector<VkPresentModeKHR> modes(count);
  CHECK(vkGetPhysicalDeviceSurfacePresentModesKHR(f.physical, chain.surface, &count, modes.data()));
  // Nobody sees the windows: no compositor says when the next frame is due.
  const bool mailbox = std::find(modes.begin(), modes.end(), VK_PRESENT_MODE_MAILBOX_KHR) != modes.end();
  return mailbox ? VK_PRESENT_MODE_MAILBOX_KHR : VK_PRESENT_MODE_FIFO_KHR;
}

void make(Frames& f, Chain& chain, VkSwapchainKHR old) {
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(f.physical, chain.surface, &caps));
  const VkFormat formats[] = {kFormat, VK_FORMAT_B8G8R8A8_SRGB};
  VkImageFormatListCreateInfo list{};
  list.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
  list.viewFormatCount = 2;
  list.pViewFormats = formats;
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.pNext = &list;
  info.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
  info.surface = chain.surface;
  info.minImageCount = std::max(caps.minImageCount, 3u);
  info.imageFormat = kFormat;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = chain.extent = extent_of(f, chain);
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = caps.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = mode_of(f, chain);
  info.clipped = VK_TRUE;
  info.oldSwapchain = old;
  CHECK(vkCreateSwapchainKHR(f.device, &info, nullptr, &chain.swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(f.device, chain.swapchain, &count, nullptr));
  chain.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(f.device, chain.swapchain, &count, chain.images.data()));
  ++f.swapchains;
}

void open(Frames& f, Chain& chain, VkExtent2D extent) {
  chain.extent = extent;
  chain.window = f.system->create_window(extent.width, extent.height);
  chain.surface = chain.window->create_surface(f.instance);
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(f.physical, f.family, chain.surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  make(f, chain, VK_NULL_HANDLE);
}

void close(Frames& f, Chain& chain) {
  CHECK(vkDeviceWaitIdle(f.device));
  vkDestroySwapchainKHR(f.device, chain.swapchain, nullptr);
  vkDestroySurfaceKHR(f.instance, chain.surface, nullptr);
  chain.window.reset();
}

// In the place of the old one, which no queue uses any more.
void replace(Frames& f, Chain& chain) {
  CHECK(vkDeviceWaitIdle(f.device));
  const VkSwapchainKHR old = chain.swapchain;
  make(f, chain, old);
  vkDestroySwapchainKHR(f.device, old, nullptr);
}

std::uint32_t acquire(Frames& f, Chain& chain) {
  std::uint32_t index = UINT32_MAX;
  for (;;) {
    const VkResult result =
        vkAcquireNextImageKHR(f.device, chain.swapchain, UINT64_MAX, chain.acquired, VK_NULL_HANDLE, &index);
    if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR) return index;
    if (result != VK_ERROR_OUT_OF_DATE_KHR) die("vkAcquireNextImageKHR", result);
    replace(f, chain);
  }
}

void paint(const Frames& f, VkImage image, std::uint32_t shade) {
  const VkClearColorValue color{{static_cast<float>(shade % 256) / 255, 0, 1, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  change_layout(f.commands.buffer, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage(f.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(f.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

// All of them in one present. Each image has a shade that no other has.
void frame(Frames& f, const std::vector<Chain*>& chains) {
  std::vector<std::uint32_t> indices;
  for (Chain* chain : chains) indices.push_back(acquire(f, *chain));
  std::vector<VkSwapchainKHR> swapchains;
  std::vector<VkSemaphore> acquired;
  begin(f.commands);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    paint(f, chains[i]->images[indices[i]], 5 * f.presented++);
    swapchains.push_back(chains[i]->swapchain);
    acquired.push_back(chains[i]->acquired);
  }
  CHECK(vkEndCommandBuffer(f.commands.buffer));
  const std::vector<VkPipelineStageFlags> stages(chains.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = static_cast<std::uint32_t>(acquired.size());
  info.pWaitSemaphores = acquired.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pCommandBuffers = &f.commands.buffer;
  info.pSignalSemaphores = &f.painted;
  CHECK(vkQueueSubmit(f.queues[0], 1, &info, f.commands.done));
  std::vector<VkResult> results(chains.size(), VK_SUCCESS);
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = 1;
  present.pWaitSemaphores = &f.painted;
  present.swapchainCount = static_cast<std::uint32_t>(swapchains.size());
  present.pSwapchains = swapchains.data();
  present.pImageIndices = indices.data();
  present.pResults = results.data();
  const VkResult result = vkQueuePresentKHR(f.queues[0], &present);
  if (result != VK_SUBOPTIMAL_KHR && result != VK_ERROR_OUT_OF_DATE_KHR) check(result, "vkQueuePresentKHR");
  wait(f, f.commands);
  for (std::size_t i = 0; i < chains.size(); ++i)
    if (results[i] != VK_SUCCESS) replace(f, *chains[i]);
}

// Work goes on while a window has no swapchain.
void while_minimized(Frames& f, Chain& chain) {
  chain.window->minimize();
  CHECK(vkDeviceWaitIdle(f.device));
  vkDestroySwapchainKHR(f.device, chain.swapchain, nullptr);
  for (int i = 0; i < 2; ++i) run_once(f, f.commands, [](VkCommandBuffer) {});
  chain.window->restore();
  make(f, chain, VK_NULL_HANDLE);
}

// False: the driver says that there is no window any more.
bool frame_without_window(Frames& f, Chain& chain) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::uint32_t index = 0;
  VkResult result = vkAcquireNextImageKHR(f.device, chain.swapchain, kSecond, chain.acquired, VK_NULL_HANDLE, &index);
  if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR) return false;
  begin(f.commands);
  paint(f, chain.images[index], 5 * f.presented);
  CHECK(vkEndCommandBuffer(f.commands.buffer));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pWaitSemaphores = &chain.acquired;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &f.commands.buffer;
  info.pSignalSemaphores = &f.painted;
  CHECK(vkQueueSubmit(f.queues[0], 1, &info, f.commands.done));
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = present.swapchainCount = 1;
  present.pWaitSemaphores = &f.painted;
  present.pSwapchains = &chain.swapchain;
  present.pImageIndices = &index;
  result = vkQueuePresentKHR(f.queues[0], &present);
  wait(f, f.commands);
  if (result < 0 && result != VK_ERROR_SURFACE_LOST_KHR) check(result, "vkQueuePresentKHR");
  return result == VK_SUCCESS;
}

void vanishes(Frames& f, Chain& chain) {
  constexpr int kMost = 1000;
  open(f, chain, {64, 48});
  for (int i = 0; i < 3; ++i) frame(f, {&chain});
  chain.window->vanish();
  int frames = 0;
  while (frames < kMost && frame_without_window(f, chain)) ++frames;
  if (frames == kMost) die("nobody says that the window is gone", frames);
  VkSurfaceCapabilitiesKHR caps;
  if (vkGetPhysicalDeviceSurfaceCapabilitiesKHR(f.physical, chain.surface, &caps) == VK_SUCCESS) replace(f, chain);
  close(f, chain);
  open(f, chain, {32, 80});
  for (int i = 0; i < 3; ++i) frame(f, {&chain});
  close(f, chain);
}

void changes(Frames& f, Chain& left, Chain& right) {
  open(f, left, {64, 48});
  open(f, right, {32, 32});
  for (int i = 0; i < 4; ++i) frame(f, {&left, &right});
  for (const std::uint32_t width : {96u, 40u}) {
    left.window->resize(width, 56);
    left.extent = {width, 56};
    for (int i = 0; i < 2; ++i) frame(f, {&left, &right});
    // A window system that says nothing leaves it to the program to look.
    replace(f, left);
    if (left.extent.width != width || left.extent.height != 56) die("the window has another size", left.extent.width);
    frame(f, {&right, &left});
  }
  while_minimized(f, left);
  for (int i = 0; i < 4; ++i) {
    replace(f, left);
    frame(f, {&left});
  }
  close(f, right);
  frame(f, {&left});
  open(f, right, {24, 80});
  frame(f, {&right, &left});
  close(f, left);
  close(f, right);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string system = argc >= 3 && std::string(argv[argc - 2]) == "--system" ? argv[argc - 1] : "";
  Frames f;
  f.system = system == "xcb"       ? open_xcb()
             : system == "xlib"    ? open_xlib()
             : system == "wayland" ? open_wayland()
                                   : nullptr;
  if (f.system == nullptr) die("--system xcb, xlib or wayland", argc);
  Wanted wanted;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, f.system->surface_extension()};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
                       VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME};
  static_cast<Context&>(f) = create_context("windows", wanted);
  if (!f.system->supports(f.physical, f.family)) die("the family cannot present there", 0);
  f.commands = create_commands(f);
  f.painted = create_semaphore(f);
  Chain left, right;
  left.acquired = create_semaphore(f);
  right.acquired = create_semaphore(f);
  if (option(argc, argv, "--vanish", 0) != 0)
    vanishes(f, left);
  else
    changes(f, left, right);

  for (const VkSemaphore semaphore : {left.acquired, right.acquired, f.painted})
    vkDestroySemaphore(f.device, semaphore, nullptr);
  destroy(f, f.commands);
  destroy(f);
  std::printf("windows: %u images presented to %s\n", f.presented, system.c_str());
  return 0;
}
