// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/alias_types.h"

#include <bit>

#include "format/flags2.h"
#include "layer/memory/kernel.h"
#include "layer/memory/own_pages.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

bool importable(VkExternalMemoryFeatureFlags features) {
  return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0 &&
         (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

VkDeviceSize import_granule(const DeviceState& device) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &host;
  const Dispatch& vk = *device.next_instance;
  if (device.api_version >= VK_API_VERSION_1_1 && vk.vkGetPhysicalDeviceProperties2 != nullptr)
    vk.vkGetPhysicalDeviceProperties2(device.physical, &properties);
  else if (vk.vkGetPhysicalDeviceProperties2KHR != nullptr)
    vk.vkGetPhysicalDeviceProperties2KHR(device.physical, &properties);
  return host.minImportedHostPointerAlignment != 0 ? host.minImportedHostPointerAlignment : 65536;
}

bool can_import(const DeviceState& device, std::uint32_t type, const memory::AliasMemory& memory) {
  VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kHostPointer,
                                          memory.device_side()};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, memory.size(), type};
  VkDeviceMemory imported = VK_NULL_HANDLE;
  if (device.next->vkAllocateMemory(device.device, &info, nullptr, &imported) != VK_SUCCESS) return false;
  void* mapped = nullptr;
  const VkResult result = device.next->vkMapMemory(device.device, imported, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result == VK_SUCCESS) device.next->vkUnmapMemory(device.device, imported);
  device.next->vkFreeMemory(device.device, imported, nullptr);
  return result == VK_SUCCESS;
}

bool allocates_private_pages(const DeviceState& device) {
  const Dispatch& vk = *device.next;
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 4 * memory::page_bytes,
                                  static_cast<std::uint32_t>(std::countr_zero(device.alias_types))};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (vk.vkAllocateMemory(device.device, &info, nullptr, &memory) != VK_SUCCESS) return false;
  void* mapped = nullptr;
  bool are = false;
  if (vk.vkMapMemory(device.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS) {
    are =
        memory::backing_of(static_cast<const std::byte*>(mapped), 4 * memory::page_bytes) == memory::Backing::anonymous;
    vk.vkUnmapMemory(device.device, memory);
  }
  vk.vkFreeMemory(device.device, memory, nullptr);
  return are;
}

// Whether a buffer that may live in imported memory has fewer memory types, or
// other needs, than one that may not: the program would find another device.
bool buffers_change(const DeviceState& device) {
  const Dispatch& vk = *device.next;
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                            kHostPointer};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 65536;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  VkMemoryRequirements needs[2] = {};
  for (VkMemoryRequirements& one : needs) {
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vk.vkCreateBuffer(device.device, &info, nullptr, &buffer) != VK_SUCCESS) return true;
    vk.vkGetBufferMemoryRequirements(device.device, buffer, &one);
    vk.vkDestroyBuffer(device.device, buffer, nullptr);
    info.pNext = &external;
  }
  return needs[0].size != needs[1].size || needs[0].alignment != needs[1].alignment ||
         needs[0].memoryTypeBits != needs[1].memoryTypeBits;
}

// Whether the device can make such an image; with `external`, such a one.
bool format_allows(const DeviceState& device, const VkImageCreateInfo& info,
                   VkPhysicalDeviceExternalImageFormatInfo* external, VkExternalImageFormatProperties* answer) {
  const Dispatch& vk = *device.next_instance;
  const auto ask = device.api_version >= VK_API_VERSION_1_1 && vk.vkGetPhysicalDeviceImageFormatProperties2 != nullptr
                       ? vk.vkGetPhysicalDeviceImageFormatProperties2
                       : vk.vkGetPhysicalDeviceImageFormatProperties2KHR;
  VkImageFormatProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
  properties.pNext = answer;
  if (ask != nullptr) {
    VkPhysicalDeviceImageFormatInfo2 query{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                           external,
                                           info.format,
                                           info.imageType,
                                           info.tiling,
                                           info.usage,
                                           info.flags};
    // Lists of view formats and stencil usage take part in the answer.
    const auto* formats =
        find_in_chain<VkImageFormatListCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    const auto* stencil =
        find_in_chain<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
    VkImageFormatListCreateInfo formats_copy{};
    VkImageStencilUsageCreateInfo stencil_copy{};
    if (formats != nullptr) {
      formats_copy = *formats;
      formats_copy.pNext = query.pNext;
      query.pNext = &formats_copy;
    }
    if (stencil != nullptr) {
      stencil_copy = *stencil;
      stencil_copy.pNext = query.pNext;
      query.pNext = &stencil_copy;
    }
    if (ask(device.physical, &query, &properties) != VK_SUCCESS) return false;
  } else if (external != nullptr || vk.vkGetPhysicalDeviceImageFormatProperties(
                                        device.physical, info.format, info.imageType, info.tiling, info.usage,
                                        info.flags, &properties.imageFormatProperties) != VK_SUCCESS) {
    return false;
  }
  const VkImageFormatProperties& limits = properties.imageFormatProperties;
  return info.extent.width <= limits.maxExtent.width && info.extent.height <= limits.maxExtent.height &&
         info.extent.depth <= limits.maxExtent.depth && info.mipLevels <= limits.maxMipLevels &&
         info.arrayLayers <= limits.maxArrayLayers && (info.samples & limits.sampleCounts) != 0;
}

