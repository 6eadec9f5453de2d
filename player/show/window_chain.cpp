// SPDX-License-Identifier: Apache-2.0
#include "player/show/window_chain.h"

#include <algorithm>
#include <array>

#include "model/gpu/texels.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kWindowPatienceNs = 100'000'000;  // for a window system that has nothing to give
constexpr std::uint64_t kOwnWorkNs = 10'000'000'000;
constexpr std::uint32_t kImages = 3;  // one is shown, one waits, one is drawn
constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

bool is_srgb(VkFormat format) {
  return format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_R8G8B8A8_SRGB ||
         format == VK_FORMAT_A8B8G8R8_SRGB_PACK32;
}

// What shaders write there is light, not its code.
bool is_linear(VkFormat format) { return is_srgb(format) || format == VK_FORMAT_R16G16B16A16_SFLOAT; }

bool operator==(VkExtent2D a, VkExtent2D b) { return a.width == b.width && a.height == b.height; }

// `list(count, items)` twice, as Vulkan's lists are asked for.
template <class Item, class List>
VkResult ask(std::vector<Item>& items, List list) {
  std::uint32_t count = 0;
  VkResult r = list(&count, nullptr);
  if (r < 0) return r;
  items.resize(count);
  r = list(&count, items.data());
  items.resize(count);
  return r < 0 ? r : VK_SUCCESS;
}

}  // namespace

VkSurfaceFormatKHR choose_surface_format(const std::vector<VkSurfaceFormatKHR>& offered, VkFormat captured) {
  const auto find = [&](auto fits) {
    return std::find_if(offered.begin(), offered.end(), [&](const VkSurfaceFormatKHR& one) {
      return one.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR && fits(one.format);
    });
  };
  auto found = find([&](VkFormat format) { return format == captured; });
  if (found == offered.end()) found = find([&](VkFormat format) { return is_srgb(format) == is_linear(captured); });
  if (found == offered.end()) found = offered.begin();
  return found != offered.end() ? *found : VkSurfaceFormatKHR{};
}

VkPresentModeKHR choose_present_mode(const std::vector<VkPresentModeKHR>& offered, VkPresentModeKHR captured) {
  // The images of a shared one are another kind of swapchain's.
  const bool shared = captured == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
                      captured == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
  const bool there = std::find(offered.begin(), offered.end(), captured) != offered.end();
  return there && !shared ? captured : VK_PRESENT_MODE_FIFO_KHR;
}

VkExtent2D choose_extent(const VkSurfaceCapabilitiesKHR& surface, VkExtent2D wanted) {
  if (surface.currentExtent.width != UINT32_MAX) return surface.currentExtent;
  const VkExtent2D least = surface.minImageExtent, most = surface.maxImageExtent;
  return {std::max(least.width, std::min(most.width, wanted.width)),
          std::max(least.height, std::min(most.height, wanted.height))};
}

WindowChain::~WindowChain() {
  destroy_frames();
  if (swapchain_ != VK_NULL_HANDLE)
    place_.device->dispatch.vkDestroySwapchainKHR(place_.device->handle, swapchain_, nullptr);
}

VkResult WindowChain::said(VkResult result, const char* command) {
  if (result < 0) command_ = command;
  return result;
}

bool WindowChain::stale(const VirtualSwapchain& source, VkExtent2D wanted) const {
  return stale_ || source.info.format != source_format_ || !(wanted == wanted_);
}

