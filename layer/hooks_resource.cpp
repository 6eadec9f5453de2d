// SPDX-License-Identifier: Apache-2.0
// Buffers and images, for the memory that is bound to them.
#include "generated/hooks.h"
#include "layer/alias_types.h"
#include "layer/guard.h"
#include "layer/regular.h"

namespace rondo::layer {

namespace {

constexpr VkBufferUsageFlags kReadOnly =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

// A copy of the program's request that may live in imported memory, or the
// request itself.
struct BufferRequest {
  BufferRequest(DeviceState& device, const VkBufferCreateInfo& asked) : info(asked) {
    if (!recording() || !extend_for_alias(device, asked)) return;
    external.pNext = asked.pNext;
    info.pNext = &external;
  }
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                            kHostPointer};
  VkBufferCreateInfo info;
};

struct ImageRequest {
  ImageRequest(DeviceState& device, const VkImageCreateInfo& asked) : info(asked) {
    if (!recording() || !extend_for_alias(device, asked)) return;
    external.pNext = asked.pNext;
    info.pNext = &external;
    extended = true;
  }
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr,
                                           kHostPointer};
  VkImageCreateInfo info;
  bool extended = false;
};

bool same(const VkMemoryRequirements& a, const VkMemoryRequirements& b) {
  return a.size == b.size && a.alignment == b.alignment && a.memoryTypeBits == b.memoryTypeBits;
}

// Whoever allocates room for such an image gets the driver's memory.
void remember_plain(DeviceState& device, VkImage image) {
  if (device.alias_types == 0 || !recording()) return;
  VkMemoryRequirements needs;
  device.next->vkGetImageMemoryRequirements(device.device, image, &needs);
  guarded([&] {
    const auto lock = host_memory().enter();
    device.memories.plain_images[image] = needs.size;
  });
}

// An image whose requirements change with the external-memory structure is
// created as the program asked.
VkResult create_image(DeviceState& device, const VkImageCreateInfo& asked,
                      const VkAllocationCallbacks* allocator, VkImage* out) {
  const Dispatch& vk = *device.next;
  const ImageRequest request(device, asked);
  if (!request.extended) {
    const VkResult result = vk.vkCreateImage(device.device, &asked, allocator, out);
    if (result == VK_SUCCESS) remember_plain(device, *out);
    return result;
  }
  if (asked.tiling == VK_IMAGE_TILING_OPTIMAL) {
    VkImage plain = VK_NULL_HANDLE;
    if (const VkResult result = vk.vkCreateImage(device.device, &asked, allocator, &plain);
        result != VK_SUCCESS)
      return result;
    VkImage external = VK_NULL_HANDLE;
    if (vk.vkCreateImage(device.device, &request.info, allocator, &external) != VK_SUCCESS) {
      *out = plain;
      remember_plain(device, plain);
      return VK_SUCCESS;
    }
    VkMemoryRequirements a, b;
    vk.vkGetImageMemoryRequirements(device.device, plain, &a);
    vk.vkGetImageMemoryRequirements(device.device, external, &b);
    const bool equal = same(a, b);
    vk.vkDestroyImage(device.device, equal ? plain : external, allocator);
    *out = equal ? external : plain;
    if (!equal) remember_plain(device, plain);
    return VK_SUCCESS;
  }
  return vk.vkCreateImage(device.device, &request.info, allocator, out);
}

void bind_image(DeviceState& device, VkImage image, VkDeviceMemory handle) {
  if (!recording()) return;
  bool misplaced = false;
  {
    const auto lock = host_memory().enter();
    const bool plain = device.memories.plain_images.erase(image) != 0;
    if (Memory* const memory = HostMemory::find(device, handle); memory != nullptr) {
      memory->device_writable = true;
      misplaced = plain && memory->alias != nullptr && !device.memories.told_of_misplaced;
      device.memories.told_of_misplaced |= misplaced;
    }
  }
  if (misplaced)
    note(
        "an image that cannot be external is bound to memory that was allocated before it, and which Rondo "
        "imported: drivers need not allow that (RONDO_MEMORY=pagemap imports nothing)");
}

