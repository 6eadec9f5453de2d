// SPDX-License-Identifier: Apache-2.0
// Surfaces without a window, and swapchains on them. Acquiring and presenting is
// the queues' (execute_present.cpp).
#include <cstring>

#include "tests/icd/install.h"
#include "tests/icd/lists.h"
#include "tests/icd/memory.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

constexpr std::uint32_t kMaxImages = 8;

const std::vector<VkSurfaceFormatKHR>& formats() {
  static const auto& all = *new std::vector<VkSurfaceFormatKHR>{
      {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
      {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
      {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
  };
  return all;
}

VkSurfaceCapabilitiesKHR capabilities() {
  VkSurfaceCapabilitiesKHR c{};
  c.minImageCount = 2;
  c.maxImageCount = kMaxImages;
  c.currentExtent = {UINT32_MAX, UINT32_MAX};
  c.minImageExtent = {1, 1};
  c.maxImageExtent = {16384, 16384};
  c.maxImageArrayLayers = 1;
  c.supportedTransforms = c.currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  c.supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  c.supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  return c;
}

VkResult support(Call&, args_vkGetPhysicalDeviceSurfaceSupportKHR& a) {
  const auto families = queue_families();
  *a.pSupported =
      a.queueFamilyIndex < families.size() && (families[a.queueFamilyIndex].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
  return VK_SUCCESS;
}
VkResult get_capabilities(Call&, args_vkGetPhysicalDeviceSurfaceCapabilitiesKHR& a) {
  *a.pSurfaceCapabilities = capabilities();
  return VK_SUCCESS;
}
VkResult get_capabilities2(Call&, args_vkGetPhysicalDeviceSurfaceCapabilities2KHR& a) {
  a.pSurfaceCapabilities->surfaceCapabilities = capabilities();
  return VK_SUCCESS;
}
VkResult get_formats(Call&, args_vkGetPhysicalDeviceSurfaceFormatsKHR& a) {
  return fill_list(formats(), a.pSurfaceFormatCount, a.pSurfaceFormats);
}
VkResult get_formats2(Call&, args_vkGetPhysicalDeviceSurfaceFormats2KHR& a) {
  return fill_chained(formats(), a.pSurfaceFormatCount, a.pSurfaceFormats,
                      [](const VkSurfaceFormatKHR& f, VkSurfaceFormat2KHR& out) { out.surfaceFormat = f; });
}
VkResult present_modes(Call&, args_vkGetPhysicalDeviceSurfacePresentModesKHR& a) {
  return fill_list(std::vector<VkPresentModeKHR>{VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR,
                                                 VK_PRESENT_MODE_MAILBOX_KHR},
                   a.pPresentModeCount, a.pPresentModes);
}
VkResult rectangles(Call&, args_vkGetPhysicalDevicePresentRectanglesKHR& a) {
  return fill_list(std::vector<VkRect2D>{{{0, 0}, {16384, 16384}}}, a.pRectCount, a.pRects);
}
VkResult group_capabilities(Call&, args_vkGetDeviceGroupPresentCapabilitiesKHR& a) {
  std::memset(a.pDeviceGroupPresentCapabilities->presentMask, 0, sizeof a.pDeviceGroupPresentCapabilities->presentMask);
  a.pDeviceGroupPresentCapabilities->presentMask[0] = 1;
  a.pDeviceGroupPresentCapabilities->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}
VkResult group_modes(Call&, args_vkGetDeviceGroupSurfacePresentModesKHR& a) {
  *a.pModes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

void check_create(Call&, const args_vkCreateSwapchainKHR& a) {
  const VkSwapchainCreateInfoKHR& info = *a.pCreateInfo;
  const VkSurfaceCapabilitiesKHR c = capabilities();
  bool known = false;
  for (const VkSurfaceFormatKHR& f : formats())
    known = known || (f.format == info.imageFormat && f.colorSpace == info.imageColorSpace);
  if (!known)
    violation("the surface has no such format");
  else if (info.minImageCount < c.minImageCount || info.minImageCount > c.maxImageCount)
    violation("minImageCount is not what the surface allows");
  else if (info.imageExtent.width == 0 || info.imageExtent.height == 0 || info.imageExtent.width > 16384 ||
           info.imageExtent.height > 16384)
    violation("imageExtent is not what the surface allows");
  else if (info.imageArrayLayers != 1)
    violation("imageArrayLayers is not what the surface allows");
  else if (info.imageUsage == 0 || (info.imageUsage & ~c.supportedUsageFlags) != 0)
    violation("imageUsage is not what the surface allows");
  if (const auto old = get<Swapchain>(info.oldSwapchain); old != nullptr && old->retired)
    violation("oldSwapchain is retired already");
}

// Images of a retired swapchain that nobody holds may go at once (VkSwapchainCreateInfoKHR,
// oldSwapchain): the successor's then get their handles.
void retire_images(Swapchain& old) {
  old.retired = true;
  for (std::size_t i = 0; i < old.images.size(); ++i) {
    if (old.acquired[i] || old.images[i]->pending != 0) continue;
    retire(Image::kType, old.images[i]->handle);
    old.freed[i] = true;
  }
}

VkResult create(Call& call, args_vkCreateSwapchainKHR& a) {
  const VkSwapchainCreateInfoKHR& info = *a.pCreateInfo;
  auto swapchain = std::make_shared<Swapchain>();
  swapchain->create = info;
  swapchain->create.pNext = nullptr;
  swapchain->create.pQueueFamilyIndices = nullptr;
  *a.pSwapchain = VK_NULL_HANDLE;
  VkImageCreateInfo image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  if ((info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0) image.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = info.imageFormat;
  image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image.mipLevels = image.arrayLayers = 1;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.usage = info.imageUsage;
  for (std::uint32_t i = 0; i < info.minImageCount; ++i) {
    auto one = make_image(image);
    auto memory = own_memory(one->needs.size);
    if (memory == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    one->binding = {memory, 0};
    constexpr int kWhatWasThere = 0xab;
    std::memset(memory->contents, kWhatWasThere, static_cast<std::size_t>(memory->size));
    swapchain->memories.push_back(std::move(memory));
    swapchain->images.push_back(std::move(one));
  }
  swapchain->acquired.resize(swapchain->images.size());
  swapchain->freed.resize(swapchain->images.size());
  if (const auto old = get<Swapchain>(info.oldSwapchain)) retire_images(*old);
  const std::uint64_t handle = publish(swapchain, call.device);
  for (const auto& one : swapchain->images) {
    one->swapchain = handle;
    publish(one, call.device);
  }
  *a.pSwapchain = as_handle<VkSwapchainKHR>(handle);
  return VK_SUCCESS;
}

void check_destroy(Call&, const args_vkDestroySwapchainKHR& a) {
  if (const auto swapchain = get<Swapchain>(a.swapchain); swapchain != nullptr)
    for (const auto& image : swapchain->images)
      if (image->pending != 0) return violation("an image of it is in use by work that is not finished");
}

void destroy(Call&, args_vkDestroySwapchainKHR& a) {
  const auto swapchain = get<Swapchain>(a.swapchain);
  if (swapchain == nullptr) return;
  for (std::size_t i = 0; i < swapchain->images.size(); ++i)
    if (!swapchain->freed[i]) retire(Image::kType, swapchain->images[i]->handle);
  retire(Swapchain::kType, swapchain->handle);
}

VkResult images(Call&, args_vkGetSwapchainImagesKHR& a) {
  std::vector<VkImage> all;
  for (const auto& image : get<Swapchain>(a.swapchain)->images) all.push_back(as_handle<VkImage>(image->handle));
  return fill_list(all, a.pSwapchainImageCount, a.pSwapchainImages);
}

}  // namespace

void install_swapchains(Table& table) {
  table.behave<support>(CommandId::vkGetPhysicalDeviceSurfaceSupportKHR);
  table.behave<get_capabilities>(CommandId::vkGetPhysicalDeviceSurfaceCapabilitiesKHR);
  table.behave<get_capabilities2>(CommandId::vkGetPhysicalDeviceSurfaceCapabilities2KHR);
  table.behave<get_formats>(CommandId::vkGetPhysicalDeviceSurfaceFormatsKHR);
  table.behave<get_formats2>(CommandId::vkGetPhysicalDeviceSurfaceFormats2KHR);
  table.behave<present_modes>(CommandId::vkGetPhysicalDeviceSurfacePresentModesKHR);
  table.behave<rectangles>(CommandId::vkGetPhysicalDevicePresentRectanglesKHR);
  table.behave<group_capabilities>(CommandId::vkGetDeviceGroupPresentCapabilitiesKHR);
  table.behave<group_modes>(CommandId::vkGetDeviceGroupSurfacePresentModesKHR);
  table.check<check_create>(CommandId::vkCreateSwapchainKHR);
  table.behave<create>(CommandId::vkCreateSwapchainKHR);
  table.check<check_destroy>(CommandId::vkDestroySwapchainKHR);
  table.behave<destroy>(CommandId::vkDestroySwapchainKHR);
  table.behave<images>(CommandId::vkGetSwapchainImagesKHR);
}

}  // namespace fake
