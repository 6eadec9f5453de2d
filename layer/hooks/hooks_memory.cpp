// SPDX-License-Identifier: Apache-2.0
// Device memory: allocation, mapping, flushing.
#include <algorithm>

#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/addresses.h"
#include "layer/driver/alias_types.h"
#include "layer/driver/imports.h"
#include "layer/driver/sparse.h"
#include "layer/memory/kernel.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/chain_copy.h"
#include "layer/recorder/critical.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "model/gpu/zero_fill.h"

namespace rondo::layer {

namespace {

// Whether something that may not live in imported memory may come to live here. With the lock.
bool plain_may_come(DeviceState& device, const VkMemoryAllocateInfo& info) {
  const auto& plain = device.memories.plain_images;
  const auto* only_for =
      find_in_chain<VkMemoryDedicatedAllocateInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  if (only_for != nullptr && only_for->image != VK_NULL_HANDLE) return plain.contains(only_for->image);
  if (only_for != nullptr && only_for->buffer != VK_NULL_HANDLE) {
    const auto buffer = device.memories.buffers.find(only_for->buffer);
    return buffer == device.memories.buffers.end() || !buffer->second.external;
  }
  if (may_hold_pages(device, info)) return true;
  return std::any_of(plain.begin(), plain.end(),
                     [&](const auto& image) { return image.second <= info.allocationSize; });
}

// The driver's own memory, whose pages `alias` covers if they can be.
VkResult allocate_covered(DeviceState& device, const VkMemoryAllocateInfo& info, const VkAllocationCallbacks* allocator,
                          VkDeviceMemory* out, std::unique_ptr<memory::AliasMemory>& alias) {
  const Dispatch& vk = *device.next;
  // Whole pages, or the last one may hold something else of the process's.
  VkMemoryAllocateInfo whole = info;
  whole.allocationSize = (info.allocationSize + memory::page_bytes - 1) / memory::page_bytes * memory::page_bytes;
  if (vk.vkAllocateMemory(device.device, &whole, allocator, out) != VK_SUCCESS)
    return vk.vkAllocateMemory(device.device, &info, allocator, out);
  void* mapped = nullptr;
  if (vk.vkMapMemory(device.device, *out, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) return VK_SUCCESS;
  vk.vkUnmapMemory(device.device, *out);  // a driver in this process has it there all the same
  const auto lock = host_memory().enter();
  alias = host_memory().tracker()->allocate(whole.allocationSize, memory::page_bytes);
  if (alias != nullptr && !alias->cover(static_cast<std::byte*>(mapped))) alias.reset();
  return VK_SUCCESS;
}

// In memory of ours if it may be and can be; `alias` says which. While there is
// an image that may not live there, what has room for it is the driver's.
VkResult allocate(DeviceState& device, const VkMemoryAllocateInfo& info, const VkAllocationCallbacks* allocator,
                  VkDeviceMemory* out, std::unique_ptr<memory::AliasMemory>& alias) {
  const auto next = device.next->vkAllocateMemory;
  if (!recording()) return next(device.device, &info, allocator, out);
  if (device.address_replay && has_addresses(info)) {
    ChainCopy chain(info.pNext);
    VkMemoryAllocateInfo again = info;
    if (auto* flags = chain.change<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
        flags != nullptr)
      flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    again.pNext = chain.first();
    return next(device.device, &again, allocator, out);
  }
  if (may_alias(device, info)) {
    const auto lock = host_memory().enter();
    if (!plain_may_come(device, info))
      alias = host_memory().tracker()->allocate(info.allocationSize, device.alias_granule);
  }
  if (alias != nullptr) {
    ChainCopy chain(info.pNext);
    chain.remove(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    const VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, chain.first(),
                                                  kHostPointer, alias->device_side()};
    VkMemoryAllocateInfo imported = info;
    imported.pNext = &import;
    imported.allocationSize = alias->size();
    const bool taken = next(device.device, &imported, allocator, out) == VK_SUCCESS;
    const auto lock = host_memory().enter();
    if (taken && device.private_pages) alias->stands_for_private();
    if (taken) return VK_SUCCESS;
    alias.reset();
  }
  return may_cover(device, info) ? allocate_covered(device, info, allocator, out, alias)
                                 : next(device.device, &info, allocator, out);
}

VkMemoryPropertyFlags flags_of(const DeviceState& device, std::uint32_t type) {
  return type < device.memory.memoryTypeCount ? device.memory.memoryTypes[type].propertyFlags : 0;
}

// Of memory of ours, which is mapped for the first time or again.
void begin_tracking(memory::Tracker& tracker, Memory& memory) {
  const DeviceState& device = *memory.device;
  const bool unseen = memory.device_writable && memory.refreshed != device.memories.epoch;
  if (memory.tracked == nullptr) {
    memory.tracked = tracker.track(*memory.alias, memory::Initial::zeros);
    if (memory.tracked == nullptr) return;
    if (device.software) memory.tracked->watch_device(!unseen);
  }
  memory.tracked->rest(false);
  // A device that is idle wrote what it wrote: the first host write to a page tells all of it.
  const bool idle = HostMemory::idle(device);
  // Of one that works on: what the waits since then have made visible.
  if (!unseen || (!idle && memory.looked == device.memories.looks)) return;
  memory.tracked->refresh(0, memory::whole, idle ? memory::Refresh::finished : memory::Refresh::known);
  memory.looked = device.memories.looks;
  if (idle) memory.refreshed = device.memories.epoch;
}

// All that the host wrote is recorded, but for what Memory::owes says.
void end_tracking(Memory& memory) {
  if (memory.alias == nullptr)
    memory.tracked.reset();
  else if (memory.tracked != nullptr)
    memory.tracked->rest(true);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* pAllocateInfo,
                                                     const VkAllocationCallbacks* pAllocator, VkDeviceMemory* pMemory) {
  DeviceState& state = device_of(device);
  const auto allocate_and_remember = [&]() -> VkResult {
    return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
      auto memory = std::make_unique<Memory>();
      if (const VkResult result = allocate(state, *pAllocateInfo, pAllocator, pMemory, memory->alias);
          result != VK_SUCCESS)
        return result;
      memory->device = &state;
      memory->handle = *pMemory;
      memory->size = pAllocateInfo->allocationSize;
      memory->addressed = has_addresses(*pAllocateInfo);
      memory->type = pAllocateInfo->memoryTypeIndex;
      memory->coherent = (flags_of(state, memory->type) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
      memory->zeroed = memory->alias != nullptr;
      const VkMemoryPropertyFlags flags = flags_of(state, memory->type);
      if (!memory->zeroed && recording() && gpu::can_zero(*pAllocateInfo, flags)) {
        if (state.checkpointer != nullptr)
          memory->zeroed = state.checkpointer->zero(*memory);
        else if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)  // or the first scan finds what nobody wrote
          memory->zeroed = gpu::zero_fill({state.next, state.device, state.memory, state.set_loader_data, 0},
                                          memory->handle, memory->size, memory->type, VK_NULL_HANDLE, nullptr,
                                          state.software ? gpu::HostPages::give_back : gpu::HostPages::keep)
                               .has_value();
      }
      const auto lock = host_memory().enter();
      memory->refreshed = memory->checked = state.memories.epoch;  // no device has seen it
      state.memories.memories[*pMemory] = std::move(memory);
      return VK_SUCCESS;
    });
  };
  const VkResult result =
      record_with<CommandId::vkAllocateMemory>(allocate_and_remember, device, pAllocateInfo, pAllocator, pMemory);
  // Writes follow the record of their memory.
  if (std::byte* const pages = imported_pages(*pAllocateInfo); result == VK_SUCCESS && pages != nullptr && recording())
    guarded([&] {
      const auto lock = host_memory().enter();
      if (Memory* const memory = HostMemory::find(state, *pMemory); memory != nullptr) begin_import(*memory, pages);
    });
  if (result == VK_SUCCESS && has_addresses(*pAllocateInfo)) record_address(state, *pMemory);
  return result;
}

VKAPI_ATTR void VKAPI_CALL hook_vkFreeMemory(VkDevice device, VkDeviceMemory memory,
                                             const VkAllocationCallbacks* pAllocator) {
  DeviceState& state = device_of(device);
  if (state.resources != nullptr) state.resources->forget(memory);
  std::unique_ptr<Memory> gone;  // the driver may give its value to another thread at once
  record_critical<CommandId::vkFreeMemory>(
      [&](ThreadState* thread) {
        const auto found = state.memories.memories.find(memory);
        if (found == state.memories.memories.end()) return;
        gone = std::move(found->second);
        state.memories.memories.erase(found);
        if (gone->mapped_before) --state.memories.ever_mapped;
        if (gone->mapped || gone->owes) host_memory().record(thread, *gone);
        end_tracking(*gone);
        uncover(*gone);
      },
      [&] { state.next->vkFreeMemory(device, memory, pAllocator); }, device, memory, pAllocator);
  const auto lock = host_memory().enter();
  gone.reset();
}

namespace {

// What vkMapMemory and its newer form have in common: `down` calls the driver, `asked` is what the
// program passed.
template <CommandId C, class Down, class... Asked>
VkResult map_memory(DeviceState& state, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, void** ppData,
                    Down&& down, Asked... asked) {
  const auto map = [&] {
    const VkResult result = down();
    if (result != VK_SUCCESS) return result;
    guarded([&] {
      const auto lock = host_memory().enter();
      Memory* const known = HostMemory::find(state, memory);
      if (known == nullptr) return;
      if (known->pages != nullptr) return map_import(*known, *ppData, offset);
      if (known->alias != nullptr) *ppData = known->alias->program_side() + offset;
      if (memory::Tracker* const tracker = host_memory().tracker(); tracker != nullptr && recording()) {
        if (known->alias == nullptr) {
          // Zeroed memory holds what was recorded and what devices wrote, wherever
          // it was mapped before.
          const bool untouched =
              !known->mapped_before && (!known->device_writable || known->refreshed == state.memories.epoch);
          const auto initial = !known->zeroed ? memory::Initial::unknown
                               : untouched    ? memory::Initial::zeros
                                              : memory::Initial::current;
          known->map_offset = offset;
          const bool cached = (flags_of(state, known->type) & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
          known->tracked =
              tracker->track(*ppData, size == VK_WHOLE_SIZE ? known->size - offset : size, initial, cached);
          if (known->tracked != nullptr && known->tracked->is_shadow()) {
            *ppData = known->tracked->program_side();
            HostMemory::any_shadow = true;
          }
        } else {
          begin_tracking(*tracker, *known);
        }
        if (known->tracked != nullptr) {
          known->tracked->user = known;
          // Read-back checkpoints need every device write told from the host's.
          known->tracked->adapt(settings().checkpoints < Checkpoints::readback);
        } else {
          stop_recording("no memory to find host writes with");
          tracker->hold_no_more();
        }
      }
      if (!known->mapped_before) ++state.memories.ever_mapped;
      known->mapped = true;
      known->owes = false;
      known->mapped_from = offset;
      known->mapped_to = size == VK_WHOLE_SIZE ? known->size : offset + size;
      known->mapped_before = true;
    });
    return result;
  };
  const VkResult result = record_with<C>(map, asked...);
  // What a program maps only after its wait, the wait did not look at.
  if (result == VK_SUCCESS && recording() && state.checkpointer != nullptr &&
      settings().checkpoints >= Checkpoints::readback)
    if (ThreadState* const thread = thread_state(); thread != nullptr)
      guarded([&] { state.checkpointer->mapped(*thread, memory); });
  return result;
}

template <CommandId C, class Down, class... Asked>
auto unmap_memory(DeviceState& state, VkDeviceMemory memory, Down&& down, Asked... asked) {
  return record_critical<C>(
      [&](ThreadState* thread) {
        Memory* const known = HostMemory::find(state, memory);
        if (known == nullptr || !known->mapped || known->pages != nullptr) return;
        // A driver's own mapping ends here.
        host_memory().record(thread, *known, 0, memory::whole,
                             known->alias != nullptr ? HostMemory::at_flush(*known) : memory::Contested::record);
        known->owes = thread != nullptr && known->alias != nullptr && known->tracked != nullptr &&
                      known->tracked->kept_contested();
        end_tracking(*known);
        known->mapped = false;
      },
      std::forward<Down>(down), asked...);
}

#ifdef VK_KHR_map_memory2
template <CommandId C>
VkResult map_memory2(VkDevice device, const VkMemoryMapInfoKHR* info, void** data) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  return map_memory<C>(
      state, info->memory, info->offset, info->size, data, [&] { return next(device, info, data); }, device, info,
      data);
}

template <CommandId C>
VkResult unmap_memory2(VkDevice device, const VkMemoryUnmapInfoKHR* info) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  return unmap_memory<C>(
      state, info->memory, [&] { return next(device, info); }, device, info);
}
#endif

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                VkDeviceSize size, VkMemoryMapFlags flags, void** ppData) {
  DeviceState& state = device_of(device);
  return map_memory<CommandId::vkMapMemory>(
      state, memory, offset, size, ppData,
      [&] { return state.next->vkMapMemory(device, memory, offset, size, flags, ppData); }, device, memory, offset,
      size, flags, ppData);
}

