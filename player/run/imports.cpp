// SPDX-License-Identifier: Apache-2.0
#include "player/run/imports.h"

#include "player/run/chains.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

constexpr VkExternalMemoryHandleTypeFlags kHostPointers =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT |
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT;

// Whether nothing is left of what it says.
template <class T>
bool keeps_none(VkBaseInStructure& structure, VkExternalMemoryHandleTypeFlags kept) {
  auto& handles = reinterpret_cast<T&>(structure).handleTypes;
  if ((handles & ~kept) == 0) return false;
  handles &= kept;
  return handles == 0;
}

}  // namespace

void drop_import(const void*& chain) {
  unchain(chain, [](const VkBaseInStructure& s) {
    return s.sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT ||
           s.sType == VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  });
}

void drop_exports(const void*& chain) {
  unchain(chain, [](const VkBaseInStructure& s) {
    return s.sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO ||
           s.sType == VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO;
  });
}

Result<void> check_importable(Run& run, const Op& op, const void* pages, std::uint32_t type) {
  const DeviceState& device = run.device(op);
  const auto ask = device.dispatch.vkGetMemoryHostPointerPropertiesEXT;
  if (ask == nullptr)
    return tl::unexpected<Error>(
        run.refuse(op, Status::device, "the device does not have vkGetMemoryHostPointerPropertiesEXT"));
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  const VkResult r = ask(device.handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages, &properties);
  if (r < 0) return tl::unexpected<Error>(run.failure(op, r, "vkGetMemoryHostPointerPropertiesEXT"));
  if ((properties.memoryTypeBits >> type & 1u) == 0)
    return tl::unexpected<Error>(
        run.refuse(op, Status::device, "memory of type " + std::to_string(type) + " cannot be put at an address"));
  return {};
}

void drop_handles(const void*& chain, bool target_imports) {
  const VkExternalMemoryHandleTypeFlags kept = target_imports ? kHostPointers : 0;
  unchain(chain, [&](VkBaseInStructure& s) {
    switch (s.sType) {
      case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO:
        return keeps_none<VkExternalMemoryBufferCreateInfo>(s, kept);
      case VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO:
        return keeps_none<VkExternalMemoryImageCreateInfo>(s, kept);
      case VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR:
        return true;  // of no swapchain: those are made otherwise
      default:
        return false;
    }
  });
}

}  // namespace rondo::player
