// SPDX-License-Identifier: Apache-2.0
// Instances, devices and queues: made with what the target needs.
#include <algorithm>
#include <cstring>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "format/printable.h"
#include "generated/args.h"
#include "player/devices/hints.h"
#include "player/measure/command_times.h"
#include "player/measure/device_clocks.h"
#include "player/plan/enabled.h"
#include "player/run/addresses.h"
#include "player/show/presenter.h"
#include "player/show/window_system.h"

namespace rondo::player {

namespace {

// Of our own submits: they go where the plan says that nothing blocks, but only
// the driver knows about events.
constexpr std::uint64_t kOwnWorkNs = 300'000'000'000;

// A driver that makes no instance or device may have too little memory, or not bear the sandbox.
tl::unexpected<Error> not_made(Error error) {
  error.message += driver_hint();
  return tl::unexpected<Error>(std::move(error));
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<Observer*>(user)->validation_message(data->pMessage != nullptr ? data->pMessage : "(no text)");
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(Observer& observer) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Not "general": the loader reports broken drivers of the machine there. Not
  // "performance": advice to the program is no error of the replay.
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &observer;
  return info;
}

// The physical devices that the program saw get the handles of their targets.
Result<void> assign_physical_devices(Run& run, const Op& op, InstanceState& instance) {
  std::uint32_t count = 0;
  std::vector<VkPhysicalDevice> handles;
  VkResult r = instance.dispatch.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr);
  if (r >= 0) {
    handles.resize(count);
    r = instance.dispatch.vkEnumeratePhysicalDevices(instance.handle, &count, handles.data());
    handles.resize(count);
  }
  if (r < 0 || handles.empty()) return tl::unexpected<Error>(run.failure(op, r, "vkEnumeratePhysicalDevices"));
  const Plan& plan = run.plan();
  for (std::uint32_t d = 0; d < plan.devices.size(); ++d) {
    const CapturedDevice& captured = plan.devices[d];
    if (captured.instance != op.subject) continue;
    // The n-th of several that look alike, as in the list that was chosen from.
    const auto same = [](const VkPhysicalDeviceProperties& a, const VkPhysicalDeviceProperties& b) {
      return a.vendorID == b.vendorID && a.deviceID == b.deviceID &&
             fixed_text(a.deviceName) == fixed_text(b.deviceName) &&
             std::memcmp(a.pipelineCacheUUID, b.pipelineCacheUUID, VK_UUID_SIZE) == 0;
    };
    const std::vector<LiveDevice>& list = *run.targets().list;
    const std::size_t chosen = run.targets().of[d];
    std::size_t skip = 0;
    for (std::size_t i = 0; i < chosen; ++i) skip += same(list[i].properties, list[chosen].properties);
    VkPhysicalDevice match = VK_NULL_HANDLE;
    for (VkPhysicalDevice handle : handles) {
      VkPhysicalDeviceProperties properties;
      instance.dispatch.vkGetPhysicalDeviceProperties(handle, &properties);
      if (same(properties, list[chosen].properties) && skip-- == 0) {
        match = handle;
        break;
      }
    }
    if (match == VK_NULL_HANDLE)
      return tl::unexpected<Error>(
          run.refuse(op, Status::device,
                     std::string(fixed_text(list[chosen].properties.deviceName)) + " is not seen by this instance"));
    // Only what this instance has told of may be named at vkCreateDevice
    // (VUID-VkDeviceQueueCreateInfo-queueFamilyIndex-00381).
    std::uint32_t families = 0;
    instance.dispatch.vkGetPhysicalDeviceQueueFamilyProperties(match, &families, nullptr);
    run.slot(plan.physical_devices[captured.physical].id) = reinterpret_cast<std::uint64_t>(match);
    instance.targets[d] = match;
  }
  return {};
}

Result<void> create_instance(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateInstance>(args);
  VkInstanceCreateInfo info = *a.pCreateInfo;
  strip_chain(&info.pNext);
  std::vector<const char*> extensions, layers;
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    const char* name = info.ppEnabledExtensionNames[i];
    if (is_window_system_extension(name)) continue;
    if (!run.loader().has_extension(name)) {
      if (std::strcmp(name, "VK_KHR_portability_enumeration") == 0)
        info.flags &= ~static_cast<VkInstanceCreateFlags>(VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR);
      if (is_optional_extension(name)) continue;
      return tl::unexpected<Error>(
          run.refuse(op, Status::device, std::string("the instance extension ") + name + " is not here"));
    }
    extensions.push_back(name);
  }
  if (const Presenter* presenter = run.presenter(); presenter != nullptr)
    extensions.insert(extensions.end(), {VK_KHR_SURFACE_EXTENSION_NAME, presenter->surface_extension()});
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_0;  // what none means
  if (info.pApplicationInfo != nullptr) application = *info.pApplicationInfo;
  // The extension VK_KHR_performance_query needs an instance of Vulkan 1.1.
  if (run.options().counters) application.apiVersion = std::max(application.apiVersion, VK_API_VERSION_1_1);
  // A 1.0 loader refuses what it does not know; later ones accept any version.
  if (run.loader().version < VK_API_VERSION_1_1) application.apiVersion = VK_API_VERSION_1_0;
  info.pApplicationInfo = &application;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(run.observer());
  const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, nullptr, 1, &synchronization, 0, nullptr};
  if (run.options().validate) {
    layers.push_back("VK_LAYER_KHRONOS_validation");
    const auto is_utils = [](const char* name) { return std::strcmp(name, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0; };
    if (std::none_of(extensions.begin(), extensions.end(), is_utils))
      extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    messenger.pNext = info.pNext;
    info.pNext = &messenger;  // creation and destruction of the instance itself
    if (run.options().validate_sync) {
      features.pNext = info.pNext;
      info.pNext = &features;
    }
  }
  info.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();

  Dispatch global;
  load_global(global, run.loader().get_instance_proc_addr);
  InstanceState& instance = run.instance(op.subject);
  if (VkResult r = global.vkCreateInstance(&info, nullptr, &instance.handle); r < 0) {
    instance.handle = VK_NULL_HANDLE;
    if (r == VK_ERROR_INCOMPATIBLE_DRIVER)
      return not_made(run.refuse(op, Status::device,
                                 "no driver here makes an instance of Vulkan " +
                                     std::to_string(VK_API_VERSION_MAJOR(application.apiVersion)) + "." +
                                     std::to_string(VK_API_VERSION_MINOR(application.apiVersion))));
    return not_made(run.failure(op, r));
  }
  load_instance(instance.dispatch, run.loader().get_instance_proc_addr, instance.handle);
  if (run.options().validate && instance.dispatch.vkCreateDebugUtilsMessengerEXT != nullptr) {
    messenger.pNext = nullptr;
    if (VkResult r =
            instance.dispatch.vkCreateDebugUtilsMessengerEXT(instance.handle, &messenger, nullptr, &instance.messenger);
        r < 0)
      return tl::unexpected<Error>(run.failure(op, r, "vkCreateDebugUtilsMessengerEXT"));
  }
  *a.pInstance = instance.handle;
  return assign_physical_devices(run, op, instance);
}

