// SPDX-License-Identifier: Apache-2.0
// Copies between images and the program's memory that the host makes, and its
// layout transitions (VK_EXT_host_image_copy). What it copies to may be memory
// of an image that is mapped, too: host writes are found before.
#include "generated/hooks.h"
#include "layer/checkpoints/resources.h"
#include "layer/recorder/critical.h"

#ifdef VK_EXT_host_image_copy

namespace rondo::layer {

namespace {

// What is read back meanwhile is not copied to, nor moved to another layout.
Resources::Lock keep_from_reading(DeviceState& device) {
  return device.resources != nullptr ? device.resources->enter() : Resources::Lock();
}

// `note(resources)`: what it did, under that lock.
template <CommandId C, class Note, class What>
VkResult change(VkDevice handle, Note&& note, What what) {
  DeviceState& device = device_of(handle);
  const auto next = (*device.next).*CommandTraits<C>::pfn;
  const auto lock = keep_from_reading(device);
  return record_critical<C>([&](ThreadState* thread) { host_memory().record_all(thread); },
                            [&] {
                              const VkResult result = next(handle, what);
                              if (result == VK_SUCCESS && device.resources != nullptr)
                                guarded([&] { note(*device.resources); });
                              return result;
                            },
                            handle, what);
}

template <CommandId C>
VkResult copy_memory_to_image(VkDevice device, const VkCopyMemoryToImageInfoEXT* info) {
  return change<C>(
      device,
      [&](Resources& resources) {
        for (std::uint32_t i = 0; i < info->regionCount; ++i)
          resources.host_wrote(info->dstImage, info->pRegions[i].imageSubresource);
      },
      info);
}

template <CommandId C>
VkResult copy_image_to_image(VkDevice device, const VkCopyImageToImageInfoEXT* info) {
  return change<C>(
      device,
      [&](Resources& resources) {
        for (std::uint32_t i = 0; i < info->regionCount; ++i)
          resources.host_wrote(info->dstImage, info->pRegions[i].dstSubresource);
      },
      info);
}

// Its record holds what came out of it: numbered behind it.
template <CommandId C>
VkResult copy_image_to_memory(VkDevice handle, const VkCopyImageToMemoryInfoEXT* info) {
  DeviceState& device = device_of(handle);
  const auto next = (*device.next).*CommandTraits<C>::pfn;
  const auto lock = keep_from_reading(device);
  if (ThreadState* const thread = recording() ? thread_state() : nullptr; thread != nullptr)
    guarded([&] {
      const auto writes = host_memory().enter();
      host_memory().record_all(thread);
    });
  return record_with<C>([&] { return next(handle, info); }, handle, info);
}

template <CommandId C>
VkResult transition(VkDevice handle, std::uint32_t count, const VkHostImageLayoutTransitionInfoEXT* infos) {
  DeviceState& device = device_of(handle);
  const auto next = (*device.next).*CommandTraits<C>::pfn;
  const auto lock = keep_from_reading(device);
  return record_with<C>(
      [&] {
        const VkResult result = next(handle, count, infos);
        if (result == VK_SUCCESS && device.resources != nullptr)
          guarded([&] {
            for (std::uint32_t i = 0; i < count; ++i)
              device.resources->host_moved(infos[i].image, infos[i].subresourceRange, infos[i].oldLayout,
                                           infos[i].newLayout);
          });
        return result;
      },
      handle, count, infos);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyMemoryToImageEXT(VkDevice device,
                                                           const VkCopyMemoryToImageInfoEXT* pCopyMemoryToImageInfo) {
  return copy_memory_to_image<CommandId::vkCopyMemoryToImageEXT>(device, pCopyMemoryToImageInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyImageToMemoryEXT(VkDevice device,
                                                           const VkCopyImageToMemoryInfoEXT* pCopyImageToMemoryInfo) {
  return copy_image_to_memory<CommandId::vkCopyImageToMemoryEXT>(device, pCopyImageToMemoryInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyImageToImageEXT(VkDevice device,
                                                          const VkCopyImageToImageInfoEXT* pCopyImageToImageInfo) {
  return copy_image_to_image<CommandId::vkCopyImageToImageEXT>(device, pCopyImageToImageInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkTransitionImageLayoutEXT(VkDevice device, std::uint32_t transitionCount,
                                                               const VkHostImageLayoutTransitionInfoEXT* pTransitions) {
  return transition<CommandId::vkTransitionImageLayoutEXT>(device, transitionCount, pTransitions);
}

#ifdef VK_VERSION_1_4
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyMemoryToImage(VkDevice device,
                                                        const VkCopyMemoryToImageInfo* pCopyMemoryToImageInfo) {
  return copy_memory_to_image<CommandId::vkCopyMemoryToImage>(device, pCopyMemoryToImageInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyImageToMemory(VkDevice device,
                                                        const VkCopyImageToMemoryInfo* pCopyImageToMemoryInfo) {
  return copy_image_to_memory<CommandId::vkCopyImageToMemory>(device, pCopyImageToMemoryInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCopyImageToImage(VkDevice device,
                                                       const VkCopyImageToImageInfo* pCopyImageToImageInfo) {
  return copy_image_to_image<CommandId::vkCopyImageToImage>(device, pCopyImageToImageInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkTransitionImageLayout(VkDevice device, std::uint32_t transitionCount,
                                                            const VkHostImageLayoutTransitionInfo* pTransitions) {
  return transition<CommandId::vkTransitionImageLayout>(device, transitionCount, pTransitions);
}
#endif

}  // namespace rondo::layer

#endif
