// SPDX-License-Identifier: Apache-2.0
// What the layer knows of the program's instances and devices.
#pragma once

#include <vulkan/vk_layer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/vulkan.h"
#include "layer/driver/by_handle.h"
#include "layer/driver/host_memory.h"
#include "layer/driver/key_table.h"

namespace rondo::layer {

class Checkpointer;
class Fences;
class Resources;
class Settler;

// Written while the instance is created, read afterwards.
struct InstanceState {
  VkInstance instance = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr next_get = nullptr;
  PFN_GetPhysicalDeviceProcAddr next_get_physical = nullptr;
  std::uint32_t api_version = VK_API_VERSION_1_0;    // as the program asked
  std::unordered_set<std::string> added_extensions;  // by the layer, unknown to the program
  bool at_driver = false;                            // made at the driver's door: found by its handle's value
  // Something hidden was enabled all the same: nothing is recorded, and every command is there.
  bool hides_nothing = false;
};

struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  VkDeviceQueueCreateFlags flags = 0;
};

struct Swapchain {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent2D extent{};
  bool readable = false;         // images have TRANSFER_SRC usage
  const char* reason = nullptr;  // why not
  std::vector<VkImage> images;
  std::vector<std::uint32_t> families;  // that share the images; empty: they are one's at a time
  std::vector<bool> to_zero;            // of each image: it can be cleared, and was not acquired yet
};

// The first group is written while the device is created, and read afterwards.
struct DeviceState {
  VkDevice device = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  const InstanceState* instance = nullptr;
  const Dispatch* next = nullptr;           // of this device
  const Dispatch* next_instance = nullptr;  // of its instance
  PFN_vkGetDeviceProcAddr next_get = nullptr;
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;
  std::uint32_t api_version = VK_API_VERSION_1_0;    // the lower of the instance's and the device's
  std::unordered_set<std::string> added_extensions;  // by the layer, unknown to the program
  bool hides_nothing = false;                        // as an instance's
  bool at_driver = false;                            // likewise
  VkPhysicalDeviceMemoryProperties memory{};
  bool software = false;  // a driver that runs on the CPU, in this process
  std::atomic<bool> lost{false};
  std::vector<VkQueueFamilyProperties> families;
  std::vector<std::uint32_t> created_families;  // of ordinary queues, as vkCreateDevice was asked
  std::uint32_t alias_types = 0;                // memory types that host memory can be imported as
  bool alias_all = false;                       // … and is; else only where there are device addresses
  // The program enabled bufferDeviceAddress, and addresses are had again …
  bool address_replay = false;    // … from the driver (bufferDeviceAddressCaptureReplay)
  bool places_addresses = false;  // … by the place of their memory
  VkDeviceSize alias_granule = 1;
  bool private_pages = false;                  // what the driver allocates are private pages of the process
  bool binds_sparsely = false;                 // the program enabled sparseBinding
  std::unique_ptr<Resources> resources;        // null without checkpoints of submits
  std::unique_ptr<Checkpointer> checkpointer;  // null without checkpoints
  std::unique_ptr<Settler> settler;            // null where nothing is recorded
  std::unique_ptr<Fences> own_fences;          // likewise: of WorkEnds

  std::mutex swapchain_lock;
  std::unordered_map<VkSwapchainKHR, Swapchain> swapchains;  // guarded by swapchain_lock

  // Guarded by HostMemory's lock.
  std::vector<Queue> queues;  // those that the program has got
  DeviceMemory memories;

  DeviceState();
  ~DeviceState();
};

using InstanceEntry = KeyEntry<InstanceState>;
using DeviceEntry = KeyEntry<DeviceState>;

extern constinit KeyTable<InstanceState, 256> g_instances;
extern constinit KeyTable<DeviceState, 1024> g_devices;

template <class Entry, class Table>
Entry& entry_of(const Table& table, const void* handle) {
  Entry* const entry = table.find(dispatch_key(handle));
  if (entry != nullptr) [[likely]]
    return *entry;
  return *static_cast<Entry*>(by_handle().find(handle));
}
inline InstanceEntry& entry_of(VkInstance handle) { return entry_of<InstanceEntry>(g_instances, handle); }
inline InstanceEntry& entry_of(VkPhysicalDevice handle) { return entry_of<InstanceEntry>(g_instances, handle); }
inline DeviceEntry& entry_of(VkDevice handle) { return entry_of<DeviceEntry>(g_devices, handle); }
inline DeviceEntry& entry_of(VkQueue handle) { return entry_of<DeviceEntry>(g_devices, handle); }
inline DeviceEntry& entry_of(VkCommandBuffer handle) { return entry_of<DeviceEntry>(g_devices, handle); }

// A handle that the program has got of an instance or device of the driver's door.
template <class Handle, class Entry>
void know_by_handle(Handle handle, Entry& entry) {
  if (entry.state->at_driver && handle != VK_NULL_HANDLE) by_handle().add(handle, &entry);
}

template <class Handle>
const Dispatch& next_of(Handle handle) {
  return entry_of(handle).dispatch;
}
template <class Handle>
DeviceState& device_of(Handle handle) {
  return *entry_of(handle).state;
}

}  // namespace rondo::layer