const VkMemoryDedicatedAllocateInfo* dedicated_to(const VkMemoryAllocateInfo& info) {
  const auto* found =
      find_in_chain<VkMemoryDedicatedAllocateInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  return found != nullptr && (found->buffer != VK_NULL_HANDLE || found->image != VK_NULL_HANDLE) ? found : nullptr;
}

// Neither imported nor exported, for one device, with no address of the program's choice.
bool is_ordinary(const VkMemoryAllocateInfo& info) {
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    switch (s->sType) {
      case VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT:
      case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO:
        break;
      case VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO: {
        const auto* flags = reinterpret_cast<const VkMemoryAllocateFlagsInfo*>(s);
        if ((flags->flags & ~VkFlags{VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT}) != 0) return false;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

// Whether the driver insists on memory for this resource alone: what is imported is for anyone.
bool must_be_dedicated(const DeviceState& device, const VkMemoryDedicatedAllocateInfo& info) {
  const Dispatch& vk = *device.next;
  const bool core = device.api_version >= VK_API_VERSION_1_1;
  VkMemoryDedicatedRequirements dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS, nullptr, VK_FALSE, VK_FALSE};
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated, {}};
  if (info.buffer != VK_NULL_HANDLE) {
    const auto ask = core ? vk.vkGetBufferMemoryRequirements2 : vk.vkGetBufferMemoryRequirements2KHR;
    if (ask == nullptr) return true;
    const VkBufferMemoryRequirementsInfo2 of{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr, info.buffer};
    ask(device.device, &of, &needs);
  } else {
    const auto ask = core ? vk.vkGetImageMemoryRequirements2 : vk.vkGetImageMemoryRequirements2KHR;
    if (ask == nullptr) return true;
    const VkImageMemoryRequirementsInfo2 of{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr, info.image};
    ask(device.device, &of, &needs);
  }
  return dedicated.requiresDedicatedAllocation != VK_FALSE;
}

}  // namespace

bool alias_wanted(bool addresses) {
  const auto lock = host_memory().enter();
  const memory::Tracker* const tracker = host_memory().start_tracker(settings().memory.c_str());
  return tracker != nullptr && (tracker->can_allocate() || (addresses && tracker->can_place()));
}

void find_alias_types(DeviceState& device) {
  const auto ask = device.next->vkGetMemoryHostPointerPropertiesEXT;
  if (ask == nullptr) return;
  // Where nothing is gained by it, nothing is put at risk (sparse.h).
  const bool needed = settings().checkpoints >= Checkpoints::readback || settings().memory == "alias";
  device.alias_all = alias_wanted(false) && (needed || !device.binds_sparsely);
  if (!device.alias_all && !alias_wanted(device.places_addresses)) return;
  device.alias_granule = import_granule(device);
  std::unique_ptr<memory::AliasMemory> probe;
  {
    const auto lock = host_memory().enter();
    probe = host_memory().tracker()->allocate(device.alias_granule, device.alias_granule);
  }
  if (probe == nullptr) return;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  if (ask(device.device, kHostPointer, probe->device_side(), &properties) == VK_SUCCESS)
    for (std::uint32_t type = 0; type < device.memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = device.memory.memoryTypes[type].propertyFlags;
      const bool usable = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 &&
                          (flags & (VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT)) == 0;
      if (usable && (properties.memoryTypeBits >> type & 1u) != 0 && can_import(device, type, *probe))
        device.alias_types |= 1u << type;
    }
  // Read-back checkpoints need memory where host and device are told apart, and
  // so does who asks for it; others get the device as it is.
  if (device.alias_types != 0 && settings().checkpoints < Checkpoints::readback && settings().memory != "alias" &&
      buffers_change(device)) {
    device.alias_all = false;
    if (!device.places_addresses) device.alias_types = 0;
    log(LogLevel::info, "importing memory would change what the program is told of buffers: it is not imported");
  }
  device.private_pages = device.alias_types != 0 && device.software && allocates_private_pages(device);
  const auto lock = host_memory().enter();
  probe.reset();
  log(LogLevel::debug, "memory types that take host memory: mask " + std::to_string(device.alias_types));
}