Result<void> destroy_instance(Run& run, const Op& op, std::byte*) {
  return op.dispatch != ObjectId::null ? run.release_instance(op.dispatch, true) : Result<void>();
}

// Whose executors call no function of this name, or can do without it.
bool is_players_own(CommandId id) {
  switch (id) {
    case CommandId::vkCreateSwapchainKHR:
    case CommandId::vkDestroySwapchainKHR:
    case CommandId::vkAcquireNextImageKHR:
    case CommandId::vkAcquireNextImage2KHR:
    case CommandId::vkQueuePresentKHR:
    case CommandId::vkWaitForPresentKHR:
    case CommandId::vkImportSemaphoreFdKHR:
    case CommandId::vkGetSemaphoreFdKHR:
    case CommandId::vkImportFenceFdKHR:
    case CommandId::vkGetFenceFdKHR:
      return true;
    default:
      return is_debug_command(id);
  }
}

// Commands that the plan calls and this device lacks, under any of their names.
std::string resolve_aliases(Dispatch& dispatch, const CapturedDevice& captured) {
  for (const codec::CommandInfo& command : codec::commands()) {
    if (command.id == command.canonical) continue;
    if (dispatch.at(command.canonical) == nullptr) dispatch.set(command.canonical, dispatch.at(command.id));
  }
  for (const codec::CommandInfo& command : codec::commands())
    if (command.id != CommandId::none && dispatch.at(command.id) == nullptr)
      dispatch.set(command.id, dispatch.at(command.canonical));
  std::string missing;
  for (const CommandId id : captured.commands) {
    const std::string_view name = codec::info(id).name;
    const bool ours = codec::is_event(name) || is_players_own(id);
    if (dispatch.at(id) == nullptr && !ours) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  return missing;
}

bool has_swapchains(const Plan& plan, std::uint32_t device) {
  return std::any_of(plan.swapchains.begin(), plan.swapchains.end(),
                     [&](const CapturedSwapchain& swapchain) { return swapchain.device == device; });
}

// The features that the program enables, in this run's scratch. Null: it names none.
VkPhysicalDeviceFeatures* enabled_features(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures != nullptr) return const_cast<VkPhysicalDeviceFeatures*>(info.pEnabledFeatures);
  const auto* all = find_chained<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  return all != nullptr ? &const_cast<VkPhysicalDeviceFeatures2*>(all)->features : nullptr;
}

