// SPDX-License-Identifier: Apache-2.0
// What is added to creations so that device addresses are the captured ones.
// The objects here hold structures of a chain: they live until the call is over.
#pragma once

#include <vector>

#include "player/plan/places.h"
#include "player/plan/plan.h"

namespace rondo::player {

class Run;

// Whether its memory lies where the captured program's lay.
bool is_placed(const Plan& plan, ObjectId resource);

class BufferAddresses {
 public:
  void apply(const Plan& plan, ObjectId buffer, VkBufferCreateInfo& info);

 private:
  VkBufferOpaqueCaptureAddressCreateInfo opaque_{VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO, nullptr,
                                                 0};
  VkExternalMemoryBufferCreateInfo external_{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                             VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
};

class ImagePlaces {
 public:
  void apply(const Plan& plan, ObjectId image, VkImageCreateInfo& info);

 private:
  VkExternalMemoryImageCreateInfo external_{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
};

class MemoryAddress {
 public:
  // `info`: in the run's scratch, its memory type chosen.
  Result<void> apply(Run& run, const Op& op, VkMemoryAllocateInfo& info, PlacedMemory& placed);

 private:
  VkMemoryOpaqueCaptureAddressAllocateInfo opaque_{VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
                                                   nullptr, 0};
  VkImportMemoryHostPointerInfoEXT import_{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                           VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, nullptr};
};

// Extensions and features of the player's own, at vkCreateDevice; `info`: in the run's scratch.
void enable_addresses(const CapturedDevice& captured, VkDeviceCreateInfo& info, std::vector<const char*>& extensions);

}  // namespace rondo::player
