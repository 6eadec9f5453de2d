// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/sparse.h"

#include <algorithm>
#include <utility>

#include "layer/driver/alias_types.h"
#include "layer/driver/host_memory.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/thread_state.h"

namespace rondo::layer {

bool enables_sparse_binding(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures != nullptr) return info.pEnabledFeatures->sparseBinding != VK_FALSE;
  const auto* all = find_in_chain<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  return all != nullptr && all->features.sparseBinding != VK_FALSE;
}

void note_sparse_resource(DeviceState& device, bool sparse) {
  if (!device.binds_sparsely || !recording()) return;
  if (ThreadState* const thread = thread_state(); thread != nullptr)
    thread->sparse_on = sparse ? device.device : VK_NULL_HANDLE;
  if (!sparse) return;
  const auto lock = host_memory().enter();
  device.memories.sparse_seen = true;
}

bool first_time(bool& told) {
  const auto lock = host_memory().enter();
  return !std::exchange(told, true);
}

bool may_bind_sparsely(DeviceState& device) {
  if (!device.binds_sparsely) return false;
  const auto lock = host_memory().enter();
  return device.memories.sparse_seen;
}

void note_unbound(DeviceState& device, std::uint64_t resource, VkDeviceSize bytes) {
  const auto lock = host_memory().enter();
  device.memories.unbound[resource] = bytes;
}

bool may_hold_pages(DeviceState& device, const VkMemoryAllocateInfo& info) {
  constexpr VkDeviceSize kPage = 4096;  // the least that a driver is known to have
  if (!device.memories.sparse_seen) return false;
  auto& unbound = device.memories.unbound;
  const auto fits =
      std::find_if(unbound.begin(), unbound.end(), [&](const auto& one) { return one.second == info.allocationSize; });
  if (fits != unbound.end()) {
    unbound.erase(fits);
    return false;
  }
  const ThreadState* const thread = thread_state();
  if (thread != nullptr && thread->sparse_on == device.device) return true;
  return has_addresses(info) ? device.memories.page_pools.contains(info.allocationSize)
                             : info.allocationSize % kPage == 0;
}

bool note_sparse_binds(DeviceState& device, std::span<const VkBindSparseInfo> batches) {
  bool possible = true;
  const auto lock = host_memory().enter();
  const auto note_each = [&](const auto& infos) {
    for (const auto& info : infos)
      for (const auto& bind : std::span(info.pBinds, info.bindCount))
        if (Memory* const memory = HostMemory::find(device, bind.memory); memory != nullptr) {
          possible = possible && memory->alias == nullptr;
          memory->device_writable = true;
          if (memory->addressed) device.memories.page_pools.insert(memory->size);
        }
  };
  for (const VkBindSparseInfo& batch : batches) {
    note_each(std::span(batch.pBufferBinds, batch.bufferBindCount));
    note_each(std::span(batch.pImageOpaqueBinds, batch.imageOpaqueBindCount));
    note_each(std::span(batch.pImageBinds, batch.imageBindCount));
  }
  return possible;
}

}  // namespace rondo::layer
