// SPDX-License-Identifier: Apache-2.0
// A swapchain of a window here, and what it takes to show a virtual
// swapchain's images in it. One thread.
#pragma once

#include <vector>

#include "player/run/run.h"

namespace rondo::player {

// Of those that a surface offers: the captured one, else one that shows the same colours.
VkSurfaceFormatKHR choose_surface_format(const std::vector<VkSurfaceFormatKHR>& offered, VkFormat captured);
// The captured one if it is offered, else the one that always is.
VkPresentModeKHR choose_present_mode(const std::vector<VkPresentModeKHR>& offered, VkPresentModeKHR captured);
// Each surface says itself how large it is, or leaves that to its swapchains.
VkExtent2D choose_extent(const VkSurfaceCapabilitiesKHR& surface, VkExtent2D wanted);

// Where a chain is made: the handles outlive it.
struct ChainPlace {
  DeviceState* device = nullptr;
  const Dispatch* instance = nullptr;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  std::uint32_t family = 0;  // whose queues present to it
  bool graphics = false;     // they can scale
};

// Results are the driver's; of those below zero command() is the cause.
class WindowChain {
 public:
  explicit WindowChain(const ChainPlace& place) : place_(place) {}
  WindowChain(const WindowChain&) = delete;
  WindowChain& operator=(const WindowChain&) = delete;
  ~WindowChain();  // nothing uses it any more

  // Made anew while nothing uses it. VK_NOT_READY: the window has no size now.
  // VK_ERROR_FORMAT_NOT_SUPPORTED: such images cannot be shown there.
  VkResult make(const VirtualSwapchain& source, VkExtent2D wanted);
  // Behind what the queue has to do, without waiting for it. VK_TIMEOUT or
  // VK_NOT_READY: the window system holds all images.
  VkResult show(VkQueue queue, const VirtualSwapchain& source, std::uint32_t image);
  // Waits for the copies of what was shown: their sources may go then. None stands behind work that
  // waits for a later record.
  void finish_copies();
  // No image can be shown before it is made anew.
  bool stale(const VirtualSwapchain& source, VkExtent2D wanted) const;
  const ChainPlace& place() const { return place_; }
  const char* command() const { return command_; }

 private:
  struct Frame {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence done = VK_NULL_HANDLE;
    VkSemaphore acquired = VK_NULL_HANDLE;
    bool pending = false;
  };

  VkResult said(VkResult result, const char* command);
  VkResult create(const VirtualSwapchain& source, const VkSurfaceCapabilitiesKHR& surface);
  VkResult create_frames();
  bool find_format(VkFormat source);
  void destroy_frames();
  VkResult record(VkCommandBuffer commands, const VirtualSwapchain& source, std::uint32_t from, VkImage to);
  void copy(VkCommandBuffer commands, const VirtualSwapchain& source, VkImage from, VkImage to) const;
  VkResult submit(VkQueue queue, Frame& frame, VkSemaphore ready);

  const ChainPlace place_;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  VkFormat source_format_ = VK_FORMAT_UNDEFINED;
  VkSurfaceFormatKHR format_{};
  VkExtent2D extent_{}, wanted_{};
  bool blits_ = false;    // else the images are copied as they are
  bool filters_ = false;  // and smoothly
  bool stale_ = true;
  std::vector<VkImage> images_;
  std::vector<VkSemaphore> ready_;  // parallel to images_: to be presented
  std::vector<Frame> frames_;
  std::size_t next_ = 0;  // of frames_
  VkCommandPool pool_ = VK_NULL_HANDLE;
  const char* command_ = "";
};

}  // namespace rondo::player
