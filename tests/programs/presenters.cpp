// SPDX-License-Identifier: Apache-2.0
// Threads that present to surfaces of their own, without windows, on as many queues as there are,
// while one more records commands that nobody submits.
//   presenters [--threads N] [--frames N]   of each thread; 0: until SIGTERM
//              [--pause MICROSECONDS]       behind each frame
//              [--fork 1]                   a child that does nothing lives as long as this process
//              [--close 1]                  closes every descriptor behind the first frame
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "objects.h"

using namespace program;

namespace {

std::atomic<bool> g_end{false};

struct Presenter {
  Commands commands;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  VkSemaphore acquired = VK_NULL_HANDLE, painted = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex* lock = nullptr;  // of the queue
  std::uint32_t number = 0;
};

void open(const Context& c, Presenter& p) {
  p.commands = create_commands(c);
  p.acquired = create_semaphore(c);
  p.painted = create_semaphore(c);
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(c.instance, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT surface{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  CHECK(create(c.instance, &surface, nullptr, &p.surface));
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(c.physical, c.family, p.surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = p.surface;
  info.minImageCount = 2;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {16 + 8 * p.number, 8};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  CHECK(vkCreateSwapchainKHR(c.device, &info, nullptr, &p.swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(c.device, p.swapchain, &count, nullptr));
  p.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(c.device, p.swapchain, &count, p.images.data()));
}

void close(const Context& c, Presenter& p) {
  vkDestroySwapchainKHR(c.device, p.swapchain, nullptr);
  vkDestroySurfaceKHR(c.instance, p.surface, nullptr);
  vkDestroySemaphore(c.device, p.acquired, nullptr);
  vkDestroySemaphore(c.device, p.painted, nullptr);
  destroy(c, p.commands);
}

void present(const Context& c, Presenter& p, std::uint32_t frame) {
  std::uint32_t index = 0;
  CHECK(vkAcquireNextImageKHR(c.device, p.swapchain, UINT64_MAX, p.acquired, VK_NULL_HANDLE, &index));
  begin(p.commands);
  const VkImage image = p.images[index];
  // Whole numbers of 255ths: every driver makes the same bytes of them.
  const VkClearColorValue color{{static_cast<float>(frame % 256) / 255, static_cast<float>(p.number) / 255, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  change_layout(p.commands.buffer, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage(p.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(p.commands.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  CHECK(vkEndCommandBuffer(p.commands.buffer));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pWaitSemaphores = &p.acquired;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &p.commands.buffer;
  info.pSignalSemaphores = &p.painted;
  VkPresentInfoKHR presented{};
  presented.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  presented.waitSemaphoreCount = presented.swapchainCount = 1;
  presented.pWaitSemaphores = &p.painted;
  presented.pSwapchains = &p.swapchain;
  presented.pImageIndices = &index;
  {
    const std::lock_guard guard(*p.lock);
    CHECK(vkQueueSubmit(p.queue, 1, &info, p.commands.done));
  }
  {
    const std::lock_guard guard(*p.lock);
    CHECK(vkQueuePresentKHR(p.queue, &presented));
  }
  wait(c, p.commands);
}

void close_descriptors() {
  if (::syscall(SYS_close_range, 3u, ~0u, 0u) != 0) die("close_range", errno);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t frames = option(argc, argv, "--frames", 4), pause = option(argc, argv, "--pause", 0);
  const bool forks = option(argc, argv, "--fork", 0) != 0, closes = option(argc, argv, "--close", 0) != 0;
  struct sigaction ends {};
  ends.sa_handler = [](int) { g_end = true; };
  ::sigaction(SIGTERM, &ends, nullptr);
  Wanted wanted;
  wanted.queues = 4;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Context c = create_context("presenters", wanted);
  std::vector<std::mutex> locks(c.queues.size());
  std::vector<Presenter> presenters(option(argc, argv, "--threads", 3));
  for (std::uint32_t i = 0; i < presenters.size(); ++i) {
    presenters[i].number = i;
    presenters[i].queue = c.queues[i % c.queues.size()];
    presenters[i].lock = &locks[i % c.queues.size()];
    open(c, presenters[i]);
  }
  int lives[2];  // the child's end is closed when this process has ended
  if (forks) {
    if (::pipe(lives) != 0) die("pipe", errno);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(lives[1]);
      char byte = 0;
      _exit(::read(lives[0], &byte, 1) == 0 ? 0 : 1);
    }
    std::printf("child %d\n", static_cast<int>(child));
    std::fflush(stdout);
  }
  present(c, presenters[0], 0);
  if (closes) close_descriptors();
  std::vector<std::thread> threads;
  for (Presenter& p : presenters)
    threads.emplace_back([&c, &p, frames, pause] {
      for (std::uint32_t frame = 1; frames == 0 ? !g_end.load() : frame <= frames; ++frame) {
        present(c, p, frame);
        if (pause != 0) ::usleep(pause);
      }
    });
  std::atomic<bool> done{false};
  std::thread recorder([&] {
    Commands own = create_commands(c);
    do {
      begin(own);
      for (int i = 0; i < 8; ++i) transfers_to_host(own.buffer);
      CHECK(vkEndCommandBuffer(own.buffer));
      ::usleep(200);
    } while (!done.load());
    destroy(c, own);
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  recorder.join();
  CHECK(vkDeviceWaitIdle(c.device));
  for (Presenter& p : presenters) close(c, p);
  destroy(c);
  std::printf("presenters: %zu threads, %u frames each\n", presenters.size(), frames);
  return 0;
}