VKAPI_ATTR void VKAPI_CALL hook_vkUnmapMemory(VkDevice device, VkDeviceMemory memory) {
  DeviceState& state = device_of(device);
  unmap_memory<CommandId::vkUnmapMemory>(
      state, memory, [&] { state.next->vkUnmapMemory(device, memory); }, device, memory);
}

#ifdef VK_KHR_map_memory2
VKAPI_ATTR VkResult VKAPI_CALL hook_vkMapMemory2KHR(VkDevice device, const VkMemoryMapInfoKHR* pMemoryMapInfo,
                                                    void** ppData) {
  return map_memory2<CommandId::vkMapMemory2KHR>(device, pMemoryMapInfo, ppData);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkUnmapMemory2KHR(VkDevice device, const VkMemoryUnmapInfoKHR* pMemoryUnmapInfo) {
  return unmap_memory2<CommandId::vkUnmapMemory2KHR>(device, pMemoryUnmapInfo);
}
#endif
#ifdef VK_VERSION_1_4
VKAPI_ATTR VkResult VKAPI_CALL hook_vkMapMemory2(VkDevice device, const VkMemoryMapInfo* pMemoryMapInfo,
                                                 void** ppData) {
  return map_memory2<CommandId::vkMapMemory2>(device, pMemoryMapInfo, ppData);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkUnmapMemory2(VkDevice device, const VkMemoryUnmapInfo* pMemoryUnmapInfo) {
  return unmap_memory2<CommandId::vkUnmapMemory2>(device, pMemoryUnmapInfo);
}
#endif

VKAPI_ATTR VkResult VKAPI_CALL hook_vkFlushMappedMemoryRanges(VkDevice device, std::uint32_t memoryRangeCount,
                                                              const VkMappedMemoryRange* pMemoryRanges) {
  DeviceState& state = device_of(device);
  return record_critical<CommandId::vkFlushMappedMemoryRanges>(
      [&](ThreadState* thread) {
        for (std::uint32_t i = 0; i < memoryRangeCount; ++i) {
          const VkMappedMemoryRange& range = pMemoryRanges[i];
          if (Memory* const known = HostMemory::find(state, range.memory); known != nullptr)
            host_memory().record(thread, *known, range.offset, range.size, HostMemory::at_flush(*known));
        }
      },
      [&] { return state.next->vkFlushMappedMemoryRanges(device, memoryRangeCount, pMemoryRanges); }, device,
      memoryRangeCount, pMemoryRanges);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkInvalidateMappedMemoryRanges(VkDevice device, std::uint32_t memoryRangeCount,
                                                                   const VkMappedMemoryRange* pMemoryRanges) {
  DeviceState& state = device_of(device);
  const auto invalidate = [&] {
    const VkResult result = state.next->vkInvalidateMappedMemoryRanges(device, memoryRangeCount, pMemoryRanges);
    if (result != VK_SUCCESS) return result;
    const auto lock = host_memory().enter();
    for (std::uint32_t i = 0; i < memoryRangeCount; ++i) {
      const VkMappedMemoryRange& range = pMemoryRanges[i];
      Memory* const known = HostMemory::find(state, range.memory);
      if (known == nullptr || known->tracked == nullptr || !known->device_writable) continue;
      // Ranges may begin before the mapping: they are rounded to whole atoms.
      const VkDeviceSize before = range.offset < known->map_offset ? known->map_offset - range.offset : 0;
      if (range.size != VK_WHOLE_SIZE && range.size <= before) continue;
      known->tracked->refresh(range.offset + before - known->map_offset,
                              range.size == VK_WHOLE_SIZE ? memory::whole : range.size - before,
                              memory::Refresh::known);
    }
    return result;
  };
  return record_with<CommandId::vkInvalidateMappedMemoryRanges>(invalidate, device, memoryRangeCount, pMemoryRanges);
}

}  // namespace rondo::layer