// What the program enabled for sparse resources, but made none, and this device lacks.
void leave_out_sparse(const InstanceState& instance, VkPhysicalDevice physical, const VkDeviceCreateInfo& info) {
  VkPhysicalDeviceFeatures has{};
  instance.dispatch.vkGetPhysicalDeviceFeatures(physical, &has);
  VkPhysicalDeviceFeatures* features = enabled_features(info);
  if (features == nullptr) return;
  for (const auto feature : kSparseFeatures)
    if (has.*feature == VK_FALSE) features->*feature = VK_FALSE;
}

// Command buffers that count begin while the lock is held (VUID-vkCmdBeginQuery-queryPool-03223): from here on, until
// the device is destroyed.
Result<void> lock_profiling(Run& run, const Op& op, DeviceState& device) {
  constexpr std::uint64_t kPatienceNs = 10'000'000'000;
  VkAcquireProfilingLockInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR;
  info.timeout = kPatienceNs;
  const VkResult r = device.dispatch.vkAcquireProfilingLockKHR(device.handle, &info);
  if (r == VK_TIMEOUT) {
    bool is_ours = false;
    for (std::uint32_t d = 0; d < run.plan().devices.size(); ++d)
      is_ours = is_ours || (run.device_at(d) != nullptr && run.device_at(d)->holds_profiling_lock);
    return tl::unexpected<Error>(run.refuse(
        op, Status::device,
        is_ours ? "another device of the capture holds the profiling lock of this GPU, and one holds it at a time: "
                  "leave out --counters"
                : "another program holds the profiling lock of the device: end it, or leave out --counters"));
  }
  if (r < 0) return tl::unexpected<Error>(run.failure(op, r, "vkAcquireProfilingLockKHR"));
  device.holds_profiling_lock = true;
  return {};
}

