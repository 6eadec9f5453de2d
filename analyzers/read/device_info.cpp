// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/device_info.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_set>

#include "analyzers/text/names.h"
#include "analyzers/text/text.h"
#include "format/printable.h"
#include "format/versions.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostUsed = 4;  // each row of an analysis repeats them, and a capture may come from anybody

DeviceRow& row_of(CaptureInfo& info, const std::string& object) {
  for (DeviceRow& row : info.devices)
    if (row.object == object) return row;
  info.devices.push_back({});
  info.devices.back().object = object;
  return info.devices.back();
}

// The object that the record's first parameter names.
std::string dispatch_name(Walk& walk) {
  const auto& ids = walk.resolution().ids;
  return walk.objects().name(ids.empty() ? ObjectId::null : ids[0]);
}

void take_properties(DeviceRow& row, const VkPhysicalDeviceProperties& p) {
  row.name = fixed_text(p.deviceName);
  row.type = enumerant_text(EnumId::VkPhysicalDeviceType, p.deviceType);
  row.api_version = version_text(p.apiVersion);
  row.vendor_id = p.vendorID;
  row.device_id = p.deviceID;
  if (row.driver.empty()) row.driver = text("number 0x{:x}", p.driverVersion);
}

void take_driver(DeviceRow& row, const codec::Lowered& decoded) {
  static const StructId driver = codec::structure_by_name("VkPhysicalDeviceDriverProperties");
  for (const codec::StructRef& chained : decoded.chained) {
    if (chained.id != driver) continue;
    const auto& p = *reinterpret_cast<const VkPhysicalDeviceDriverProperties*>(decoded.bytes.data() + chained.offset);
    row.driver = driver_text(p);
  }
}

void take_memory(DeviceRow& row, const VkPhysicalDeviceMemoryProperties& p) {
  row.memory_types.clear();
  for (std::uint32_t i = 0; i < std::min(p.memoryTypeCount, std::uint32_t{VK_MAX_MEMORY_TYPES}); ++i) {
    const VkMemoryType& type = p.memoryTypes[i];
    const std::uint64_t heap = type.heapIndex < VK_MAX_MEMORY_HEAPS ? p.memoryHeaps[type.heapIndex].size : 0;
    row.memory_types.push_back(text("heap {} ({}), {}", type.heapIndex, size_text(heap),
                                    flags_text(EnumId::VkMemoryPropertyFlagBits, type.propertyFlags)));
  }
}

void take_family(DeviceRow& row, const VkQueueFamilyProperties& p) {
  row.queue_families.push_back(
      text("{}, {}", plural(p.queueCount, "queue"), flags_text(EnumId::VkQueueFlagBits, p.queueFlags)));
}

void take_enabled(std::vector<std::string>& out, StructId id, const std::byte* structure) {
  for (const codec::Field& field : codec::info(id).fields) {
    if (field.element == codec::Element::structure && field.shape == codec::Shape::value)
      take_enabled(out, static_cast<StructId>(field.type), structure + field.offset);
    VkBool32 on = VK_FALSE;
    if (field.element != codec::Element::bool32 || field.shape != codec::Shape::value) continue;
    std::memcpy(&on, structure + field.offset, sizeof on);
    if (on != VK_FALSE) out.emplace_back(field.name);
  }
}

void take_created_device(Walk& walk, CaptureInfo& info) {
  const auto& args = walk.args<args_vkCreateDevice>();
  if (args.pCreateInfo == nullptr) return;
  LogicalDeviceRow row;
  const auto& resolution = walk.resolution();
  if (!resolution.created.empty()) row.object = walk.objects().name(resolution.created[0]);
  row.physical = dispatch_name(walk);
  const VkDeviceCreateInfo& create = *args.pCreateInfo;
  if (create.ppEnabledExtensionNames != nullptr)
    for (std::uint32_t i = 0; i < create.enabledExtensionCount; ++i)
      if (create.ppEnabledExtensionNames[i] != nullptr) row.extensions.emplace_back(create.ppEnabledExtensionNames[i]);
  if (create.pEnabledFeatures != nullptr)
    take_enabled(row.features, codec::structure_by_name("VkPhysicalDeviceFeatures"),
                 reinterpret_cast<const std::byte*>(create.pEnabledFeatures));
  const codec::Lowered& decoded = walk.decoded();
  for (const codec::StructRef& chained : decoded.chained)
    if (codec::info(chained.id).features || chained.id == codec::structure_by_name("VkPhysicalDeviceFeatures2"))
      take_enabled(row.features, chained.id, decoded.bytes.data() + chained.offset);
  info.logical_devices.push_back(std::move(row));
}

