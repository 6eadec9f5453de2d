// SPDX-License-Identifier: Apache-2.0
// Sparse binding: memory that is bound in pages, by a queue, and again and again.
// A driver need not bind imported memory so (VUID-VkSparseMemoryBind-memory-02731), and
// lavapipe then takes anything for a page. A device that may bind sparsely therefore
// imports what has device addresses, and the rest only where checkpoints need to tell
// host and device apart; and of both not what looks like room for pages (may_hold_pages).
#pragma once

#include <span>

#include "format/vulkan.h"
#include "layer/driver/state.h"

namespace rondo::layer {

// Whether the program enabled sparseBinding.
bool enables_sparse_binding(const VkDeviceCreateInfo& info);

// In front of the creation of a buffer or image, and where the program asks what one would need. Any thread.
void note_sparse_resource(DeviceState& device, bool sparse);

// Of what a device is told once. Any thread.
bool first_time(bool& told);

// Whether the device has had a sparse resource. Any thread.
bool may_bind_sparsely(DeviceState& device);

// Behind the creation of one that is not sparse, once the device has had a sparse resource. Any thread.
void note_unbound(DeviceState& device, std::uint64_t resource, VkDeviceSize bytes);

// Of an allocation, once the device has had a sparse resource. No: what is as large as an unbound resource
// that is not sparse, which it is for then. Yes: of memory with device addresses where this thread made a
// sparse resource last, or pages were bound in such memory as large; of other memory also what is whole pages
// of 4 KiB. With HostMemory's lock.
bool may_hold_pages(DeviceState& device, const VkMemoryAllocateInfo& info);

// A device may write the memory from now on. False: some of it was imported, and cannot
// be bound so. Any thread.
bool note_sparse_binds(DeviceState& device, std::span<const VkBindSparseInfo> batches);

}  // namespace rondo::layer
