// SPDX-License-Identifier: Apache-2.0
// Pages of the program's own that a device works on (VK_EXT_external_memory_host).
#pragma once

#include <sys/mman.h>

#include "session.h"

namespace program {

inline constexpr VkExternalMemoryHandleTypeFlagBits kHost = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

inline std::size_t granule_of(const Session& s) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &host;
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  return static_cast<std::size_t>(host.minImportedHostPointerAlignment);
}

inline std::uint32_t type_of(const Session& s, void* pages, const VkMemoryRequirements& needs) {
  LOAD(s, vkGetMemoryHostPointerPropertiesEXT);
  VkMemoryHostPointerPropertiesEXT can{};
  can.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  CHECK(vkGetMemoryHostPointerPropertiesEXT(s.device, kHost, pages, &can));
  const std::uint32_t types = can.memoryTypeBits & needs.memoryTypeBits;
  for (std::uint32_t type = 0; type < 32; ++type)
    if ((types >> type & 1) != 0) return type;
  die("no memory type takes these pages", 0);
}

// A buffer whose memory is `bytes` at `pages`, for as long as the session lives.
inline MappedBuffer import(Session& s, void* pages, std::size_t bytes, VkBufferUsageFlags usage,
                           VkMemoryAllocateFlags flags = 0) {
  const VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kHost};
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = bytes, .usage = usage};
  MappedBuffer b;
  b.bytes = bytes;
  b.words = static_cast<std::uint32_t*>(pages);
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, b.buffer, &needs);
  const VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kHost,
                                              pages};
  const VkMemoryAllocateFlagsInfo flagged{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &host, flags, 0};
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flagged, bytes,
                                        type_of(s, pages, needs)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &b.memory));
  CHECK(vkBindBufferMemory(s.device, b.buffer, b.memory, 0));
  s.at_end.push_back([b, device = s.device] {
    vkDestroyBuffer(device, b.buffer, nullptr);
    vkFreeMemory(device, b.memory, nullptr);
  });
  return b;
}

// Pages that begin at a multiple of the granule.
inline std::uint32_t* map(Session& s, std::size_t granule, std::size_t bytes, int rights, int flags, int file) {
  auto* const room = static_cast<std::byte*>(
      mmap(nullptr, bytes + granule, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (room == MAP_FAILED) die("mmap", 0);
  const auto at = reinterpret_cast<std::uintptr_t>(room);
  std::byte* const pages = room + (granule - at % granule) % granule;
  if (mmap(pages, bytes, rights, flags | MAP_FIXED, file, 0) != pages) die("mmap", 1);
  s.at_end.push_back([=] { munmap(room, bytes + granule); });
  return reinterpret_cast<std::uint32_t*>(pages);
}

}  // namespace program
