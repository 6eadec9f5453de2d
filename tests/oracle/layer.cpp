// SPDX-License-Identifier: Apache-2.0
// VK_LAYER_RONDO_test_oracle: stands nearest the driver, beneath Rondo's layer
// or the player, and says what was in every allocation when it was freed. It
// knows nothing of Rondo. What it cannot do is a line of its report, and no
// call of the program ever fails for it.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "contents.h"
#include "device.h"
#include "report.h"

namespace oracle {

namespace {

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  PFN_vkDestroyInstance DestroyInstance = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties = nullptr;
};

// Dispatchable handles of one instance or device begin with the same pointer.
void* key_of(const void* handle) { return *static_cast<void* const*>(handle); }

std::mutex g_lock;  // guards:
std::map<void*, std::shared_ptr<Instance>> g_instances;
std::map<void*, std::shared_ptr<Device>> g_devices;

std::shared_ptr<Instance> instance_of(const void* handle) {
  const std::lock_guard lock(g_lock);
  return g_instances.at(key_of(handle));
}
std::shared_ptr<Device> device_of(const void* handle) {
  const std::lock_guard lock(g_lock);
  return g_devices.at(key_of(handle));
}

template <typename Info>
Info* link_info(const void* chain, VkStructureType type, VkLayerFunction function) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    auto* info = reinterpret_cast<Info*>(const_cast<VkBaseInStructure*>(s));
    if (s->sType == type && info->function == function) return info;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* out) {
  auto* link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                                    VK_LAYER_LINK_INFO);
  // An oracle that nobody hears would be taken for one that agrees.
  if (link == nullptr || !reporting()) return VK_ERROR_INITIALIZATION_FAILED;
  const auto next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (const VkResult r = create(info, allocator, out); r != VK_SUCCESS) return r;
  auto instance = std::make_shared<Instance>();
  instance->handle = *out;
  instance->GetInstanceProcAddr = next;
#define LOAD(name) instance->name = reinterpret_cast<PFN_vk##name>(next(*out, "vk" #name))
  LOAD(DestroyInstance);
  LOAD(GetPhysicalDeviceMemoryProperties);
  LOAD(GetPhysicalDeviceQueueFamilyProperties);
#undef LOAD
  const std::lock_guard lock(g_lock);
  g_instances[key_of(*out)] = std::move(instance);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  const auto instance = instance_of(handle);
  {
    const std::lock_guard lock(g_lock);
    g_instances.erase(key_of(handle));
  }
  instance->DestroyInstance(handle, allocator);
}

// The program's queues and one more. Where a family that it did not ask for has
// one, that; else one behind its own.
struct OwnQueue {
  static constexpr float kPriority = 0.5f;
  std::vector<VkDeviceQueueCreateInfo> infos;
  std::vector<float> priorities;
  std::uint32_t family = UINT32_MAX;
  std::uint32_t index = 0;

  OwnQueue(const Instance& instance, VkPhysicalDevice physical, const VkDeviceCreateInfo& info) {
    infos.assign(info.pQueueCreateInfos, info.pQueueCreateInfos + info.queueCreateInfoCount);
    std::uint32_t count = 0;
    instance.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    instance.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    constexpr VkFlags kCopies = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (std::uint32_t f = 0; f < count && family == UINT32_MAX; ++f) {
      const auto in_family = [&](const VkDeviceQueueCreateInfo& q) { return q.queueFamilyIndex == f; };
      if ((families[f].queueFlags & kCopies) == 0 || families[f].queueCount == 0) continue;
      if (std::any_of(infos.begin(), infos.end(), in_family)) continue;
      family = f;
      infos.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &kPriority});
    }
    for (std::size_t i = 0; i < infos.size() && family == UINT32_MAX; ++i) {
      VkDeviceQueueCreateInfo& q = infos[i];
      if (q.flags != 0 || q.pNext != nullptr || q.queueFamilyIndex >= count) continue;
      if ((families[q.queueFamilyIndex].queueFlags & kCopies) == 0 ||
          families[q.queueFamilyIndex].queueCount <= q.queueCount)
        continue;
      family = q.queueFamilyIndex;
      index = q.queueCount;
      priorities.assign(q.pQueuePriorities, q.pQueuePriorities + q.queueCount);
      priorities.push_back(kPriority);
      q.queueCount += 1;
      q.pQueuePriorities = priorities.data();
    }
  }
};

