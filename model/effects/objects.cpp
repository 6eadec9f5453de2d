// SPDX-License-Identifier: Apache-2.0
// Buffer views, swapchains, and the memory addresses that the program was told.
#include "format/native_view.h"
#include "model/effects/all.h"

namespace rondo::model {

namespace {

// The most images of a swapchain. The index in a hostile file may be any number.
constexpr std::uint32_t kMostImages = 1024;

void create_buffer_view(Effects& e, const Call& c) {
  const VkBufferViewCreateInfo& info = *c.as<args_vkCreateBufferView>().pCreateInfo;
  const ObjectId buffer = c.id(&info.buffer);
  if (buffer != ObjectId::null)
    e.buffer_views.make(c.made()) = {buffer, info.offset, e.views.bytes_of(buffer, info.offset, info.range)};
}

void told_address(Effects& e, const Call& c) {
  e.told_address(c.id(&c.as<args_vkGetBufferDeviceAddress>().pInfo->buffer), c.returned);
}

// Others refer to it by that: then it is reached, and where it lies.
void told_structure_address(Effects& e, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetAccelerationStructureDeviceAddressKHR>().pInfo->accelerationStructure);
  const auto* structure = e.views.structures.find(id);
  if (structure == nullptr) return;
  e.reach_in_memory(id);
  e.reach_in_memory(structure->buffer);
}

void create_swapchain(Effects& e, const Call& c) {
  const VkSwapchainCreateInfoKHR& info = *c.as<args_vkCreateSwapchainKHR>().pCreateInfo;
  e.swapchains.make(c.made()).kind = {VK_IMAGE_TYPE_2D,
                                      info.imageFormat,
                                      {info.imageExtent.width, info.imageExtent.height, 1},
                                      1,
                                      info.imageArrayLayers};
}

void swapchain_images(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkGetSwapchainImagesKHR>();
  Swapchain* swapchain = e.swapchains.find(c.id(&a.swapchain));
  if (swapchain == nullptr || a.pSwapchainImages == nullptr || a.pSwapchainImageCount == nullptr) return;
  swapchain->images.clear();
  for (std::uint32_t i = 0; i < *a.pSwapchainImageCount; ++i) {
    swapchain->images.push_back(c.id(&a.pSwapchainImages[i]));
    e.views.images.make(swapchain->images.back()) = swapchain->kind;
  }
}

// An image that the program made of a swapchain stands for the swapchain's own.
void bind_images(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory2>();
  for (const VkBindImageMemoryInfo& info : std::span(a.pBindInfos, a.bindInfoCount)) {
    const auto* of = find_chained<VkBindImageMemorySwapchainInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
    Swapchain* swapchain = of != nullptr ? e.swapchains.find(c.id(&of->swapchain)) : nullptr;
    if (swapchain == nullptr || of->imageIndex >= kMostImages) continue;
    if (swapchain->images.size() <= of->imageIndex) swapchain->images.resize(of->imageIndex + 1);
    swapchain->images[of->imageIndex] = c.id(&info.image);
  }
}

}  // namespace

void add_objects(Handlers& handlers) {
  add(handlers, CommandId::vkBindImageMemory2, bind_images, kObjects);
  add(handlers, CommandId::vkCreateBufferView, create_buffer_view, kObjects);
  add(handlers, CommandId::vkGetBufferDeviceAddress, told_address, kObjects);
  add(handlers, CommandId::vkGetAccelerationStructureDeviceAddressKHR, told_structure_address, kObjects);
  add(handlers, CommandId::vkCreateSwapchainKHR, create_swapchain, kObjects);
  add(handlers, CommandId::vkGetSwapchainImagesKHR, swapchain_images, kObjects);
}

}  // namespace rondo::model
