// SPDX-License-Identifier: Apache-2.0
// A device that may be lost at any call: work that waits for what then never
// comes, waits, polls, presents. The program destroys all of it, makes another
// device and goes on there. It is the driver that loses it (docs/testing.md, "lost-after").
#include <algorithm>

#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kFrames = 4;
constexpr VkDeviceSize kBytes = 256;
constexpr std::uint64_t kLong = 60'000'000'000;

struct Work : Context {
  MappedBuffer from, to;
  Commands commands;
  VkCommandBuffer behind = VK_NULL_HANDLE, paint = VK_NULL_HANDLE;
  VkSemaphore held = VK_NULL_HANDLE, done = VK_NULL_HANDLE;  // timelines
  VkSemaphore acquired = VK_NULL_HANDLE, painted = VK_NULL_HANDLE;
  VkEvent event = VK_NULL_HANDLE;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
};

// False: the device is lost.
bool lives(VkResult result, const char* call) {
  if (result != VK_ERROR_DEVICE_LOST) check(result, call);
  return result == VK_SUCCESS;
}
#define LIVES(call)                          \
  do {                                       \
    if (!lives((call), #call)) return false; \
  } while (false)

void make_swapchain(Work& w) {
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(w.instance, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT headless{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  CHECK(create(w.instance, &headless, nullptr, &w.surface));
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(w.physical, w.family, w.surface, &supported));
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(w.physical, w.surface, &caps));
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = w.surface;
  info.minImageCount = std::max(caps.minImageCount, 3u);
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {16, 8};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = caps.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  CHECK(vkCreateSwapchainKHR(w.device, &info, nullptr, &w.swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(w.device, w.swapchain, &count, nullptr));
  w.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(w.device, w.swapchain, &count, w.images.data()));
}

Work make(VkInstance instance) {
  VkPhysicalDeviceTimelineSemaphoreFeatures features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  Wanted wanted;
  wanted.queues = 2;
  wanted.features = &features;
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Work w;
  static_cast<Context&>(w) = create_device(instance, wanted);
  w.from = create_mapped_buffer(w, kBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  w.to = create_mapped_buffer(w, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  w.commands = create_commands(w);
  w.behind = allocate_command_buffer(w, w.commands.pool);
  w.paint = allocate_command_buffer(w, w.commands.pool);
  w.held = create_timeline(w);
  w.done = create_timeline(w);
  w.acquired = create_semaphore(w);
  w.painted = create_semaphore(w);
  w.event = create_event(w);
  make_swapchain(w);
  return w;
}

void unmake(Work& w) {
  vkDestroySwapchainKHR(w.device, w.swapchain, nullptr);
  vkDestroySurfaceKHR(w.instance, w.surface, nullptr);
  vkDestroyEvent(w.device, w.event, nullptr);
  for (const VkSemaphore semaphore : {w.held, w.done, w.acquired, w.painted})
    vkDestroySemaphore(w.device, semaphore, nullptr);
  destroy(w, w.commands);
  destroy(w, w.from);
  destroy(w, w.to);
  vkDestroyDevice(w.device, nullptr);
}

// Waits for a value of one timeline, or for none, and signals a value of another.
VkResult submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore waited, VkSemaphore signalled, std::uint64_t value,
                VkFence fence) {
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = waited != VK_NULL_HANDLE ? 1 : 0;
  values.pWaitSemaphoreValues = &value;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = values.waitSemaphoreValueCount;
  info.pWaitSemaphores = &waited;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pCommandBuffers = &commands;
  info.pSignalSemaphores = &signalled;
  return vkQueueSubmit(queue, 1, &info, fence);
}

VkResult wait_for(const Work& w, VkSemaphore semaphore, std::uint64_t value) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  return vkWaitSemaphores(w.device, &info, kLong);
}

bool copies(Work& w, std::uint32_t frame) {
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) w.from.words[i] = mix(frame, i);
  const bool two_queues = w.queues.size() == 2;
  const std::uint64_t value = frame + 1;
  begin(w.behind, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  CHECK(vkEndCommandBuffer(w.behind));
  begin(w.commands);
  const VkBufferCopy region{0, 0, kBytes};
  vkCmdCopyBuffer(w.commands.buffer, w.from.buffer, w.to.buffer, 1, &region);
  transfers_to_host(w.commands.buffer);
  vkCmdSetEvent(w.commands.buffer, w.event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK(vkEndCommandBuffer(w.commands.buffer));
  // The first waits for the second, which may never be.
  if (two_queues) LIVES(submit(w.queues[1], w.behind, w.held, w.done, value, VK_NULL_HANDLE));
  LIVES(submit(w.queues[0], w.commands.buffer, VK_NULL_HANDLE, w.held, value, w.commands.done));
  if (!two_queues) LIVES(submit(w.queues[0], w.behind, w.held, w.done, value, VK_NULL_HANDLE));
  LIVES(vkWaitForFences(w.device, 1, &w.commands.done, VK_TRUE, kLong));
  LIVES(vkGetFenceStatus(w.device, w.commands.done));
  LIVES(wait_for(w, w.done, value));
  const VkResult event = vkGetEventStatus(w.device, w.event);
  if (event != VK_EVENT_SET) LIVES(event);
  CHECK(vkResetEvent(w.device, w.event));
  CHECK(vkResetFences(w.device, 1, &w.commands.done));
  if (!std::equal(w.from.words, w.from.words + kBytes / 4, w.to.words)) wrong("the copy", frame);
  return true;
}

bool presents(Work& w, std::uint32_t frame) {
  std::uint32_t index = 0;
  LIVES(vkAcquireNextImageKHR(w.device, w.swapchain, kLong, w.acquired, VK_NULL_HANDLE, &index));
  begin(w.paint, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  const VkClearColorValue color{{static_cast<float>(frame) / kFrames, 1, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  change_layout(w.paint, w.images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage(w.paint, w.images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(w.paint, w.images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  CHECK(vkEndCommandBuffer(w.paint));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pWaitSemaphores = &w.acquired;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &w.paint;
  info.pSignalSemaphores = &w.painted;
  LIVES(vkQueueSubmit(w.queues[0], 1, &info, VK_NULL_HANDLE));
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = present.swapchainCount = 1;
  present.pWaitSemaphores = &w.painted;
  present.pSwapchains = &w.swapchain;
  present.pImageIndices = &index;
  LIVES(vkQueuePresentKHR(w.queues[0], &present));
  LIVES(vkQueueWaitIdle(w.queues[0]));
  return true;
}

// What programs still do then; what it returns is nobody's business.
void look_around(Work& w) {
  vkDeviceWaitIdle(w.device);
  vkWaitForFences(w.device, 1, &w.commands.done, VK_TRUE, kLong);
  vkGetFenceStatus(w.device, w.commands.done);
  vkQueueWaitIdle(w.queues[0]);
  std::uint64_t value = 0;
  vkGetSemaphoreCounterValue(w.device, w.held, &value);
  std::fill(w.from.words, w.from.words + kBytes / 4, 7u);
  vkQueueSubmit(w.queues[0], 0, nullptr, VK_NULL_HANDLE);
  MappedBuffer late = create_mapped_buffer(w, kBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  std::fill(late.words, late.words + kBytes / 4, 9u);
  destroy(w, late);
}

}  // namespace

int main() {
  const VkInstance instance = create_instance("lost", VK_API_VERSION_1_2,
                                              {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME});
  std::uint32_t frames = 0;
  for (int devices = 0; devices < 2; ++devices) {
    Work w = make(instance);
    bool living = true;
    for (frames = 0; living && frames < kFrames; ++frames) living = copies(w, frames) && presents(w, frames);
    if (!living)
      look_around(w);
    else
      CHECK(vkDeviceWaitIdle(w.device));
    unmake(w);
  }
  std::printf("lost: %u frames on the second device\n", frames);
  vkDestroyInstance(instance, nullptr);
  return 0;
}
