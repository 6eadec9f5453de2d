// SPDX-License-Identifier: Apache-2.0
// Buffers and images, for the memory that is bound to them.
#include "format/flags2.h"
#include "format/unverified.h"
#include "generated/hooks.h"
#include "layer/checkpoints/resource_requests.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/addresses.h"
#include "layer/driver/alias_types.h"
#include "layer/driver/imports.h"
#include "layer/driver/sparse.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/chain_copy.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"
#include "layer/recorder/side_tables.h"
#include "model/gpu/texels.h"

namespace rondo::layer {

namespace {

constexpr VkFlags64 kReadOnly = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

// What a buffer that a driver preprocesses commands into needs besides.
constexpr VkFlags64 kBesidePreprocess = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

bool same(const VkMemoryRequirements& a, const VkMemoryRequirements& b) {
  return a.size == b.size && a.alignment == b.alignment && a.memoryTypeBits == b.memoryTypeBits;
}

// Of a disjoint image: of the plane that needs most.
VkMemoryRequirements needs_of(const DeviceState& device, VkImage image, const VkImageCreateInfo& info) {
  const Dispatch& vk = *device.next;
  VkMemoryRequirements needs{};
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) == 0) {
    vk.vkGetImageMemoryRequirements(device.device, image, &needs);
    return needs;
  }
  const auto ask = vk.vkGetImageMemoryRequirements2 != nullptr ? vk.vkGetImageMemoryRequirements2
                                                               : vk.vkGetImageMemoryRequirements2KHR;
  if (ask == nullptr) return needs;
  const VkImageAspectFlags planes = gpu::aspects_of(info.format);
  for (const VkImageAspectFlagBits plane :
       {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT}) {
    if ((planes & plane) == 0) continue;
    const VkImagePlaneMemoryRequirementsInfo of_plane{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                      plane};
    const VkImageMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, &of_plane, image};
    VkMemoryRequirements2 answer{};
    answer.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    ask(device.device, &query, &answer);
    if (answer.memoryRequirements.size > needs.size) needs = answer.memoryRequirements;
  }
  return needs;
}

// Whoever allocates room for such an image gets the driver's memory.
void remember_plain(DeviceState& device, VkImage image, const VkImageCreateInfo& info) {
  if (device.alias_types == 0) return;
  const VkDeviceSize bytes = needs_of(device, image, info).size;
  guarded([&] {
    const auto lock = host_memory().enter();
    device.memories.plain_images[image] = bytes;
  });
}

VkMemoryRequirements needs_of(const DeviceState& device, VkBuffer buffer, const VkBufferCreateInfo&) {
  VkMemoryRequirements needs{};
  device.next->vkGetBufferMemoryRequirements(device.device, buffer, &needs);
  return needs;
}

template <class Resource>
std::uint64_t value_of(Resource resource) {
  return reinterpret_cast<std::uint64_t>(resource);
}

// Memory as large is for it, and not for pages (sparse.h).
template <class Resource, class Info>
void remember_unbound(DeviceState& device, Resource resource, const Info& info) {
  if (!may_bind_sparsely(device)) return;
  note_unbound(device, value_of(resource), needs_of(device, resource, info).size);
}

// What became of the wishes of a request.
struct Made {
  bool extended = false, readable = false;
};

// An image whose requirements change with what the layer adds is created as
// the program asked, or with a part of it.
VkResult create_image(DeviceState& device, const VkImageCreateInfo& asked, const VkAllocationCallbacks* allocator,
                      VkImage* out, Made& made) {
  const Dispatch& vk = *device.next;
  const ImageRequest request(device, asked, device.resources != nullptr);
  if ((request.extended || request.readable) && asked.tiling != VK_IMAGE_TILING_OPTIMAL) {
    made = {request.extended, request.readable};
    return vk.vkCreateImage(device.device, &request.info, allocator, out);
  }
  VkImage plain = VK_NULL_HANDLE;
  if (const VkResult result = vk.vkCreateImage(device.device, &asked, allocator, &plain); result != VK_SUCCESS)
    return result;
  const auto take = [&](const ImageRequest& wish) {
    if (!wish.extended && !wish.readable) return false;
    VkImage image = VK_NULL_HANDLE;
    if (vk.vkCreateImage(device.device, &wish.info, allocator, &image) != VK_SUCCESS) return false;
    const bool equal = same(needs_of(device, plain, asked), needs_of(device, image, asked));
    vk.vkDestroyImage(device.device, equal ? plain : image, allocator);
    if (!equal) return false;
    *out = image;
    made = {wish.extended, wish.readable};
    return true;
  };
  if (take(request)) return VK_SUCCESS;
  if (request.extended && request.readable && take(ImageRequest(device, asked, false))) return VK_SUCCESS;
  *out = plain;
  return VK_SUCCESS;
}

