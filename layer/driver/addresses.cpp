// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/addresses.h"

#include "generated/args.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

template <class Function>
Function either(Function core, Function extension) {
  return core != nullptr ? core : extension;
}

void write(const args_rondoAddress& args) {
  ThreadState* const state = thread_state();
  if (state == nullptr || !encode_payload(*state, CommandId::rondoAddress, &args, true)) return;
  commit(*state, CommandId::rondoAddress, 0);
}

}  // namespace

bool asks_for_addresses(const VkDeviceCreateInfo& info) {
  const auto* all = find_in_chain<VkPhysicalDeviceVulkan12Features>(
      info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  const auto* one = find_in_chain<VkPhysicalDeviceBufferDeviceAddressFeatures>(
      info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  return (all != nullptr && all->bufferDeviceAddress != VK_FALSE) ||
         (one != nullptr && one->bufferDeviceAddress != VK_FALSE);
}

bool can_replay_addresses(const DeviceState& device) {
  const Dispatch& vk = *device.next_instance;
  const auto ask = device.api_version >= VK_API_VERSION_1_1 && vk.vkGetPhysicalDeviceFeatures2 != nullptr
                       ? vk.vkGetPhysicalDeviceFeatures2
                       : vk.vkGetPhysicalDeviceFeatures2KHR;
  if (ask == nullptr) return false;
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{};
  addresses.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &addresses;
  ask(device.physical, &features);
  return addresses.bufferDeviceAddressCaptureReplay != VK_FALSE;
}

void record_address(DeviceState& device, VkDeviceMemory memory) noexcept {
  if (!recording()) return;
  guarded([&] {
    args_rondoAddress args{};
    args.device = device.device;
    args.memory = memory;
    if (device.address_replay) {
      const auto ask = either(device.next->vkGetDeviceMemoryOpaqueCaptureAddress,
                              device.next->vkGetDeviceMemoryOpaqueCaptureAddressKHR);
      const VkDeviceMemoryOpaqueCaptureAddressInfo info{VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
                                                        nullptr, memory};
      if (ask != nullptr) args.opaque = ask(device.device, &info);
    } else {
      const auto lock = host_memory().enter();
      const Memory* const known = HostMemory::find(device, memory);
      if (known != nullptr && known->alias != nullptr)
        args.place = reinterpret_cast<std::uintptr_t>(known->alias->device_side());
    }
    if (args.opaque != 0 || args.place != 0) write(args);
  });
}

void record_address(DeviceState& device, VkBuffer buffer) noexcept {
  if (!recording() || !device.address_replay) return;
  guarded([&] {
    const auto ask =
        either(device.next->vkGetBufferOpaqueCaptureAddress, device.next->vkGetBufferOpaqueCaptureAddressKHR);
    if (ask == nullptr) return;
    {
      const auto lock = host_memory().enter();
      const auto known = device.memories.buffers.find(buffer);
      if (known == device.memories.buffers.end() || !known->second.addressed) return;
    }
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    args_rondoAddress args{};
    args.device = device.device;
    args.buffer = buffer;
    args.opaque = ask(device.device, &info);
    if (args.opaque != 0) write(args);
  });
}

}  // namespace rondo::layer
