// SPDX-License-Identifier: Apache-2.0
// Memory that a program imports from a host pointer (VK_EXT_external_memory_host): its pages
// are the program's, which may write them from the import to the free, mapped or not.
#pragma once

#include "format/vulkan.h"
#include "layer/driver/host_memory.h"

namespace rondo::layer {

// Where the pages lie that an allocation imports; null if it imports none.
std::byte* imported_pages(const VkMemoryAllocateInfo& info);

// Whether a buffer or image that was asked for with this chain may live in imported memory.
bool may_be_imported(const void* chain);

// In the critical section, once the allocation is recorded: what the pages hold then is
// recorded with the first thing that makes a device see it.
void begin_import(Memory& memory, std::byte* pages);

// The program has mapped it at `mapped`, which begins `offset` bytes into it. Most drivers give
// the pages that they got.
void map_import(Memory& memory, const void* mapped, VkDeviceSize offset);

}  // namespace rondo::layer
