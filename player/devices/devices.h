// SPDX-License-Identifier: Apache-2.0
// The devices of this machine, and which of them stands for a captured one.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "format/result.h"
#include "player/devices/loader.h"
#include "player/measure/counters.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct LiveDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;  // of the LiveDevices' instance
  VkPhysicalDeviceProperties properties{};
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};  // deviceUUID; zero below Vulkan 1.1
  std::string driver;                             // "llvmpipe, Mesa 22.3.6", empty if unknown
  VkPhysicalDeviceMemoryProperties memory{};
  VkDeviceSize max_buffer_size = UINT64_MAX;        // where the driver says one
  VkDeviceSize import_alignment = 1;                // minImportedHostPointerAlignment
  std::uint32_t max_push_descriptors = UINT32_MAX;  // the same
  std::uint32_t min_subgroup_size = 0;              // of those that may be required; 0: not told
  std::uint32_t max_subgroup_size = 0;
  VkPhysicalDeviceMeshShaderPropertiesEXT meshes{};                    // sType 0: there are none
  VkPhysicalDeviceDescriptorBufferPropertiesEXT descriptor_buffers{};  // zero where there are none
#ifdef VK_EXT_device_generated_commands
  VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT generated_commands{};  // likewise
#endif
  ImageLayoutId image_layout{};
  std::vector<VkQueueFamilyProperties> families;
  std::vector<std::string> extensions;
  bool counts_statistics = false;  // the feature pipelineStatisticsQuery
  // By queue family, where LiveDevices::read_counters() was called. Empty: it has no performance counters.
  std::vector<std::vector<Counter>> counters;
  bool counts_in_several_pools = false;  // likewise: the feature performanceCounterMultipleQueryPools

  bool has_extension(const std::string& name) const;
};

// Owns an instance of its own, kept while anything runs so that drivers stay
// loaded. Not copied; single-threaded.
class LiveDevices {
 public:
  static Result<std::unique_ptr<LiveDevices>> open(const Loader& loader);
  LiveDevices(const LiveDevices&) = delete;
  LiveDevices& operator=(const LiveDevices&) = delete;
  ~LiveDevices();

  const std::vector<LiveDevice>& list() const { return devices_; }
  const LiveDevice& operator[](std::size_t i) const { return devices_[i]; }
  std::string table() const;  // a line a device: index, name, type, API, driver, UUID

  // `wanted`: an index, a UUID, or part of a name (any case). Fails with
  // Status::device and the list.
  Result<std::size_t> find(const std::string& wanted) const;
  // The device that was captured if it is here, else a discrete one, an
  // integrated one, any. `reason` says which of these it is.
  Result<std::size_t> choose(const CapturedPhysicalDevice& captured, std::string& reason) const;

  // Fills in LiveDevice::counters of all.
  void read_counters();

  PFN_vkVoidFunction get(const char* name) const;

 private:
  LiveDevices() = default;
  const Loader* loader_ = nullptr;
  VkInstance instance_ = VK_NULL_HANDLE;
  std::vector<LiveDevice> devices_;
};

std::string version_text(std::uint32_t version);

// What --device asks for: `wanted` for the captured device `captured`, or for all of them (kNone).
struct DeviceChoice {
  std::uint32_t captured = kNone;
  std::string wanted;
};
Result<DeviceChoice> parse_device(const std::string& text);  // [K=]NAME|INDEX|UUID

}  // namespace rondo::player