// One that was never bound: nobody needs to make room for it any more.
void forget_image(DeviceState& device, VkImage image) {
  if (device.alias_types == 0 || !recording()) return;
  const auto lock = host_memory().enter();
  device.memories.plain_images.erase(image);
}

void bind_buffer(DeviceState& device, VkBuffer buffer, VkDeviceMemory handle, VkDeviceSize offset) {
  if (!recording()) return;
  guarded([&] {
    const auto lock = host_memory().enter();
    Memory* const memory = HostMemory::find(device, handle);
    if (memory == nullptr) return;
    const auto known = device.memories.buffers.find(buffer);
    if (known == device.memories.buffers.end()) {
      memory->device_writable = true;
    } else if (known->second.writable) {
      memory->device_writable = true;
      known->second.memory = handle;
      memory->buffers.push_back({buffer, offset, known->second.size});
    }
  });
}

void forget_buffer(DeviceState& device, VkBuffer buffer) {
  const auto lock = host_memory().enter();
  const auto known = device.memories.buffers.find(buffer);
  if (known == device.memories.buffers.end()) return;
  if (Memory* const memory = HostMemory::find(device, known->second.memory); memory != nullptr)
    std::erase_if(memory->buffers, [&](const BoundBuffer& bound) { return bound.buffer == buffer; });
  device.memories.buffers.erase(known);
}

template <CommandId C>
VkResult bind_buffers(VkDevice device, std::uint32_t count, const VkBindBufferMemoryInfo* infos) {
  DeviceState& state = device_of(device);
  for (std::uint32_t i = 0; i < count; ++i)
    bind_buffer(state, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
  return regular<C>(device, count, infos);
}

template <CommandId C>
VkResult bind_images(VkDevice device, std::uint32_t count, const VkBindImageMemoryInfo* infos) {
  DeviceState& state = device_of(device);
  for (std::uint32_t i = 0; i < count; ++i) bind_image(state, infos[i].image, infos[i].memory);
  return regular<C>(device, count, infos);
}

template <CommandId C>
void device_buffer_requirements(VkDevice device, const VkDeviceBufferMemoryRequirements* info,
                                VkMemoryRequirements2* requirements) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        const BufferRequest request(state, *info->pCreateInfo);
        VkDeviceBufferMemoryRequirements query = *info;
        query.pCreateInfo = &request.info;
        next(device, &query, requirements);
      },
      device, info, requirements);
}