VkResult WindowChain::make(const VirtualSwapchain& source, VkExtent2D wanted) {
  stale_ = true;
  VkSurfaceCapabilitiesKHR surface{};
  if (const VkResult r =
          said(place_.instance->vkGetPhysicalDeviceSurfaceCapabilitiesKHR(place_.physical, place_.surface, &surface),
               "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
      r < 0)
    return r;
  extent_ = choose_extent(surface, wanted);
  if (extent_.width == 0 || extent_.height == 0) return VK_NOT_READY;
  destroy_frames();
  VkResult r = create(source, surface);
  if (r >= 0) r = create_frames();
  if (r < 0) return r;
  wanted_ = wanted;
  stale_ = false;
  return VK_SUCCESS;
}

// Whether images of the format can be shown, and how.
bool WindowChain::find_format(VkFormat source) {
  if (gpu::aspects_of(source) != VK_IMAGE_ASPECT_COLOR_BIT || gpu::is_planar(source)) return false;
  if (gpu::is_integer(source) != gpu::is_integer(format_.format)) return false;  // no blit converts them
  VkFormatProperties from{}, to{};
  place_.instance->vkGetPhysicalDeviceFormatProperties(place_.physical, source, &from);
  place_.instance->vkGetPhysicalDeviceFormatProperties(place_.physical, format_.format, &to);
  blits_ = place_.graphics && (from.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) != 0 &&
           (to.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0;
  filters_ = (from.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
  source_format_ = source;
  return blits_ || gpu::block_of(source).bytes == gpu::block_of(format_.format).bytes;
}

VkResult WindowChain::create(const VirtualSwapchain& source, const VkSurfaceCapabilitiesKHR& surface) {
  std::vector<VkSurfaceFormatKHR> formats;
  std::vector<VkPresentModeKHR> modes;
  VkResult r = said(ask(formats,
                        [&](std::uint32_t* count, VkSurfaceFormatKHR* items) {
                          return place_.instance->vkGetPhysicalDeviceSurfaceFormatsKHR(place_.physical, place_.surface,
                                                                                       count, items);
                        }),
                    "vkGetPhysicalDeviceSurfaceFormatsKHR");
  if (r < 0) return r;
  r = said(ask(modes,
               [&](std::uint32_t* count, VkPresentModeKHR* items) {
                 return place_.instance->vkGetPhysicalDeviceSurfacePresentModesKHR(place_.physical, place_.surface,
                                                                                   count, items);
               }),
           "vkGetPhysicalDeviceSurfacePresentModesKHR");
  if (r < 0) return r;
  format_ = choose_surface_format(formats, source.info.format);
  if (!find_format(source.info.format) || (surface.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
    return said(VK_ERROR_FORMAT_NOT_SUPPORTED, "vkCreateSwapchainKHR");

  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = place_.surface;
  info.minImageCount = std::max(surface.minImageCount, kImages);
  if (surface.maxImageCount != 0) info.minImageCount = std::min(info.minImageCount, surface.maxImageCount);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = surface.currentTransform;
  const VkCompositeAlphaFlagsKHR alphas = surface.supportedCompositeAlpha;
  info.compositeAlpha = (alphas & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
                            ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                            : static_cast<VkCompositeAlphaFlagBitsKHR>(alphas & (~alphas + 1));
  info.presentMode = choose_present_mode(modes, source.present_mode);
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_;
  const Dispatch& vk = place_.device->dispatch;
  const VkDevice device = place_.device->handle;
  VkSwapchainKHR made = VK_NULL_HANDLE;
  r = said(vk.vkCreateSwapchainKHR(device, &info, nullptr, &made), "vkCreateSwapchainKHR");
  if (swapchain_ != VK_NULL_HANDLE) vk.vkDestroySwapchainKHR(device, swapchain_, nullptr);
  swapchain_ = r < 0 ? VK_NULL_HANDLE : made;
  if (r < 0) return r;
  return said(ask(images_, [&](std::uint32_t* count,
                               VkImage* items) { return vk.vkGetSwapchainImagesKHR(device, made, count, items); }),
              "vkGetSwapchainImagesKHR");
}

VkResult WindowChain::create_frames() {
  const Dispatch& vk = place_.device->dispatch;
  const VkDevice device = place_.device->handle;
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                     VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, place_.family};
  VkResult r = said(vk.vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool");
  const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  ready_.resize(images_.size(), VK_NULL_HANDLE);
  frames_.resize(images_.size());
  for (std::size_t i = 0; i < images_.size() && r >= 0; ++i) {
    Frame& frame = frames_[i];
    const VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                               VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    r = said(vk.vkAllocateCommandBuffers(device, &commands, &frame.commands), "vkAllocateCommandBuffers");
    if (r >= 0) r = said(vk.vkCreateFence(device, &fence, nullptr, &frame.done), "vkCreateFence");
    for (VkSemaphore* one : {&frame.acquired, &ready_[i]})
      if (r >= 0) r = said(vk.vkCreateSemaphore(device, &semaphore, nullptr, one), "vkCreateSemaphore");
  }
  next_ = 0;
  return r;
}

void WindowChain::destroy_frames() {
  const Dispatch& vk = place_.device->dispatch;
  const VkDevice device = place_.device->handle;
  for (const Frame& frame : frames_) {
    if (frame.done != VK_NULL_HANDLE) vk.vkDestroyFence(device, frame.done, nullptr);
    if (frame.acquired != VK_NULL_HANDLE) vk.vkDestroySemaphore(device, frame.acquired, nullptr);
  }
  for (const VkSemaphore semaphore : ready_)
    if (semaphore != VK_NULL_HANDLE) vk.vkDestroySemaphore(device, semaphore, nullptr);
  if (pool_ != VK_NULL_HANDLE) vk.vkDestroyCommandPool(device, pool_, nullptr);
  frames_.clear();
  ready_.clear();
  pool_ = VK_NULL_HANDLE;
}

void WindowChain::copy(VkCommandBuffer commands, const VirtualSwapchain& source, VkImage from, VkImage to) const {
  const Dispatch& vk = place_.device->dispatch;
  const VkExtent2D whole{source.info.extent.width, source.info.extent.height};
  if (!blits_) {
    VkImageCopy region{};
    region.srcSubresource = region.dstSubresource = kColor;
    region.extent = {std::min(whole.width, extent_.width), std::min(whole.height, extent_.height), 1};
    vk.vkCmdCopyImage(commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    return;
  }
  const auto corner = [](VkExtent2D extent) {
    return VkOffset3D{static_cast<std::int32_t>(extent.width), static_cast<std::int32_t>(extent.height), 1};
  };
  VkImageBlit region{};
  region.srcSubresource = region.dstSubresource = kColor;
  region.srcOffsets[1] = corner(whole);
  region.dstOffsets[1] = corner(extent_);
  const bool scales = !(whole == extent_);
  vk.vkCmdBlitImage(commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region,
                    scales && filters_ ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
}

VkResult WindowChain::record(VkCommandBuffer commands, const VirtualSwapchain& source, std::uint32_t from, VkImage to) {
  const Dispatch& vk = place_.device->dispatch;
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                       VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
  const VkResult r = said(vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  if (r < 0) return r;
  const VkMemoryBarrier drawn{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                              VK_ACCESS_TRANSFER_READ_BIT};
  VkImageMemoryBarrier target{};
  target.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  target.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  target.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  target.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  target.srcQueueFamilyIndex = target.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  target.image = to;
  target.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &drawn, 0,
                          nullptr, 1, &target);
  copy(commands, source, source.images[from], to);
  target.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  target.dstAccessMask = 0;
  target.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  target.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                          0, nullptr, 1, &target);
  return said(vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

VkResult WindowChain::submit(VkQueue queue, Frame& frame, VkSemaphore ready) {
  constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = info.commandBufferCount = info.signalSemaphoreCount = 1;
  info.pWaitSemaphores = &frame.acquired;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &frame.commands;
  info.pSignalSemaphores = &ready;
  return said(place_.device->dispatch.vkQueueSubmit(queue, 1, &info, frame.done), "vkQueueSubmit");
}

void WindowChain::finish_copies() {
  const Dispatch& vk = place_.device->dispatch;
  for (const Frame& frame : frames_)
    if (frame.pending) vk.vkWaitForFences(place_.device->handle, 1, &frame.done, VK_TRUE, kOwnWorkNs);
}

VkResult WindowChain::show(VkQueue queue, const VirtualSwapchain& source, std::uint32_t image) {
  const Dispatch& vk = place_.device->dispatch;
  const VkDevice device = place_.device->handle;
  Frame& frame = frames_[next_];
  VkResult r = VK_SUCCESS;
  if (frame.pending) {
    r = said(vk.vkWaitForFences(device, 1, &frame.done, VK_TRUE, kOwnWorkNs), "vkWaitForFences");
    if (r == VK_SUCCESS) r = said(vk.vkResetFences(device, 1, &frame.done), "vkResetFences");
    if (r != VK_SUCCESS) return r;
    frame.pending = false;
  }
  std::uint32_t index = 0;
  r = said(vk.vkAcquireNextImageKHR(device, swapchain_, kWindowPatienceNs, frame.acquired, VK_NULL_HANDLE, &index),
           "vkAcquireNextImageKHR");
  stale_ = r == VK_ERROR_OUT_OF_DATE_KHR || r == VK_SUBOPTIMAL_KHR;
  if (r != VK_SUCCESS && r != VK_SUBOPTIMAL_KHR) return r;
  r = record(frame.commands, source, image, images_[index]);
  if (r >= 0) r = submit(queue, frame, ready_[index]);
  if (r < 0) return r;
  frame.pending = true;
  next_ = (next_ + 1) % frames_.size();
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = present.swapchainCount = 1;
  present.pWaitSemaphores = &ready_[index];
  present.pSwapchains = &swapchain_;
  present.pImageIndices = &index;
  r = said(vk.vkQueuePresentKHR(queue, &present), "vkQueuePresentKHR");
  stale_ |= r == VK_ERROR_OUT_OF_DATE_KHR || r == VK_SUBOPTIMAL_KHR;
  return r;
}

}  // namespace rondo::player
