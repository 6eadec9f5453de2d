// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/physical_device.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "format/codec/shapes.h"
#include "tests/icd/install.h"
#include "tests/icd/lists.h"
#include "tests/icd/memory.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

using namespace rondo::codec;
using rondo::StructId;

// Rondo records these, but they are a window system's, the loader's or a layer's, or what the driver does not
// model.
constexpr std::string_view kNotADrivers[] = {
    "VK_KHR_xcb_surface",
    "VK_KHR_xlib_surface",
    "VK_KHR_wayland_surface",
    "VK_KHR_portability_enumeration",
    "VK_EXT_validation_features",
    "VK_EXT_validation_flags",
    "VK_KHR_acceleration_structure",
    "VK_KHR_deferred_host_operations",
    "VK_KHR_ray_query",
    "VK_KHR_ray_tracing_pipeline",
    "VK_KHR_ray_tracing_maintenance1",
    "VK_KHR_ray_tracing_position_fetch",
    "VK_EXT_pipeline_library_group_handles",
    "VK_EXT_descriptor_buffer",
    "VK_EXT_shader_object",
    "VK_KHR_maintenance5",
    "VK_EXT_device_generated_commands",
    "VK_EXT_host_image_copy",
    "VK_KHR_maintenance6",
    "VK_EXT_nested_command_buffer",
    "VK_KHR_dynamic_rendering_local_read",
    "VK_EXT_surface_maintenance1",
    "VK_EXT_swapchain_maintenance1",
    "VK_KHR_surface_maintenance1",
    "VK_KHR_swapchain_maintenance1",
};
// The driver's own part of Rondo's mechanisms, and vendors' names of what is not their own.
struct More {
  std::string_view name;
  bool device;
};
constexpr More kMore[] = {{"VK_EXT_external_memory_host", true},
                          {"VK_KHR_buffer_device_address", true},
                          {"VK_AMD_draw_indirect_count", true},
                          {"VK_ARM_rasterization_order_attachment_access", true},
                          // Bits of features, and limits alone.
                          {"VK_AMD_gcn_shader", true},
                          {"VK_AMD_shader_core_properties", true},
                          {"VK_AMD_shader_core_properties2", true},
                          {"VK_AMD_shader_early_and_late_fragment_tests", true},
                          {"VK_ARM_shader_core_builtins", true},
                          {"VK_ARM_shader_core_properties", true},
                          {"VK_IMG_relaxed_line_rasterization", true},
                          {"VK_NV_raw_access_chains", true},
                          {"VK_NV_shader_atomic_float16_vector", true},
                          // What dynamic states of VK_EXT_extended_dynamic_state3 go with.
                          {"VK_NV_viewport_swizzle", true},
                          {"VK_NV_clip_space_w_scaling", true},
                          {"VK_NV_fragment_coverage_to_color", true},
                          {"VK_NV_framebuffer_mixed_samples", true},
                          {"VK_NV_coverage_reduction_mode", true},
                          {"VK_NV_shading_rate_image", true},
                          {"VK_NV_representative_fragment_test", true}};

// What no part of the driver can do.
constexpr std::string_view kLacking[] = {"protectedMemory", "protectedNoFault", "pipelineProtectedAccess"};

bool lacking(std::string_view member) {
  if (member.substr(0, 6) == "sparse") return true;
  for (const std::string_view name : kLacking)
    if (name == member) return true;
  const auto& more = settings().lacks;
  return std::find(more.begin(), more.end(), member) != more.end();
}