void take_created_instance(Walk& walk, CaptureInfo& info) {
  const auto& args = walk.args<args_vkCreateInstance>();
  if (args.pCreateInfo == nullptr || args.pCreateInfo->ppEnabledExtensionNames == nullptr) return;
  for (std::uint32_t i = 0; i < args.pCreateInfo->enabledExtensionCount; ++i)
    if (const char* name = args.pCreateInfo->ppEnabledExtensionNames[i]; name != nullptr)
      info.instance_extensions.emplace_back(name);
}

}  // namespace

void take_device_facts(Walk& walk, const Step& step, CaptureInfo& info) {
  switch (step.command->canonical) {
    case CommandId::vkCreateInstance:
      if (step.succeeded()) take_created_instance(walk, info);
      break;
    case CommandId::vkCreateDevice:
      if (step.succeeded()) take_created_device(walk, info);
      break;
    case CommandId::vkGetPhysicalDeviceProperties:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceProperties>().pProperties)
        take_properties(row_of(info, dispatch_name(walk)), *p);
      break;
    case CommandId::vkGetPhysicalDeviceProperties2:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceProperties2>().pProperties) {
        DeviceRow& row = row_of(info, dispatch_name(walk));
        take_properties(row, p->properties);
        take_driver(row, walk.decoded());
      }
      break;
    case CommandId::vkGetPhysicalDeviceMemoryProperties:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceMemoryProperties>().pMemoryProperties)
        take_memory(row_of(info, dispatch_name(walk)), *p);
      break;
    case CommandId::vkGetPhysicalDeviceMemoryProperties2:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceMemoryProperties2>().pMemoryProperties)
        take_memory(row_of(info, dispatch_name(walk)), p->memoryProperties);
      break;
    case CommandId::vkGetPhysicalDeviceQueueFamilyProperties: {
      const auto& args = walk.args<args_vkGetPhysicalDeviceQueueFamilyProperties>();
      if (args.pQueueFamilyProperties == nullptr || args.pQueueFamilyPropertyCount == nullptr) break;
      DeviceRow& row = row_of(info, dispatch_name(walk));
      row.queue_families.clear();
      for (std::uint32_t i = 0; i < *args.pQueueFamilyPropertyCount; ++i)
        take_family(row, args.pQueueFamilyProperties[i]);
      break;
    }
    case CommandId::vkGetPhysicalDeviceQueueFamilyProperties2: {
      const auto& args = walk.args<args_vkGetPhysicalDeviceQueueFamilyProperties2>();
      if (args.pQueueFamilyProperties == nullptr || args.pQueueFamilyPropertyCount == nullptr) break;
      DeviceRow& row = row_of(info, dispatch_name(walk));
      row.queue_families.clear();
      for (std::uint32_t i = 0; i < *args.pQueueFamilyPropertyCount; ++i)
        take_family(row, args.pQueueFamilyProperties[i].queueFamilyProperties);
      break;
    }
    default:
      break;
  }
}

CapturedDevices captured_devices(const std::string& path) {
  CaptureInfo info;
  auto walk = Walk::open(path);
  if (!walk) return {};
  Step step;
  for (;;) {
    const auto more = walk->next(step);
    if (!more || !*more) break;  // whoever reads the capture for its work says what is wrong
    if (step.command != nullptr) take_device_facts(*walk, step, info);
  }
  CapturedDevices found;
  found.asked = std::move(info.devices);
  std::unordered_set<std::string_view> used;
  for (const LogicalDeviceRow& logical : info.logical_devices) used.insert(logical.physical);
  for (const DeviceRow& device : found.asked) {
    if (found.used.size() == kMostUsed) break;
    if (device.name.empty() || used.count(device.object) == 0) continue;
    std::string name = device.driver.empty() ? device.name : text("{} ({})", device.name, device.driver);
    if (std::find(found.used.begin(), found.used.end(), name) == found.used.end())
      found.used.push_back(std::move(name));
  }
  return found;
}

}  // namespace rondo::analyzers
