// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/imports.h"

#include "layer/driver/state.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/log.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

constexpr VkExternalMemoryHandleTypeFlags kHostPointers =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT |
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT;

}  // namespace

std::byte* imported_pages(const VkMemoryAllocateInfo& info) {
  const auto* import = find_in_chain<VkImportMemoryHostPointerInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  if (import == nullptr || (import->handleType & kHostPointers) == 0) return nullptr;
  return static_cast<std::byte*>(import->pHostPointer);
}

bool may_be_imported(const void* chain) {
  const auto* buffer =
      find_in_chain<VkExternalMemoryBufferCreateInfo>(chain, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  const auto* image =
      find_in_chain<VkExternalMemoryImageCreateInfo>(chain, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
  // Of memory that is ours, which is no device's.
  constexpr VkExternalMemoryHandleTypeFlags ours = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  return (buffer != nullptr && (buffer->handleTypes & ours) != 0) ||
         (image != nullptr && (image->handleTypes & ours) != 0);
}

void begin_import(Memory& memory, std::byte* pages) {
  memory.pages = pages;
  memory.coherent = true;
  memory.mapped = memory.mapped_before = true;
  ++memory.device->memories.ever_mapped;
  memory.mapped_from = 0;
  memory.mapped_to = memory.size;
  const DeviceState& device = *memory.device;
  // Protecting what hardware reads makes its driver give up the pages, and worse.
  const bool may_protect = device.software;
  if (memory::Tracker* const tracker = host_memory().start_tracker(settings().memory.c_str()); tracker != nullptr)
    memory.tracked = tracker->track_own_pages(pages, memory.size, may_protect);
  if (memory.tracked == nullptr) {
    stop_recording("no memory to find host writes with");
    return;
  }
  memory.tracked->user = &memory;
  // Read-back checkpoints cannot tell whose writes they are, whatever is left unprotected.
  memory.tracked->adapt(true);
}

void map_import(Memory& memory, const void* mapped, VkDeviceSize offset) {
  if (memory.tracked != nullptr && mapped != memory.pages + offset) memory.tracked->compare_all();
}

}  // namespace rondo::layer