bool has_unmappable(const VkPhysicalDeviceMemoryProperties& memory) {
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return true;
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out) {
  const auto instance = instance_of(physical);
  auto* link =
      link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
  const auto* data = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                                        VK_LOADER_DATA_CALLBACK);
  if (link == nullptr || data == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(next_instance(instance->handle, "vkCreateDevice"));

  auto device = std::make_shared<Device>();
  device->set_loader_data = data->u.pfnSetDeviceLoaderData;
  instance->GetPhysicalDeviceMemoryProperties(physical, &device->memory);
  const OwnQueue own(*instance, physical, *info);
  VkDeviceCreateInfo wider = *info;
  const bool adds = has_unmappable(device->memory) && own.family != UINT32_MAX;
  if (adds) {
    wider.queueCreateInfoCount = static_cast<std::uint32_t>(own.infos.size());
    wider.pQueueCreateInfos = own.infos.data();
  }
  if (const VkResult r = create(physical, &wider, allocator, out); r != VK_SUCCESS) return r;

  device->handle = *out;
  device->next.GetDeviceProcAddr = next_device;
#define X(name) device->next.name = reinterpret_cast<PFN_vk##name>(next_device(*out, "vk" #name));
  ORACLE_DEVICE_COMMANDS(X)
#undef X
  if (adds) {
    device->family = own.family;
    device->next.GetDeviceQueue(*out, own.family, own.index, &device->queue);
    if (device->queue != VK_NULL_HANDLE) device->set_loader_data(*out, device->queue);
  }
  const std::lock_guard lock(g_lock);
  g_devices[key_of(*out)] = std::move(device);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  const auto device = device_of(handle);
  {
    const std::lock_guard lock(g_lock);
    g_devices.erase(key_of(handle));
  }
  device->next.DestroyDevice(handle, allocator);
}

struct AllocationKind {
  bool imported = false;  // its contents are the importer's
  bool exported = false;  // its size is the importer's too
  bool dedicated = false;
};