Result<void> create_device(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateDevice>(args);
  const std::uint32_t index = run.plan().place_of(op.subject);
  const CapturedDevice& captured = run.plan().devices[index];
  const LiveDevice& target = run.targets()[index];
  VkDeviceCreateInfo info = *a.pCreateInfo;
  strip_chain(&info.pNext);
  std::vector<const char*> extensions;
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    const char* name = info.ppEnabledExtensionNames[i];
    if (is_window_system_extension(name)) continue;
    if (!target.has_extension(name)) {
      if (is_optional_extension(name)) continue;
      if (const std::string_view other = other_name(name); !other.empty()) {
        if (has_extension(captured, other.data())) continue;  // the list has that name, too
        name = other.data();
      }
    }
    extensions.push_back(name);
  }
  enable_addresses(captured, info, extensions);
  if (run.presenter() != nullptr && has_swapchains(run.plan(), index))
    extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.enabledLayerCount = 0;
  info.ppEnabledLayerNames = nullptr;

  InstanceState& instance = run.instance(captured.instance);
  if (instance.handle == VK_NULL_HANDLE)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "its instance does not exist here"));
  VkDevice handle = VK_NULL_HANDLE;
  // Several devices of one physical device need not be played on one.
  if (const auto target_here = instance.targets.find(index); target_here != instance.targets.end())
    a.physicalDevice = target_here->second;
  if (!captured.has_sparse) leave_out_sparse(instance, a.physicalDevice, info);
  VkPhysicalDeviceFeatures own_features{};
  if (run.options().statistics && target.counts_statistics) {
    VkPhysicalDeviceFeatures* features = enabled_features(info);
    if (features == nullptr) info.pEnabledFeatures = features = &own_features;
    features->pipelineStatisticsQuery = VK_TRUE;
  }
  const bool counts = run.options().counters && !target.counters.empty();
  VkPhysicalDevicePerformanceQueryFeaturesKHR counting{};
  if (counts) {
    counting.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR;
    counting.performanceCounterQueryPools = VK_TRUE;
    counting.performanceCounterMultipleQueryPools = target.counts_in_several_pools ? VK_TRUE : VK_FALSE;
    counting.pNext = const_cast<void*>(info.pNext);
    info.pNext = &counting;
    extensions.push_back(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    // The validation layer knows a device's counters when its own instance was asked for them.
    for (std::uint32_t family = 0; family < target.families.size(); ++family)
      read_counters(instance.dispatch.vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR, a.physicalDevice,
                    family);
  }
  if (const CommandTimes* const times = run.command_times(); times != nullptr && times->wants_clocks()) {
    constexpr const char* kClocks = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    const auto is_it = [](const char* name) { return std::strcmp(name, kClocks) == 0; };
    if (has_clock(run, index) && std::none_of(extensions.begin(), extensions.end(), is_it))
      extensions.push_back(kClocks);
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
  }
  if (VkResult r = instance.dispatch.vkCreateDevice(a.physicalDevice, &info, nullptr, &handle); r < 0)
    return not_made(run.failure(op, r));
  auto device = std::make_unique<DeviceState>();
  device->handle = handle;
  device->index = index;
  load_device(device->dispatch, instance.dispatch.vkGetDeviceProcAddr, handle);
  const std::string missing = resolve_aliases(device->dispatch, captured);
  device->access.dispatch = &device->dispatch;
  device->access.device = handle;
  device->access.memory = target.memory;
  device->access.timeout_ns = kOwnWorkNs;
  device->atom = std::max<VkDeviceSize>(target.properties.limits.nonCoherentAtomSize, 1);
  device->service_family = info.pQueueCreateInfos[0].queueFamilyIndex;
  for (std::uint32_t i = 0; i < info.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& queue = info.pQueueCreateInfos[i];
    const VkQueueFlags flags = target.families[queue.queueFamilyIndex].queueFlags;
    if (queue.flags == 0 && (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0) {
      device->service_family = queue.queueFamilyIndex;
      break;
    }
  }
  device->dispatch.vkGetDeviceQueue(handle, device->service_family, 0, &device->service_queue);
  const Result<void> locked = counts ? lock_profiling(run, op, *device) : Result<void>();
  run.device_at(index) = std::move(device);
  *a.pDevice = handle;
  if (!locked) return locked;
  if (!missing.empty())
    return tl::unexpected<Error>(run.refuse(
        op, Status::device, std::string(fixed_text(target.properties.deviceName)) + " does not have " + missing));
  return place_memory(run, op, index);
}

Result<void> destroy_device(Run& run, const Op& op, std::byte*) {
  return op.device != kNone ? run.release_device(op.device, true) : Result<void>();
}

void remember(DeviceState& device, ObjectId id, VkQueue queue, std::uint32_t family) {
  const auto is_it = [&](const LiveQueue& known) { return known.handle == queue; };
  if (queue != VK_NULL_HANDLE && std::none_of(device.queues.begin(), device.queues.end(), is_it))
    device.queues.push_back({id, queue, family});
}

Result<void> get_queue(Run& run, const Op& op, std::byte* args) {
  RONDO_TRY(run.call_checked(op, args));
  const auto& a = as<args_vkGetDeviceQueue>(args);
  remember(run.device(op), op.subject, *a.pQueue, a.queueFamilyIndex);
  return {};
}

Result<void> get_queue2(Run& run, const Op& op, std::byte* args) {
  RONDO_TRY(run.call_checked(op, args));
  const auto& a = as<args_vkGetDeviceQueue2>(args);
  remember(run.device(op), op.subject, *a.pQueue, a.pQueueInfo->queueFamilyIndex);
  return {};
}

}  // namespace

void add_device_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateInstance)] = create_instance;
  table[static_cast<std::size_t>(CommandId::vkDestroyInstance)] = destroy_instance;
  table[static_cast<std::size_t>(CommandId::vkCreateDevice)] = create_device;
  table[static_cast<std::size_t>(CommandId::vkDestroyDevice)] = destroy_device;
  table[static_cast<std::size_t>(CommandId::vkGetDeviceQueue)] = get_queue;
  table[static_cast<std::size_t>(CommandId::vkGetDeviceQueue2)] = get_queue2;
}

}  // namespace rondo::player
