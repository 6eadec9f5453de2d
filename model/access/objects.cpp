// SPDX-License-Identifier: Apache-2.0
// Buffers, images, views, and the memory addresses that the program was told.
#include <algorithm>

#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

void create_buffer(Tracker& t, const Call& c) {
  if (c.created() != ObjectId::null) t.buffers.make(c.created()).bytes = c.as<args_vkCreateBuffer>().pCreateInfo->size;
}

void create_image(Tracker& t, const Call& c) {
  const VkImageCreateInfo& info = *c.as<args_vkCreateImage>().pCreateInfo;
  t.images.make(c.created()) = {info.imageType, info.format,      info.extent,
                                info.mipLevels, info.arrayLayers, static_cast<std::uint32_t>(info.samples)};
}

void create_view(Tracker& t, const Call& c) {
  const VkImageViewCreateInfo& info = *c.as<args_vkCreateImageView>().pCreateInfo;
  const ObjectId image = c.id(&info.image);
  if (image != ObjectId::null) t.views.make(c.created()) = {image, t.part_of(image, info.subresourceRange)};
}

void create_buffer_view(Tracker& t, const Call& c) {
  const VkBufferViewCreateInfo& info = *c.as<args_vkCreateBufferView>().pCreateInfo;
  const ObjectId buffer = c.id(&info.buffer);
  if (buffer != ObjectId::null)
    t.buffer_views.make(c.created()) = {buffer, info.offset, t.bytes_of(buffer, info.offset, info.range)};
}

void told_address(Tracker& t, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetBufferDeviceAddress>().pInfo->buffer);
  Buffer* buffer = t.buffers.find(id);
  if (buffer == nullptr || c.returned == 0) return;
  t.forget_address(id, *buffer);
  buffer->address = c.returned;
  t.addresses.emplace(c.returned, id);
  t.longest = std::max(t.longest, buffer->bytes);
}

// Others refer to it by that: then it is reached, and where it lies.
void told_structure_address(Tracker& t, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetAccelerationStructureDeviceAddressKHR>().pInfo->accelerationStructure);
  const Structure* structure = t.structures.find(id);
  if (structure == nullptr) return;
  t.in_memory.insert(id);
  if (structure->buffer != ObjectId::null) t.in_memory.insert(structure->buffer);
}

void create_swapchain(Tracker& t, const Call& c) {
  const VkSwapchainCreateInfoKHR& info = *c.as<args_vkCreateSwapchainKHR>().pCreateInfo;
  t.swapchains.make(c.created()).kind = {VK_IMAGE_TYPE_2D,
                                         info.imageFormat,
                                         {info.imageExtent.width, info.imageExtent.height, 1},
                                         1,
                                         info.imageArrayLayers};
}

void swapchain_images(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkGetSwapchainImagesKHR>();
  Swapchain* swapchain = t.swapchains.find(c.id(&a.swapchain));
  if (swapchain == nullptr || a.pSwapchainImages == nullptr || a.pSwapchainImageCount == nullptr) return;
  swapchain->images.clear();
  for (std::uint32_t i = 0; i < *a.pSwapchainImageCount; ++i) {
    swapchain->images.push_back(c.id(&a.pSwapchainImages[i]));
    t.images.make(swapchain->images.back()) = swapchain->kind;
  }
}

// An image that the program made of a swapchain stands for the swapchain's own.
void bind_images(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory2>();
  for (const VkBindImageMemoryInfo& info : std::span(a.pBindInfos, a.bindInfoCount)) {
    const auto* of = find_chained<VkBindImageMemorySwapchainInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
    Swapchain* swapchain = of != nullptr ? t.swapchains.find(c.id(&of->swapchain)) : nullptr;
    if (swapchain == nullptr) continue;
    if (swapchain->images.size() <= of->imageIndex) swapchain->images.resize(of->imageIndex + 1);
    swapchain->images[of->imageIndex] = c.id(&info.image);
  }
}

void create_structure(Tracker& t, const Call& c) {
  const VkAccelerationStructureCreateInfoKHR& info = *c.as<args_vkCreateAccelerationStructureKHR>().pCreateInfo;
  t.structures.make(c.created()) = {c.id(&info.buffer), info.offset, info.size};
}

}  // namespace

void add_objects(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateBuffer, create_buffer);
  add(CommandId::vkCreateImage, create_image);
  add(CommandId::vkBindImageMemory2, bind_images);
  add(CommandId::vkCreateImageView, create_view);
  add(CommandId::vkCreateBufferView, create_buffer_view);
  add(CommandId::vkGetBufferDeviceAddress, told_address);
  add(CommandId::vkGetAccelerationStructureDeviceAddressKHR, told_structure_address);
  add(CommandId::vkCreateSwapchainKHR, create_swapchain);
  add(CommandId::vkGetSwapchainImagesKHR, swapchain_images);
  add(CommandId::vkCreateAccelerationStructureKHR, create_structure);
}

}  // namespace rondo::access