AllocationKind kind_of(const VkMemoryAllocateInfo& info) {
  AllocationKind kind;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT ||
        s->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR)
      kind.imported = true;
    if (s->sType == VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO)
      kind.exported = reinterpret_cast<const VkExportMemoryAllocateInfo*>(s)->handleTypes != 0;
    if (s->sType == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO) {
      const auto* d = reinterpret_cast<const VkMemoryDedicatedAllocateInfo*>(s);
      kind.dedicated = d->buffer != VK_NULL_HANDLE || d->image != VK_NULL_HANDLE;
    }
  }
  return kind;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* out) {
  static std::atomic<std::uint64_t> numbers{0};
  const auto device = device_of(handle);
  const AllocationKind kind = kind_of(*info);
  VkMemoryAllocateInfo wider = *info;
  if (!mappable(*device, info->memoryTypeIndex) && !kind.imported && !kind.exported && !kind.dedicated)
    wider.allocationSize = room_to_read(*device, info->allocationSize);
  VkResult allocated = device->next.AllocateMemory(handle, &wider, allocator, out);
  if (allocated != VK_SUCCESS && wider.allocationSize != info->allocationSize) {
    wider = *info;
    allocated = device->next.AllocateMemory(handle, &wider, allocator, out);
  }
  if (allocated != VK_SUCCESS) return allocated;
  Allocation allocation;
  allocation.number = ++numbers;
  allocation.size = info->allocationSize;
  allocation.room = wider.allocationSize;
  allocation.type = info->memoryTypeIndex;
  allocation.dedicated = kind.dedicated;
  report_allocated(allocation.number, allocation.size, allocation.type);
  if (!kind.imported)
    if (const std::string why = zero(*device, *out, allocation); !why.empty()) report_unzeroed(allocation.number, why);
  const std::lock_guard lock(device->lock);
  device->allocations[*out] = allocation;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  const auto device = device_of(handle);
  Allocation allocation;
  {
    const std::lock_guard lock(device->lock);
    if (const auto found = device->allocations.find(memory); found != device->allocations.end()) {
      allocation = found->second;
      device->allocations.erase(found);
    }
  }
  if (allocation.number != 0) {
    if (allocation.mapped) device->next.UnmapMemory(handle, memory);
    std::string lost;
    const std::string why = read(*device, memory, allocation, [&](const unsigned char* bytes, std::size_t size) {
      std::vector<unsigned char> rest;
      if (!allocation.drivers_own.empty()) {
        rest.assign(bytes, bytes + size);
        for (const Allocation::Bytes& own : allocation.drivers_own)
          std::fill(rest.begin() + static_cast<std::ptrdiff_t>(std::min<VkDeviceSize>(own.from, size)),
                    rest.begin() + static_cast<std::ptrdiff_t>(std::min<VkDeviceSize>(own.to, size)),
                    static_cast<unsigned char>(0));
        bytes = rest.data();
      }
      const std::size_t kept = without_zeros(bytes, size);
      lost = keep_contents(allocation.number, bytes, kept);
      if (lost.empty()) report_freed(allocation.number, digest(bytes, kept), kept);
    });
    if (!why.empty() || !lost.empty()) report_unread(allocation.number, why.empty() ? lost : why);
  }
  device->next.FreeMemory(handle, memory, allocator);
}

void set_mapped(Device& device, VkDeviceMemory memory, bool mapped) {
  const std::lock_guard lock(device.lock);
  if (const auto found = device.allocations.find(memory); found != device.allocations.end())
    found->second.mapped = mapped;
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags flags, void** out) {
  const auto device = device_of(handle);
  const VkResult r = device->next.MapMemory(handle, memory, offset, size, flags, out);
  if (r == VK_SUCCESS) set_mapped(*device, memory, true);
  return r;
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice handle, VkDeviceMemory memory) {
  const auto device = device_of(handle);
  set_mapped(*device, memory, false);
  device->next.UnmapMemory(handle, memory);
}

void set_bound(Device& device, VkDeviceMemory memory) {
  const std::lock_guard lock(device.lock);
  const auto found = device.allocations.find(memory);
  if (found == device.allocations.end() || found->second.bound) return;
  found->second.bound = true;
  report_bound(found->second.number);
}

// Whether a driver may keep there what it makes of commands (VK_EXT_device_generated_commands).
// The usual headers are older than that.
bool is_for_preprocessing(const VkBufferCreateInfo& info) {
  struct UsageFlags2 {
    VkStructureType sType;
    const void* pNext;
    VkFlags64 usage;
  };
  constexpr auto kUsageFlags2 = static_cast<VkStructureType>(1000470006);
  constexpr VkFlags64 kPreprocessBuffer = 0x80000000;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext)
    if (s->sType == kUsageFlags2) return (reinterpret_cast<const UsageFlags2*>(s)->usage & kPreprocessBuffer) != 0;
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice handle, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* out) {
  const auto device = device_of(handle);
  const VkResult r = device->next.CreateBuffer(handle, info, allocator, out);
  if (r != VK_SUCCESS || !is_for_preprocessing(*info)) return r;
  const std::lock_guard lock(device->lock);
  device->preprocess_buffers[*out] = info->size;
  return r;
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice handle, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
  const auto device = device_of(handle);
  {
    const std::lock_guard lock(device->lock);
    device->preprocess_buffers.erase(buffer);
  }
  device->next.DestroyBuffer(handle, buffer, allocator);
}

