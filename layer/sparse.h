// SPDX-License-Identifier: Apache-2.0
// Sparse binding: memory that is bound in pages, by a queue, and again and again.
// A driver need not bind imported memory so (VUID-VkSparseMemoryBind-memory-02731), and
// lavapipe then takes anything for a page. So a device that may bind sparsely imports only what has device
// addresses, and, where checkpoints need to tell host and device apart, the rest; but never what is
// allocated while the resource that was made last is sparse, nor what is as large as pages were before.
#pragma once

#include <span>

#include "format/vulkan.h"
#include "layer/state.h"

namespace rondo::layer {

// Whether the program enabled sparseBinding.
bool enables_sparse_binding(const VkDeviceCreateInfo& info);

// In front of the creation of a buffer or image. Any thread.
void note_sparse_resource(DeviceState& device, bool sparse);

// A device may write the memory from now on. False: some of it was imported, and cannot
// be bound so. Any thread.
bool note_sparse_binds(DeviceState& device, std::span<const VkBindSparseInfo> batches);

}  // namespace rondo::layer