void spec_version(VkExtensionProperties& p, const char* name) {
  std::strncpy(p.extensionName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
  p.specVersion = 1;
}

std::vector<VkExtensionProperties> make_extensions(bool device) {
  std::vector<VkExtensionProperties> list;
  const auto add = [&list](const char* name) {
    VkExtensionProperties p{};
    spec_version(p, name);
    list.push_back(p);
  };
  for (const ExtensionInfo& e : extensions()) {
    const std::string_view name = e.name;
    bool wanted = e.device == device && e.supported;
    for (const std::string_view other : kNotADrivers) wanted = wanted && name != other;
    // Vendors' own, with properties that nothing here could mean.
    for (const std::string_view vendor : {"VK_NV_", "VK_AMD_", "VK_INTEL_", "VK_IMG_", "VK_ARM_"})
      wanted = wanted && name.substr(0, vendor.size()) != vendor;
    for (const More& more : kMore) wanted = wanted || (more.device == device && name == more.name);
    if (wanted) add(e.name);
  }
  return list;
}

VkResult unsupported_sparse(Call&, args_vkGetPhysicalDeviceSparseImageFormatProperties& a) {
  *a.pPropertyCount = 0;
  return VK_SUCCESS;
}

void get_features(Call&, args_vkGetPhysicalDeviceFeatures& a) { *a.pFeatures = features(); }

void get_features2(Call&, args_vkGetPhysicalDeviceFeatures2& a) {
  a.pFeatures->features = features();
  for (auto* s = static_cast<VkBaseOutStructure*>(a.pFeatures->pNext); s != nullptr; s = s->pNext) fill_features(s);
}

void get_properties(Call&, args_vkGetPhysicalDeviceProperties& a) {
  *a.pProperties = properties(*get<PhysicalDevice>(a.physicalDevice));
}

void get_properties2(Call&, args_vkGetPhysicalDeviceProperties2& a) {
  const auto device = get<PhysicalDevice>(a.physicalDevice);
  a.pProperties->properties = properties(*device);
  for (auto* s = static_cast<VkBaseOutStructure*>(a.pProperties->pNext); s != nullptr; s = s->pNext)
    fill_properties(*device, s);
}

void get_memory(Call&, args_vkGetPhysicalDeviceMemoryProperties& a) { *a.pMemoryProperties = memory_properties(); }

void get_memory2(Call&, args_vkGetPhysicalDeviceMemoryProperties2& a) {
  a.pMemoryProperties->memoryProperties = memory_properties();
  for (auto* s = static_cast<VkBaseOutStructure*>(a.pMemoryProperties->pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) {
      auto& budget = *reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(s);
      const auto memory = memory_properties();
      for (std::uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; ++i) {
        budget.heapBudget[i] = i < memory.memoryHeapCount ? memory.memoryHeaps[i].size : 0;
        budget.heapUsage[i] = 0;
      }
    }
}

void get_families(Call&, args_vkGetPhysicalDeviceQueueFamilyProperties& a) {
  fill_list(queue_families(), a.pQueueFamilyPropertyCount, a.pQueueFamilyProperties);
}

void get_families2(Call&, args_vkGetPhysicalDeviceQueueFamilyProperties2& a) {
  fill_chained(queue_families(), a.pQueueFamilyPropertyCount, a.pQueueFamilyProperties,
               [](const VkQueueFamilyProperties& family, VkQueueFamilyProperties2& out) {
                 out.queueFamilyProperties = family;
                 for (auto* s = static_cast<VkBaseOutStructure*>(out.pNext); s != nullptr; s = s->pNext)
                   if (s->sType == VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR) {
                     auto& p = *reinterpret_cast<VkQueueFamilyGlobalPriorityPropertiesKHR*>(s);
                     p.priorityCount = 1;
                     p.priorities[0] = VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
                   }
               });
}

VkResult tools(Call&, args_vkGetPhysicalDeviceToolProperties& a) {
  *a.pToolCount = 0;
  return VK_SUCCESS;
}

void external_buffers(Call&, args_vkGetPhysicalDeviceExternalBufferProperties& a) {
  VkExternalMemoryProperties& p = a.pExternalBufferProperties->externalMemoryProperties;
  p = {};
  if (a.pExternalBufferInfo->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT) {
    p.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    p.compatibleHandleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  }
}
void external_fences(Call&, args_vkGetPhysicalDeviceExternalFenceProperties& a) {
  constexpr auto kSync = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  const bool has = a.pExternalFenceInfo->handleType == kSync && !lacking("VK_KHR_external_fence_fd");
  auto& p = *a.pExternalFenceProperties;
  p.exportFromImportedHandleTypes = p.compatibleHandleTypes = has ? kSync : 0;
  p.externalFenceFeatures =
      has ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}
void external_semaphores(Call&, args_vkGetPhysicalDeviceExternalSemaphoreProperties& a) {
  constexpr auto kSync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  const bool has = a.pExternalSemaphoreInfo->handleType == kSync && !lacking("VK_KHR_external_semaphore_fd");
  auto& p = *a.pExternalSemaphoreProperties;
  p.exportFromImportedHandleTypes = p.compatibleHandleTypes = has ? kSync : 0;
  p.externalSemaphoreFeatures =
      has ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

VkResult time_domains(Call&, args_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT& a) {
  return fill_list(std::vector<VkTimeDomainEXT>{VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
                   a.pTimeDomainCount, a.pTimeDomains);
}

VkResult shading_rates(Call&, args_vkGetPhysicalDeviceFragmentShadingRatesKHR& a) {
  const std::vector<int> one(1);
  return fill_chained(one, a.pFragmentShadingRateCount, a.pFragmentShadingRates,
                      [](int, VkPhysicalDeviceFragmentShadingRateKHR& out) {
                        out.sampleCounts = ~0u;
                        out.fragmentSize = {1, 1};
                      });
}

void multisample(Call&, args_vkGetPhysicalDeviceMultisamplePropertiesEXT& a) {
  a.pMultisampleProperties->maxSampleLocationGridSize = {1, 1};
}

const char* first_missing(const StructInfo& type, const std::byte* wanted, const std::byte* have) {
  for (const Field& f : type.fields)
    if (f.element == Element::bool32 && f.shape == Shape::value &&
        rondo::codec::load<VkBool32>(wanted + f.offset) != VK_FALSE &&
        rondo::codec::load<VkBool32>(have + f.offset) == VK_FALSE)
      return f.name;
  return nullptr;
}

void set_features(const StructInfo& type, std::byte* base) {
  for (const Field& f : type.fields)
    if (f.element == Element::bool32 && f.shape == Shape::value) {
      const VkBool32 value = lacking(f.name) ? VK_FALSE : VK_TRUE;
      std::memcpy(base + f.offset, &value, sizeof value);
    }
}

}  // namespace

std::vector<VkExtensionProperties> extension_list(bool device) {
  using List = std::vector<VkExtensionProperties>;
  static const List& of_instance = *new List(make_extensions(false));
  static const List& of_device = *new List(make_extensions(true));
  std::vector<VkExtensionProperties> list = device ? of_device : of_instance;
  std::erase_if(list, [](const VkExtensionProperties& p) { return lacking(p.extensionName); });
  if (!device) return list;
  if (settings().counters) spec_version(list.emplace_back(), VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
  for (const std::string& name : settings().offers) spec_version(list.emplace_back(), name.c_str());
  return list;
}

bool has_extension(const char* name, bool device) {
  for (const VkExtensionProperties& p : extension_list(device))
    if (std::strcmp(p.extensionName, name) == 0) return true;
  return false;
}
bool has_extension(const char* name) { return has_extension(name, false) || has_extension(name, true); }

std::vector<VkQueueFamilyProperties> queue_families() {
  constexpr VkQueueFlags graphics = VK_QUEUE_GRAPHICS_BIT, compute = VK_QUEUE_COMPUTE_BIT,
                         transfer = VK_QUEUE_TRANSFER_BIT;
  const std::uint32_t bits = settings().timestamps ? 64 : 0;
  constexpr VkExtent3D any{1, 1, 1};
  return {{graphics | compute | transfer, 2, bits, any}, {compute | transfer, 2, bits, any}, {transfer, 1, bits, any}};
}

VkPhysicalDeviceFeatures features() {
  VkPhysicalDeviceFeatures all{};
  set_features(info(StructId::VkPhysicalDeviceFeatures), reinterpret_cast<std::byte*>(&all));
  return all;
}

void fill_features(VkBaseOutStructure* structure) {
  const StructId id = structure_by_stype(static_cast<std::uint32_t>(structure->sType));
  const StructInfo& type = info(id);
  if (id == StructId::none || !type.features) return;
  set_features(type, reinterpret_cast<std::byte*>(structure));
}

const char* missing_feature(const VkBaseInStructure* structure) {
  const StructId id = structure_by_stype(static_cast<std::uint32_t>(structure->sType));
  const StructInfo& type = info(id);
  if (id == StructId::none || !type.features) return nullptr;
  std::vector<std::byte> have(type.size);
  set_features(type, have.data());
  return first_missing(type, reinterpret_cast<const std::byte*>(structure), have.data());
}

const char* missing_feature(const VkPhysicalDeviceFeatures& wanted) {
  const VkPhysicalDeviceFeatures have = features();
  return first_missing(info(StructId::VkPhysicalDeviceFeatures), reinterpret_cast<const std::byte*>(&wanted),
                       reinterpret_cast<const std::byte*>(&have));
}

void install_physical_device(Table& table) {
  table.behave<get_features>(CommandId::vkGetPhysicalDeviceFeatures);
  table.behave<get_features2>(CommandId::vkGetPhysicalDeviceFeatures2);
  table.behave<get_properties>(CommandId::vkGetPhysicalDeviceProperties);
  table.behave<get_properties2>(CommandId::vkGetPhysicalDeviceProperties2);
  table.behave<get_memory>(CommandId::vkGetPhysicalDeviceMemoryProperties);
  table.behave<get_memory2>(CommandId::vkGetPhysicalDeviceMemoryProperties2);
  table.behave<get_families>(CommandId::vkGetPhysicalDeviceQueueFamilyProperties);
  table.behave<get_families2>(CommandId::vkGetPhysicalDeviceQueueFamilyProperties2);
  table.behave<unsupported_sparse>(CommandId::vkGetPhysicalDeviceSparseImageFormatProperties);
  table.behave<tools>(CommandId::vkGetPhysicalDeviceToolProperties);
  table.behave<external_buffers>(CommandId::vkGetPhysicalDeviceExternalBufferProperties);
  table.behave<external_fences>(CommandId::vkGetPhysicalDeviceExternalFenceProperties);
  table.behave<external_semaphores>(CommandId::vkGetPhysicalDeviceExternalSemaphoreProperties);
  table.behave<time_domains>(CommandId::vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
  table.behave<shading_rates>(CommandId::vkGetPhysicalDeviceFragmentShadingRatesKHR);
  table.behave<multisample>(CommandId::vkGetPhysicalDeviceMultisamplePropertiesEXT);
}

}  // namespace fake