bool is_of_swapchain(const VkImageCreateInfo& asked) {
  const auto* of =
      find_in_chain<VkImageSwapchainCreateInfoKHR>(asked.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
  return of != nullptr && of->swapchain != VK_NULL_HANDLE;
}

std::string why_unreadable(const VkImageCreateInfo& asked, const Made& made) {
  if (asked.samples != VK_SAMPLE_COUNT_1_BIT) {
    if (made.readable) return {};
    const std::string why = gpu::why_no_samples(asked);
    return "it has several samples a texel, and " +
           (why.empty() ? "made so that shaders can read them it would not be what the program asked for" : why);
  }
  const auto* stencil =
      find_in_chain<VkImageStencilUsageCreateInfo>(asked.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
  if (stencil != nullptr && (stencil->stencilUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
    return text_of(Unverified::stencil_usage);
  if (made.readable || (asked.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) != 0) return {};
  if ((asked.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0) return text_of(Unverified::transient);
  return text_of(Unverified::usage);
}

bool host_copies([[maybe_unused]] const VkImageCreateInfo& info) {
#ifdef VK_EXT_host_image_copy
  const auto* stencil =
      find_in_chain<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
  return ((info.usage | (stencil != nullptr ? stencil->stencilUsage : 0)) & VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT) != 0;
#else
  return false;
#endif
}

void bind_image(DeviceState& device, VkImage image, VkDeviceMemory handle) {
  if (!recording() && !HostMemory::any_shadow) return;
  bool misplaced = false;
  {
    const auto lock = host_memory().enter();
    device.memories.unbound.erase(value_of(image));
    const bool plain = device.memories.plain_images.erase(image) != 0;
    if (Memory* const memory = HostMemory::find(device, handle); memory != nullptr) {
      memory->device_writable = true;
      const bool imported = memory->alias != nullptr && !memory->alias->covers();
      misplaced = plain && imported && !device.memories.told_of_misplaced;
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
  if (device.resources != nullptr) device.resources->forget(image);
  if (device.alias_types == 0) return;
  const auto lock = host_memory().enter();
  device.memories.unbound.erase(value_of(image));
  device.memories.plain_images.erase(image);
}

// Buffers that are gone leave what the driver wrote there, but one place each is enough.
void add_drivers_own(Memory& memory, const Memory::DriversOwn& own) {
  std::erase_if(memory.drivers_own, [&](const Memory::DriversOwn& old) {
    return old.alone == VK_NULL_HANDLE && own.from <= old.from && old.to <= own.to;
  });
  memory.drivers_own.push_back(own);
}

void bind_buffer(DeviceState& device, VkBuffer buffer, VkDeviceMemory handle, VkDeviceSize offset) {
  if (!recording() && !HostMemory::any_shadow) return;
  guarded([&] {
    const auto lock = host_memory().enter();
    device.memories.unbound.erase(value_of(buffer));
    Memory* const memory = HostMemory::find(device, handle);
    if (memory == nullptr) return;
    const auto known = device.memories.buffers.find(buffer);
    if (known == device.memories.buffers.end()) {
      memory->device_writable = true;
    } else if (known->second.writable) {
      memory->device_writable = true;
      known->second.memory = handle;
      if (known->second.drivers_own)
        add_drivers_own(*memory,
                        {offset, offset + known->second.size, known->second.drivers_alone ? buffer : VK_NULL_HANDLE});
      else if (settings().checkpoints >= Checkpoints::readback)  // or nobody asks for them
        memory->buffers.push_back({buffer, offset, known->second.size});
    }
  });
}

void forget_buffer(DeviceState& device, VkBuffer buffer) {
  if (device.resources != nullptr) device.resources->forget(buffer);
  const auto lock = host_memory().enter();
  device.memories.unbound.erase(value_of(buffer));
  const auto known = device.memories.buffers.find(buffer);
  if (known == device.memories.buffers.end()) return;
  if (Memory* const memory = HostMemory::find(device, known->second.memory); memory != nullptr) {
    std::erase_if(memory->buffers, [&](const BoundBuffer& bound) { return bound.buffer == buffer; });
    for (Memory::DriversOwn& own : memory->drivers_own)
      if (own.alone == buffer) own.alone = VK_NULL_HANDLE;
  }
  device.memories.buffers.erase(known);
}

// The driver has done it: from here on it can be read.
template <class Resource>
void bound(DeviceState& device, Resource resource, VkDeviceMemory memory, VkDeviceSize offset) {
  if (device.resources != nullptr) guarded([&] { device.resources->bind(resource, memory, offset); });
}

template <CommandId C>
VkResult bind_buffers(VkDevice device, std::uint32_t count, const VkBindBufferMemoryInfo* infos) {
  DeviceState& state = device_of(device);
  for (std::uint32_t i = 0; i < count; ++i) bind_buffer(state, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
  const VkResult result = regular<C>(device, count, infos);
  for (std::uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    bound(state, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    record_address(state, infos[i].buffer);
  }
  return result;
}

template <CommandId C>
VkResult bind_images(VkDevice device, std::uint32_t count, const VkBindImageMemoryInfo* infos) {
  DeviceState& state = device_of(device);
  for (std::uint32_t i = 0; i < count; ++i) bind_image(state, infos[i].image, infos[i].memory);
  const VkResult result = regular<C>(device, count, infos);
  for (std::uint32_t i = 0; result == VK_SUCCESS && i < count; ++i)
    bound(state, infos[i].image, infos[i].memory, infos[i].memoryOffset);
  return result;
}

template <CommandId C>
void device_buffer_requirements(VkDevice device, const VkDeviceBufferMemoryRequirements* info,
                                VkMemoryRequirements2* requirements) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        if ((info->pCreateInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0) note_sparse_resource(state, true);
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
        if ((info->pCreateInfo->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0) note_sparse_resource(state, true);
        const ImageRequest request(state, *info->pCreateInfo, state.resources != nullptr);
        VkDeviceImageMemoryRequirements query = *info;
        if ((request.extended || request.readable) && info->pCreateInfo->tiling != VK_IMAGE_TILING_OPTIMAL)
          query.pCreateInfo = &request.info;
        next(device, &query, requirements);
      },
      device, info, requirements);
}

#ifdef VK_KHR_maintenance5
// As for the image that vkCreateImage would create: a linear one may be extended.
template <CommandId C>
void device_image_layout(VkDevice device, const VkDeviceImageSubresourceInfoKHR* info,
                         VkSubresourceLayout2KHR* layout) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        const ImageRequest request(state, *info->pCreateInfo, state.resources != nullptr);
        VkDeviceImageSubresourceInfoKHR query = *info;
        if ((request.extended || request.readable) && info->pCreateInfo->tiling != VK_IMAGE_TILING_OPTIMAL)
          query.pCreateInfo = &request.info;
        next(device, &query, layout);
      },
      device, info, layout);
}
#endif

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkBuffer* pBuffer) {
  DeviceState& state = device_of(device);
  const bool sparse = (pCreateInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
  note_sparse_resource(state, sparse);
  const auto create = [&] {
    const BufferRequest request(state, *pCreateInfo);
    const VkResult result = state.next->vkCreateBuffer(device, &request.info, pAllocator, pBuffer);
    if (result == VK_SUCCESS && recording())
      guarded([&] {
        if (!sparse) remember_unbound(state, *pBuffer, *pCreateInfo);
        if (state.resources != nullptr) state.resources->add(*pBuffer, *pCreateInfo, {});
        const auto lock = host_memory().enter();
        const VkFlags64 usage = usage_of(*pCreateInfo);
        state.memories.buffers[*pBuffer] = {.size = pCreateInfo->size,
                                            .writable = (usage & ~kReadOnly) != 0,
                                            .addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0,
                                            .external = request.extended || may_be_imported(pCreateInfo->pNext),
                                            .drivers_own = (usage & kPreprocessUsage) != 0,
                                            .drivers_alone = (usage & ~(kPreprocessUsage | kBesidePreprocess)) == 0};
      });
    return result;
  };
  const VkResult result = record_with<CommandId::vkCreateBuffer>(create, device, pCreateInfo, pAllocator, pBuffer);
  if (result == VK_SUCCESS && sparse) {
    record_address(state, *pBuffer);  // others have theirs once they are bound
    if ((usage_of(*pCreateInfo) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 && !state.address_replay &&
        first_time(state.memories.told_of_sparse_address))
      note(
          "a sparse buffer may be asked for its device address, which this driver cannot give again: where it is, "
          "the capture does not play");
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyBuffer(VkDevice device, VkBuffer buffer,
                                                const VkAllocationCallbacks* pAllocator) {
  forget_buffer(device_of(device), buffer);  // the driver may give its value to another thread at once
  regular<CommandId::vkDestroyBuffer>(device, buffer, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateImage(VkDevice device, const VkImageCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkImage* pImage) {
  DeviceState& state = device_of(device);
  const bool sparse = (pCreateInfo->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  note_sparse_resource(state, sparse);
  const auto create = [&] {
    // It is one of the swapchain's images, and is read where those are.
    if (is_of_swapchain(*pCreateInfo)) return state.next->vkCreateImage(device, pCreateInfo, pAllocator, pImage);
    Made made;
    const VkResult result = create_image(state, *pCreateInfo, pAllocator, pImage, made);
    if (result != VK_SUCCESS || !recording()) return result;
    if (host_copies(*pCreateInfo)) guarded([&] { side_tables().host_image(device, *pImage, *pCreateInfo); });
    if (!made.extended && !sparse && !may_be_imported(pCreateInfo->pNext)) remember_plain(state, *pImage, *pCreateInfo);
    if (!sparse) guarded([&] { remember_unbound(state, *pImage, *pCreateInfo); });
    if (state.resources != nullptr)
      guarded([&] {
        state.resources->add(*pImage, *pCreateInfo, needs_of(state, *pImage, *pCreateInfo).size,
                             why_unreadable(*pCreateInfo, made));
      });
    return result;
  };
  return record_with<CommandId::vkCreateImage>(create, device, pCreateInfo, pAllocator, pImage);
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyImage(VkDevice device, VkImage image,
                                               const VkAllocationCallbacks* pAllocator) {
  forget_image(device_of(device), image);  // the driver may give its value to another thread at once
  regular<CommandId::vkDestroyImage>(device, image, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                       VkDeviceSize memoryOffset) {
  DeviceState& state = device_of(device);
  bind_buffer(state, buffer, memory, memoryOffset);
  const VkResult result = regular<CommandId::vkBindBufferMemory>(device, buffer, memory, memoryOffset);
  if (result == VK_SUCCESS) {
    bound(state, buffer, memory, memoryOffset);
    record_address(state, buffer);
  }
  return result;
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
  DeviceState& state = device_of(device);
  bind_image(state, image, memory);
  const VkResult result = regular<CommandId::vkBindImageMemory>(device, image, memory, memoryOffset);
  if (result == VK_SUCCESS) bound(state, image, memory, memoryOffset);
  return result;
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindImageMemory2(VkDevice device, std::uint32_t bindInfoCount,
                                                       const VkBindImageMemoryInfo* pBindInfos) {
  return bind_images<CommandId::vkBindImageMemory2>(device, bindInfoCount, pBindInfos);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkBindImageMemory2KHR(VkDevice device, std::uint32_t bindInfoCount,
                                                          const VkBindImageMemoryInfo* pBindInfos) {
  return bind_images<CommandId::vkBindImageMemory2KHR>(device, bindInfoCount, pBindInfos);
}

VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceBufferMemoryRequirements(VkDevice device,
                                                                    const VkDeviceBufferMemoryRequirements* pInfo,
                                                                    VkMemoryRequirements2* pMemoryRequirements) {
  device_buffer_requirements<CommandId::vkGetDeviceBufferMemoryRequirements>(device, pInfo, pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceBufferMemoryRequirementsKHR(VkDevice device,
                                                                       const VkDeviceBufferMemoryRequirements* pInfo,
                                                                       VkMemoryRequirements2* pMemoryRequirements) {
  device_buffer_requirements<CommandId::vkGetDeviceBufferMemoryRequirementsKHR>(device, pInfo, pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceImageMemoryRequirements(VkDevice device,
                                                                   const VkDeviceImageMemoryRequirements* pInfo,
                                                                   VkMemoryRequirements2* pMemoryRequirements) {
  device_image_requirements<CommandId::vkGetDeviceImageMemoryRequirements>(device, pInfo, pMemoryRequirements);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceImageMemoryRequirementsKHR(VkDevice device,
                                                                      const VkDeviceImageMemoryRequirements* pInfo,
                                                                      VkMemoryRequirements2* pMemoryRequirements) {
  device_image_requirements<CommandId::vkGetDeviceImageMemoryRequirementsKHR>(device, pInfo, pMemoryRequirements);
}

#ifdef VK_KHR_maintenance5
VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceImageSubresourceLayoutKHR(VkDevice device,
                                                                     const VkDeviceImageSubresourceInfoKHR* pInfo,
                                                                     VkSubresourceLayout2KHR* pLayout) {
  device_image_layout<CommandId::vkGetDeviceImageSubresourceLayoutKHR>(device, pInfo, pLayout);
}
#endif
#ifdef VK_VERSION_1_4
VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceImageSubresourceLayout(VkDevice device,
                                                                  const VkDeviceImageSubresourceInfo* pInfo,
                                                                  VkSubresourceLayout2* pLayout) {
  device_image_layout<CommandId::vkGetDeviceImageSubresourceLayout>(device, pInfo, pLayout);
}
#endif

}  // namespace rondo::layer
