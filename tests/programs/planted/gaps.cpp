// SPDX-License-Identifier: Apache-2.0
// Queues that do nothing, for known reasons. With --clean 1 the same work without the gap.
//   gaps --sleep 1      the host sleeps for 5 ms between two submits
//   gaps --semaphore 1  a second queue waits for a semaphore of the first one, which works for long
//   gaps --barrier 1    a full barrier stands between two dispatches
//   gaps --present 1    a present stands between two submits
#include <unistd.h>

#include "image.h"
#include "kernel.h"
#include "kernels.comp.h"
#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kShort = 1000, kLong = 20000;  // workgroups

struct Work {
  Session& s;
  const Kernel& kernel;
  MappedBuffer& values;

  void dispatch(VkCommandBuffer cmd, std::uint32_t groups) const {
    bind(cmd, kernel);
    push(cmd, kernel, 1);
    vkCmdDispatch(cmd, groups, 1, 1);
  }
  Commands recorded(std::uint32_t groups) const {
    const Commands commands = create_commands(s);
    begin(commands);
    dispatch(commands.buffer, groups);
    CHECK(vkEndCommandBuffer(commands.buffer));
    return commands;
  }
};

void submit_with(VkQueue queue, const Commands& commands, VkSemaphore wait, VkSemaphore signal) {
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands.buffer;
  info.pWaitDstStageMask = &stage;
  info.waitSemaphoreCount = wait != VK_NULL_HANDLE ? 1 : 0;
  info.pWaitSemaphores = &wait;
  info.signalSemaphoreCount = signal != VK_NULL_HANDLE ? 1 : 0;
  info.pSignalSemaphores = &signal;
  CHECK(vkQueueSubmit(queue, 1, &info, commands.done));
}

void sleep_between(const Work& w, bool clean) {
  Commands first = w.recorded(clean ? kLong : kShort), second = w.recorded(kShort);
  submit(w.s.queues[0], first);
  if (!clean) wait(w.s, first);
  if (!clean) ::usleep(5000);
  submit(w.s.queues[0], second);
  if (clean) wait(w.s, first);
  wait(w.s, second);
  destroy(w.s, first);
  destroy(w.s, second);
}

void wait_for_other_queue(const Work& w, bool clean) {
  if (w.s.queues.size() < 2) die("queues of this family", static_cast<long>(w.s.queues.size()));
  Commands first = w.recorded(kLong), before = w.recorded(kShort), after = w.recorded(kShort);
  const VkSemaphore done = clean ? VK_NULL_HANDLE : create_semaphore(w.s);
  submit_with(w.s.queues[0], first, VK_NULL_HANDLE, done);
  submit_with(w.s.queues[1], before, VK_NULL_HANDLE, VK_NULL_HANDLE);
  submit_with(w.s.queues[1], after, done, VK_NULL_HANDLE);
  for (Commands* one : {&first, &before, &after}) wait(w.s, *one);
  if (!clean) vkDestroySemaphore(w.s.device, done, nullptr);
  for (Commands* one : {&first, &before, &after}) destroy(w.s, *one);
}

void drain(const Work& w, bool clean) {
  Commands commands = create_commands(w.s);
  begin(commands);
  w.dispatch(commands.buffer, kShort);
  if (!clean) barrier(commands.buffer);
  w.dispatch(commands.buffer, kShort);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(w.s.queues[0], commands);
  wait(w.s, commands);
  destroy(w.s, commands);
}

VkSwapchainKHR create_swapchain(Session& s) {
  LOAD(s, vkCreateHeadlessSurfaceEXT);
  const VkHeadlessSurfaceCreateInfoEXT made{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  CHECK(vkCreateHeadlessSurfaceEXT(s.instance, &made, nullptr, &surface));
  s.at_end.push_back([instance = s.instance, surface] { vkDestroySurfaceKHR(instance, surface, nullptr); });
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(s.physical, s.family, surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface;
  info.minImageCount = 2;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {8, 8};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  VkSwapchainKHR swapchain;
  CHECK(vkCreateSwapchainKHR(s.device, &info, nullptr, &swapchain));
  return keep(s, vkDestroySwapchainKHR, swapchain);
}

// Clean: the second submit comes before the present.
void present_between(const Work& w, bool clean) {
  Session& s = w.s;
  const VkSwapchainKHR swapchain = create_swapchain(s);
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, nullptr));
  std::vector<VkImage> images(count);
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, images.data()));
  const VkSemaphore acquired = keep(s, vkDestroySemaphore, create_semaphore(s));
  const VkSemaphore drawn = keep(s, vkDestroySemaphore, create_semaphore(s));
  Commands first = create_commands(s), second = w.recorded(kShort);
  std::uint32_t index = 0;
  CHECK(vkAcquireNextImageKHR(s.device, swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
  begin(first);
  change_layout(first.buffer, images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  w.dispatch(first.buffer, clean ? kLong : kShort);
  CHECK(vkEndCommandBuffer(first.buffer));
  submit_with(s.queues[0], first, acquired, drawn);
  if (clean) submit(s.queues[0], second);
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &drawn;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain;
  info.pImageIndices = &index;
  CHECK(vkQueuePresentKHR(s.queues[0], &info));
  if (!clean) submit(s.queues[0], second);
  CHECK(vkDeviceWaitIdle(s.device));
  destroy(s, first);
  destroy(s, second);
}

}  // namespace

int main(int argc, char** argv) {
  const auto is_on = [&](const char* name) { return option(argc, argv, name, 0) != 0; };
  Wanted wanted;
  wanted.queues = is_on("--semaphore") ? 2 : 1;
  if (is_on("--present")) {
    wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  }
  Session s = open("gaps", wanted);
  MappedBuffer values = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Kernel kernel = create_kernel(s, shader(s, kernels_comp_spv), {values});
  const Work work{s, kernel, values};
  CHECK(vkEndCommandBuffer(s.cmd));
  const bool clean = is_on("--clean");
  if (is_on("--sleep")) sleep_between(work, clean);
  if (is_on("--semaphore")) wait_for_other_queue(work, clean);
  if (is_on("--barrier")) drain(work, clean);
  if (is_on("--present")) present_between(work, clean);
  return finish(s);
}