bool has_addresses(const VkMemoryAllocateInfo& info) {
  const auto* flags =
      find_in_chain<VkMemoryAllocateFlagsInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  return flags != nullptr && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
}

bool may_alias(const DeviceState& device, const VkMemoryAllocateInfo& info) {
  const bool addressed = has_addresses(info);
  if (!addressed && !device.alias_all) return false;
  if (addressed && !device.places_addresses) return false;
  if (info.memoryTypeIndex >= 32 || (device.alias_types >> info.memoryTypeIndex & 1u) == 0 || info.allocationSize == 0)
    return false;
  const auto* dedicated = dedicated_to(info);
  if (dedicated != nullptr && !addressed && must_be_dedicated(device, *dedicated)) return false;
  return is_ordinary(info);
}

bool may_cover(const DeviceState& device, const VkMemoryAllocateInfo& info) {
  constexpr VkFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkFlags unfit = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  if (settings().checkpoints < Checkpoints::readback || !device.software || device.binds_sparsely ||
      info.memoryTypeIndex >= device.memory.memoryTypeCount || info.allocationSize == 0 || has_addresses(info))
    return false;
  const VkMemoryPropertyFlags flags = device.memory.memoryTypes[info.memoryTypeIndex].propertyFlags;
  if ((flags & (wanted | unfit)) != wanted || !is_ordinary(info)) return false;
  // Memory for one resource has the size that this asks for.
  if (dedicated_to(info) != nullptr && info.allocationSize % memory::page_bytes != 0) return false;
  return alias_wanted(false);
}

bool extend_for_alias(DeviceState& device, const VkBufferCreateInfo& info) {
  constexpr VkFlags sparse_or_protected = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_PROTECTED_BIT;
  if (device.alias_types == 0 || (info.flags & sparse_or_protected) != 0 ||
      find_in_chain<VkBaseInStructure>(info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO) != nullptr)
    return false;
  const Dispatch& vk = *device.next_instance;
  const auto ask = device.api_version >= VK_API_VERSION_1_1 && vk.vkGetPhysicalDeviceExternalBufferProperties != nullptr
                       ? vk.vkGetPhysicalDeviceExternalBufferProperties
                       : vk.vkGetPhysicalDeviceExternalBufferPropertiesKHR;
  if (ask == nullptr) return false;
  // A wider usage takes part in the answer.
  BufferUsage2 wide{kBufferUsage2, nullptr, usage_of(info)};
  const bool is_wide = flags2_in<BufferUsage2>(info.pNext, kBufferUsage2) != nullptr;
  const VkPhysicalDeviceExternalBufferInfo query{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                 is_wide ? &wide : nullptr, info.flags, info.usage, kHostPointer};
  VkExternalBufferProperties properties{};
  properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  ask(device.physical, &query, &properties);
  return importable(properties.externalMemoryProperties.externalMemoryFeatures);
}

bool extend_for_alias(DeviceState& device, const VkImageCreateInfo& info) {
  constexpr VkFlags sparse_or_protected = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_PROTECTED_BIT;
  // Preinitialized images may not be external (VUID-VkImageCreateInfo-pNext-01443).
  if (device.alias_types == 0 || (info.flags & sparse_or_protected) != 0 ||
      info.initialLayout != VK_IMAGE_LAYOUT_UNDEFINED)
    return false;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO ||
        s->sType == VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR)
      return false;
  VkPhysicalDeviceExternalImageFormatInfo external{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
                                                   nullptr, kHostPointer};
  VkExternalImageFormatProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES;
  return format_allows(device, info, &external, &answer) &&
         importable(answer.externalMemoryProperties.externalMemoryFeatures);
}

bool image_can_be(const DeviceState& device, const VkImageCreateInfo& info) {
  return format_allows(device, info, nullptr, nullptr);
}

}  // namespace rondo::layer
