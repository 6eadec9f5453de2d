// SPDX-License-Identifier: Apache-2.0
#include "layer/sparse.h"

#include "layer/chain.h"
#include "layer/host_memory.h"
#include "layer/recorder.h"

namespace rondo::layer {

bool enables_sparse_binding(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures != nullptr) return info.pEnabledFeatures->sparseBinding != VK_FALSE;
  const auto* all = find_in_chain<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  return all != nullptr && all->features.sparseBinding != VK_FALSE;
}

void note_sparse_resource(DeviceState& device, bool sparse) {
  if (!device.binds_sparsely || !recording()) return;
  const auto lock = host_memory().enter();
  device.memories.sparse_was_last = sparse;
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
          device.memories.page_pools.insert(memory->size);
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
