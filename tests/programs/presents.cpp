// SPDX-License-Identifier: Apache-2.0
// What becomes of presents, on surfaces without a window: two swapchains a
// present with ids, waits for them, acquires with a fence or a semaphore or too
// early, and swapchains made anew, in place of the old one and after it.
//   presents [--rejected 1]   some results say that a swapchain is out of date
#include "objects.h"

using namespace program;

namespace {

constexpr std::uint64_t kLong = 60'000'000'000;

struct Chain {
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  std::uint32_t width = 0;
};

struct Frames : Context {
  Commands commands;
  VkSemaphore acquired = VK_NULL_HANDLE, painted = VK_NULL_HANDLE;
  VkFence there = VK_NULL_HANDLE;
  PFN_vkWaitForPresentKHR wait_for_present = nullptr;
  std::uint64_t id = 0;
  std::uint32_t made = 0, rejected = 0, suboptimal = 0;
};

void make(Frames& f, Chain& chain, VkSwapchainKHR old) {
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = chain.surface;
  info.minImageCount = 2;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {chain.width, 8};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  info.oldSwapchain = old;
  CHECK(vkCreateSwapchainKHR(f.device, &info, nullptr, &chain.swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(f.device, chain.swapchain, &count, nullptr));
  chain.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(f.device, chain.swapchain, &count, chain.images.data()));
  ++f.made;
}

Chain create_chain(Frames& f, std::uint32_t width) {
  Chain chain;
  chain.width = width;
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(f.instance, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  CHECK(create(f.instance, &info, nullptr, &chain.surface));
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(f.physical, f.family, chain.surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  make(f, chain, VK_NULL_HANDLE);
  return chain;
}

// A wider one in its place, or once it is gone. Nothing of it is in use.
void replace(Frames& f, Chain& chain, bool in_its_place) {
  const VkSwapchainKHR old = chain.swapchain;
  CHECK(vkQueueWaitIdle(f.queues[0]));
  ++chain.width;
  if (!in_its_place) vkDestroySwapchainKHR(f.device, old, nullptr);
  make(f, chain, in_its_place ? old : VK_NULL_HANDLE);
  if (in_its_place) vkDestroySwapchainKHR(f.device, old, nullptr);
}

std::uint32_t acquire(Frames& f, Chain& chain, VkSemaphore semaphore, VkFence fence) {
  std::uint32_t index = UINT32_MAX;
  const auto once = [&] { return vkAcquireNextImageKHR(f.device, chain.swapchain, kLong, semaphore, fence, &index); };
  VkResult result = once();
  if (result == VK_ERROR_OUT_OF_DATE_KHR) {
    ++f.rejected;
    replace(f, chain, true);
    result = once();
  }
  if (result == VK_SUBOPTIMAL_KHR)
    ++f.suboptimal;
  else
    check(result, "vkAcquireNextImageKHR");
  return index;
}

void paint(const Frames& f, VkImage image, std::uint32_t shade) {
  const VkClearColorValue color{{static_cast<float>(shade % 256) / 255, 0, 1, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  change_layout(f.commands.buffer, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage(f.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(f.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

// Returns what vkQueuePresentKHR said; each image's shade is another.
VkResult present(Frames& f, const std::vector<Chain*>& chains, const std::vector<std::uint32_t>& indices,
                 VkSemaphore acquired) {
  ++f.id;
  begin(f.commands);
  std::vector<VkSwapchainKHR> swapchains;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    paint(f, chains[i]->images[indices[i]], static_cast<std::uint32_t>(17 * f.id + 5 * i));
    swapchains.push_back(chains[i]->swapchain);
  }
  CHECK(vkEndCommandBuffer(f.commands.buffer));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = acquired != VK_NULL_HANDLE ? 1 : 0;
  info.pWaitSemaphores = &acquired;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pCommandBuffers = &f.commands.buffer;
  info.pSignalSemaphores = &f.painted;
  CHECK(vkQueueSubmit(f.queues[0], 1, &info, f.commands.done));
  const std::vector<std::uint64_t> ids(chains.size(), f.id);
  std::vector<VkResult> results(chains.size(), VK_ERROR_UNKNOWN);
  VkPresentIdKHR with_id{};
  with_id.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR;
  with_id.swapchainCount = static_cast<std::uint32_t>(ids.size());
  with_id.pPresentIds = ids.data();
  VkPresentInfoKHR presented{};
  presented.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  presented.pNext = &with_id;
  presented.waitSemaphoreCount = 1;
  presented.pWaitSemaphores = &f.painted;
  presented.swapchainCount = with_id.swapchainCount;
  presented.pSwapchains = swapchains.data();
  presented.pImageIndices = indices.data();
  presented.pResults = results.data();
  const VkResult result = vkQueuePresentKHR(f.queues[0], &presented);
  bool said = result == VK_SUCCESS;
  for (const VkResult one : results) said = said || one == result;
  if (!said) die("no swapchain has the result of the present", result);
  return result;
}

// The image was presented: the batch that painted it is done, and what it used is free.
void await_present(Frames& f, const Chain& chain) {
  CHECK(f.wait_for_present(f.device, chain.swapchain, f.id, kLong));
  CHECK(vkResetFences(f.device, 1, &f.commands.done));
}

void both_at_once(Frames& f, Chain& left, Chain& right) {
  const std::uint32_t first = acquire(f, left, f.acquired, VK_NULL_HANDLE);
  const std::uint32_t second = acquire(f, right, VK_NULL_HANDLE, f.there);
  CHECK(vkWaitForFences(f.device, 1, &f.there, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(f.device, 1, &f.there));
  const VkResult early = f.wait_for_present(f.device, left.swapchain, f.id + 1, 0);
  if (early != VK_TIMEOUT) die("a wait for a present that is still to come", early);
  const VkResult result = present(f, {&left, &right}, {first, second}, f.acquired);
  if (result == VK_ERROR_OUT_OF_DATE_KHR) {
    ++f.rejected;
    wait(f, f.commands);
    replace(f, left, true);
    replace(f, right, true);
    return;
  }
  if (result == VK_SUBOPTIMAL_KHR)
    ++f.suboptimal;
  else
    check(result, "vkQueuePresentKHR");
  await_present(f, f.id % 2 == 0 ? left : right);
}

// Acquires all that there are, and one more.
void too_early(Frames& f, Chain& chain) {
  std::vector<std::uint32_t> indices;
  for (std::size_t i = 0; i < chain.images.size(); ++i) {
    indices.push_back(acquire(f, chain, VK_NULL_HANDLE, f.there));
    CHECK(vkWaitForFences(f.device, 1, &f.there, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(f.device, 1, &f.there));
  }
  std::uint32_t none = UINT32_MAX;
  VkResult result = vkAcquireNextImageKHR(f.device, chain.swapchain, 0, f.acquired, VK_NULL_HANDLE, &none);
  if (result != VK_NOT_READY) die("an acquire that may not wait", result);
  result = vkAcquireNextImageKHR(f.device, chain.swapchain, 1000, f.acquired, f.there, &none);
  if (result != VK_TIMEOUT) die("an acquire that may wait a microsecond", result);
  for (const std::uint32_t index : indices) {
    CHECK(present(f, {&chain}, {index}, VK_NULL_HANDLE));
    await_present(f, chain);
  }
}

void new_each_frame(Frames& f, Chain& chain, bool in_its_place) {
  for (int i = 0; i < 4; ++i) {
    replace(f, chain, in_its_place);
    const std::uint32_t index = acquire(f, chain, f.acquired, VK_NULL_HANDLE);
    CHECK(present(f, {&chain}, {index}, f.acquired));
    await_present(f, chain);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool rejected = option(argc, argv, "--rejected", 0) != 0;
  VkPhysicalDevicePresentIdFeaturesKHR ids{};
  ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR;
  ids.presentId = VK_TRUE;
  VkPhysicalDevicePresentWaitFeaturesKHR waits{};
  waits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR;
  waits.pNext = &ids;
  waits.presentWait = VK_TRUE;
  Wanted wanted;
  wanted.features = &waits;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_PRESENT_ID_EXTENSION_NAME,
                       VK_KHR_PRESENT_WAIT_EXTENSION_NAME};
  Frames f;
  static_cast<Context&>(f) = create_context("presents", wanted);
  f.wait_for_present = reinterpret_cast<PFN_vkWaitForPresentKHR>(vkGetDeviceProcAddr(f.device, "vkWaitForPresentKHR"));
  if (f.wait_for_present == nullptr) die("vkWaitForPresentKHR", 0);
  f.commands = create_commands(f);
  f.acquired = create_semaphore(f);
  f.painted = create_semaphore(f);
  f.there = create_fence(f);
  Chain left = create_chain(f, 8), right = create_chain(f, 24);
  for (int i = 0; i < 8; ++i) both_at_once(f, left, right);
  too_early(f, left);
  new_each_frame(f, left, true);
  new_each_frame(f, right, false);
  CHECK(vkDeviceWaitIdle(f.device));
  if (rejected != (f.rejected != 0) || rejected != (f.suboptimal != 0))
    die("swapchains that did not fit any more", static_cast<long>(f.rejected));
  std::printf("presents: %u presents, %u swapchains, %u out of date, %u suboptimal\n", static_cast<std::uint32_t>(f.id),
              f.made, f.rejected, f.suboptimal);
  for (Chain* chain : {&left, &right}) {
    vkDestroySwapchainKHR(f.device, chain->swapchain, nullptr);
    vkDestroySurfaceKHR(f.instance, chain->surface, nullptr);
  }
  vkDestroyFence(f.device, f.there, nullptr);
  vkDestroySemaphore(f.device, f.acquired, nullptr);
  vkDestroySemaphore(f.device, f.painted, nullptr);
  destroy(f, f.commands);
  destroy(f);
  return 0;
}