void set_bound(Device& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  set_bound(device, memory);
  const std::lock_guard lock(device.lock);
  const auto known = device.preprocess_buffers.find(buffer);
  const auto found = device.allocations.find(memory);
  if (known != device.preprocess_buffers.end() && found != device.allocations.end())
    found->second.drivers_own.push_back({offset, offset + known->second});
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize offset) {
  const auto device = device_of(handle);
  set_bound(*device, buffer, memory, offset);
  return device->next.BindBufferMemory(handle, buffer, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                               VkDeviceSize offset) {
  const auto device = device_of(handle);
  set_bound(*device, memory);
  return device->next.BindImageMemory(handle, image, memory, offset);
}

template <auto Command, typename Info>
VKAPI_ATTR VkResult VKAPI_CALL BindMany(VkDevice handle, std::uint32_t count, const Info* infos) {
  const auto device = device_of(handle);
  for (std::uint32_t i = 0; i < count; ++i)
    if constexpr (requires { infos[i].buffer; })
      set_bound(*device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    else
      set_bound(*device, infos[i].memory);
  return (device->next.*Command)(handle, count, infos);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice handle, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance handle, const char* name);

struct Entry {
  const char* name;
  PFN_vkVoidFunction function;
};

#define ENTRY(name) \
  Entry { "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) }
const Entry kDeviceEntries[] = {
    ENTRY(GetDeviceProcAddr),
    ENTRY(DestroyDevice),
    ENTRY(AllocateMemory),
    ENTRY(FreeMemory),
    ENTRY(MapMemory),
    ENTRY(UnmapMemory),
    ENTRY(CreateBuffer),
    ENTRY(DestroyBuffer),
    ENTRY(BindBufferMemory),
    ENTRY(BindImageMemory),
    {"vkBindBufferMemory2",
     reinterpret_cast<PFN_vkVoidFunction>(BindMany<&Commands::BindBufferMemory2, VkBindBufferMemoryInfo>)},
    {"vkBindBufferMemory2KHR",
     reinterpret_cast<PFN_vkVoidFunction>(BindMany<&Commands::BindBufferMemory2KHR, VkBindBufferMemoryInfo>)},
    {"vkBindImageMemory2",
     reinterpret_cast<PFN_vkVoidFunction>(BindMany<&Commands::BindImageMemory2, VkBindImageMemoryInfo>)},
    {"vkBindImageMemory2KHR",
     reinterpret_cast<PFN_vkVoidFunction>(BindMany<&Commands::BindImageMemory2KHR, VkBindImageMemoryInfo>)},
};
const Entry kInstanceEntries[] = {
    ENTRY(GetInstanceProcAddr),
    ENTRY(CreateInstance),
    ENTRY(DestroyInstance),
    ENTRY(CreateDevice),
};
#undef ENTRY

template <std::size_t N>
PFN_vkVoidFunction find(const Entry (&entries)[N], const char* name) {
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  return nullptr;
}

PFN_vkVoidFunction GetDeviceProcAddr(VkDevice handle, const char* name) {
  const PFN_vkVoidFunction next = device_of(handle)->next.GetDeviceProcAddr(handle, name);
  const PFN_vkVoidFunction own = find(kDeviceEntries, name);
  return own != nullptr && next != nullptr ? own : next;
}

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance handle, const char* name) {
  if (const PFN_vkVoidFunction own = find(kInstanceEntries, name); own != nullptr) return own;
  if (handle == VK_NULL_HANDLE) return nullptr;
  const PFN_vkVoidFunction next = instance_of(handle)->GetInstanceProcAddr(handle, name);
  const PFN_vkVoidFunction own = find(kDeviceEntries, name);
  return own != nullptr && next != nullptr ? own : next;
}

}  // namespace

}  // namespace oracle

extern "C" [[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  if (version->loaderLayerInterfaceVersion > 2) version->loaderLayerInterfaceVersion = 2;
  version->pfnGetInstanceProcAddr = oracle::GetInstanceProcAddr;
  version->pfnGetDeviceProcAddr = oracle::GetDeviceProcAddr;
  version->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