// As for the image that vkCreateImage would create: extended or not, an
// image's requirements are those that the program's own request has.
template <CommandId C>
void device_image_requirements(VkDevice device, const VkDeviceImageMemoryRequirements* info,
                               VkMemoryRequirements2* requirements) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        const ImageRequest request(state, *info->pCreateInfo);
        VkDeviceImageMemoryRequirements query = *info;
        if (request.extended && info->pCreateInfo->tiling != VK_IMAGE_TILING_OPTIMAL)
          query.pCreateInfo = &request.info;
        next(device, &query, requirements);
      },
      device, info, requirements);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator,
                                                   VkBuffer* pBuffer) {
  DeviceState& state = device_of(device);
  const auto create = [&] {
    const BufferRequest request(state, *pCreateInfo);
    const VkResult result = state.next->vkCreateBuffer(device, &request.info, pAllocator, pBuffer);
    if (result == VK_SUCCESS && recording())
      guarded([&] {
        const auto lock = host_memory().enter();
        state.memories.buffers[*pBuffer] = {pCreateInfo->size, (pCreateInfo->usage & ~kReadOnly) != 0,
                                            VK_NULL_HANDLE};
      });
    return result;
  };
  return record_with<CommandId::vkCreateBuffer>(create, device, pCreateInfo, pAllocator, pBuffer);
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyBuffer(VkDevice device, VkBuffer buffer,
                                                const VkAllocationCallbacks* pAllocator) {
  forget_buffer(device_of(device), buffer);  // the driver may give its value to another thread at once
  regular<CommandId::vkDestroyBuffer>(device, buffer, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateImage(VkDevice device, const VkImageCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkImage* pImage) {
  DeviceState& state = device_of(device);
  return record_with<CommandId::vkCreateImage>(
      [&] { return create_image(state, *pCreateInfo, pAllocator, pImage); }, device, pCreateInfo, pAllocator,
      pImage);
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyImage(VkDevice device, VkImage image,
                                               const VkAllocationCallbacks* pAllocator) {
  forget_image(device_of(device), image);  // the driver may give its value to another thread at once
  regular<CommandId::vkDestroyImage>(device, image, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindBufferMemory(VkDevice device, VkBuffer buffer,
                                                       VkDeviceMemory memory, VkDeviceSize memoryOffset) {
  bind_buffer(device_of(device), buffer, memory, memoryOffset);
  return regular<CommandId::vkBindBufferMemory>(device, buffer, memory, memoryOffset);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindBufferMemory2(VkDevice device, std::uint32_t bindInfoCount,
                                                        const VkBindBufferMemoryInfo* pBindInfos) {
  return bind_buffers<CommandId::vkBindBufferMemory2>(device, bindInfoCount, pBindInfos);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindBufferMemory2KHR(VkDevice device, std::uint32_t bindInfoCount,
                                                           const VkBindBufferMemoryInfo* pBindInfos) {
  return bind_buffers<CommandId::vkBindBufferMemory2KHR>(device, bindInfoCount, pBindInfos);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                                      VkDeviceSize memoryOffset) {
  bind_image(device_of(device), image, memory);
  return regular<CommandId::vkBindImageMemory>(device, image, memory, memoryOffset);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindImageMemory2(VkDevice device, std::uint32_t bindInfoCount,
                                                       const VkBindImageMemoryInfo* pBindInfos) {
  return bind_images<CommandId::vkBindImageMemory2>(device, bindInfoCount, pBindInfos);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindImageMemory2KHR(VkDevice device, std::uint32_t bindInfoCount,
                                                          const VkBindImageMemoryInfo* pBindInfos) {
  return bind_images<CommandId::vkBindImageMemory2KHR>(device, bindInfoCount, pBindInfos);
}

VKAPI_ATTR void VKAPI_CALL
hook_vkGetDeviceBufferMemoryRequirements(VkDevice device, const VkDeviceBufferMemoryRequirements* pInfo,
                                         VkMemoryRequirements2* pMemoryRequirements) {
  device_buffer_requirements<CommandId::vkGetDeviceBufferMemoryRequirements>(device, pInfo,
                                                                             pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL
hook_vkGetDeviceBufferMemoryRequirementsKHR(VkDevice device, const VkDeviceBufferMemoryRequirements* pInfo,
                                            VkMemoryRequirements2* pMemoryRequirements) {
  device_buffer_requirements<CommandId::vkGetDeviceBufferMemoryRequirementsKHR>(device, pInfo,
                                                                                pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL
hook_vkGetDeviceImageMemoryRequirements(VkDevice device, const VkDeviceImageMemoryRequirements* pInfo,
                                        VkMemoryRequirements2* pMemoryRequirements) {
  device_image_requirements<CommandId::vkGetDeviceImageMemoryRequirements>(device, pInfo,
                                                                           pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL
hook_vkGetDeviceImageMemoryRequirementsKHR(VkDevice device, const VkDeviceImageMemoryRequirements* pInfo,
                                           VkMemoryRequirements2* pMemoryRequirements) {
  device_image_requirements<CommandId::vkGetDeviceImageMemoryRequirementsKHR>(device, pInfo,
                                                                              pMemoryRequirements);
}

}  // namespace rondo::layer
