// SPDX-License-Identifier: Apache-2.0
#include "player/devices/preflight.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>

#include "format/codec/schema.h"
#include "format/counts.h"
#include "format/printable.h"
#include "player/console.h"
#include "player/run/sampled_contents.h"
#include "player/show/window_system.h"

namespace rondo::player {

namespace {

using Shortfalls = std::vector<std::string>;

void check_extensions(const CapturedDevice& captured, const LiveDevice& target, Shortfalls& out) {
  for (const std::string& name : captured.extensions)
    if (!is_window_system_extension(name) && !is_optional_extension(name) && !target.has_extension(name) &&
        !target.has_extension(std::string(other_name(name))))
      out.push_back("extension " + name);
}

std::string flags_text(VkQueueFlags flags) {
  std::string text;
  for (const auto& [bit, name] : {std::pair{VK_QUEUE_GRAPHICS_BIT, "graphics"},
                                  {VK_QUEUE_COMPUTE_BIT, "compute"},
                                  {VK_QUEUE_TRANSFER_BIT, "transfer"},
                                  {VK_QUEUE_SPARSE_BINDING_BIT, "sparse binding"}})
    if ((flags & static_cast<VkQueueFlags>(bit)) != 0) text += (text.empty() ? "" : "+") + std::string(name);
  return text.empty() ? "any" : text;
}

void apply_families(Plan& plan, std::uint32_t device, const std::map<std::uint32_t, std::uint32_t>& map) {
  const bool identity = std::all_of(map.begin(), map.end(), [](const auto& m) { return m.first == m.second; });
  if (identity) return;
  for (const FamilyMark& mark : plan.family_marks) {
    if (mark.device != device) continue;
    std::uint32_t family;
    std::memcpy(&family, plan.arena.at(mark.at), sizeof family);
    // VK_QUEUE_FAMILY_IGNORED, _EXTERNAL and _FOREIGN stay.
    if (const auto found = map.find(family); found != map.end())
      std::memcpy(plan.arena.at(mark.at), &found->second, sizeof found->second);
  }
}

// Device addresses have to be the captured ones.
void check_addresses(const CapturedDevice& captured, const LiveDevices& devices, const LiveDevice& target,
                     Shortfalls& out) {
  if (captured.opaque_addresses) {
    VkPhysicalDeviceBufferDeviceAddressFeatures wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    wanted.bufferDeviceAddressCaptureReplay = VK_TRUE;
    const auto* first = reinterpret_cast<const std::byte*>(&wanted);
    CapturedDevice with;
    with.features.push_back({StructId::VkPhysicalDeviceBufferDeviceAddressFeatures, {first, first + sizeof wanted}});
    const std::size_t before = out.size();
    check_features(with, devices, target, out);
    if (out.size() != before) out.back() += " (the captured device addresses are asked back with it)";
  }
  if (captured.places && (!target.has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)))
    out.push_back("extension " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME
                  " (memory with device addresses is put with it where it was)");
  if (captured.asks_for_addresses && !captured.places && !captured.opaque_addresses)
    out.push_back(
        "the captured device addresses: the driver that was captured could not give them again, and memory of "
        "ours could not be imported there");
}

bool same_memory(const VkPhysicalDeviceMemoryProperties& a, const VkPhysicalDeviceMemoryProperties& b) {
  if (a.memoryTypeCount != b.memoryTypeCount) return false;
  for (std::uint32_t i = 0; i < a.memoryTypeCount; ++i)
    if (a.memoryTypes[i].propertyFlags != b.memoryTypes[i].propertyFlags) return false;
  return true;
}

}  // namespace

void check_version(const CapturedDevice& captured, const LiveDevice& target, Shortfalls& out) {
  std::uint32_t needed = VK_API_VERSION_1_0;
  for (const CommandId id : captured.commands) {
    const char* feature = codec::info(id).feature;
    unsigned major = 0, minor = 0;
    if (feature == nullptr || std::sscanf(feature, "VK_VERSION_%u_%u", &major, &minor) != 2) continue;
    needed = std::max<std::uint32_t>(needed, VK_MAKE_API_VERSION(0, major, minor, 0));
  }
  if (needed > target.properties.apiVersion)
    out.push_back("Vulkan " + version_text(needed) + " (it has " + version_text(target.properties.apiVersion) + ")");
}

// Each captured family gets one of the target's of its own, all of them if there is any such
// choice: the one with the same number if it will do, else the one that offers the least beyond need.
std::map<std::uint32_t, std::uint32_t> map_families(const Plan& plan, const CapturedDevice& captured,
                                                    const LiveDevice& target, Shortfalls& out) {
  const auto& families = plan.physical_devices[captured.physical].families;
  const bool binds_sparsely = std::find(captured.commands.begin(), captured.commands.end(),
                                        CommandId::vkQueueBindSparse) != captured.commands.end();
  const auto needs = [&](const QueueUse& use) {
    VkQueueFlags flags =
        use.family < families.size() ? families[use.family].queueFlags : VkFlags{VK_QUEUE_GRAPHICS_BIT};
    flags &= VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |
             (binds_sparsely ? VkFlags{VK_QUEUE_SPARSE_BINDING_BIT} : 0);
    // Graphics and compute imply transfer, whether a driver says so or not.
    if ((flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0)
      flags &= ~static_cast<VkQueueFlags>(VK_QUEUE_TRANSFER_BIT);
    return flags;
  };
  const auto offers = [&](std::uint32_t family, const QueueUse& use) {
    VkQueueFlags has = target.families[family].queueFlags;
    if ((has & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0) has |= VK_QUEUE_TRANSFER_BIT;
    return (has & needs(use)) == needs(use) && target.families[family].queueCount >= use.count;
  };
  const auto choices = [&](const QueueUse& use) {  // the best first
    std::vector<std::uint32_t> list;
    for (std::uint32_t f = 0; f < target.families.size(); ++f)
      if (offers(f, use)) list.push_back(f);
    const auto surplus = [&](std::uint32_t f) {
      return f == use.family ? -1 : std::popcount(target.families[f].queueFlags & ~needs(use));
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return surplus(a) < surplus(b); });
    return list;
  };
  // Augmenting paths: who has a family may have to take another one of those that will do.
  std::vector<const QueueUse*> owner(target.families.size(), nullptr);
  const std::function<bool(const QueueUse&, std::vector<bool>&)> give = [&](const QueueUse& use,
                                                                            std::vector<bool>& tried) {
    for (const std::uint32_t f : choices(use)) {
      if (tried[f]) continue;
      tried[f] = true;
      if (owner[f] != nullptr && !give(*owner[f], tried)) continue;
      owner[f] = &use;
      return true;
    }
    return false;
  };
  for (const QueueUse& use : captured.queues)
    if (std::vector<bool> tried(target.families.size(), false); !give(use, tried))
      out.push_back("a queue family of its own with " + plural(use.count, "queue") + " for " + flags_text(needs(use)) +
                    " (captured family " + std::to_string(use.family) + ")");
  std::map<std::uint32_t, std::uint32_t> map;
  for (std::uint32_t f = 0; f < owner.size(); ++f)
    if (owner[f] != nullptr) map[owner[f]->family] = f;
  return map;
}

bool is_the_captured_device(const CapturedPhysicalDevice& captured, const LiveDevice& target) {
  const VkPhysicalDeviceProperties &a = captured.properties, &b = target.properties;
  return captured.has_properties && a.vendorID == b.vendorID && a.deviceID == b.deviceID &&
         a.driverVersion == b.driverVersion && fixed_text(a.deviceName) == fixed_text(b.deviceName) &&
         std::memcmp(a.pipelineCacheUUID, b.pipelineCacheUUID, VK_UUID_SIZE) == 0 &&
         (!captured.has_memory || same_memory(captured.memory, target.memory));
}

Result<void> preflight(Plan& plan, const Loader& loader, const LiveDevices& devices, const Targets& targets,
                       Trust trust) {
  std::vector<std::string> lines;
  std::vector<std::map<std::uint32_t, std::uint32_t>> families(plan.devices.size());
  if (loader.version < VK_API_VERSION_1_1)
    for (const CapturedDevice& device : plan.devices)
      if (device.api_version >= VK_API_VERSION_1_1) {
        lines.emplace_back("a Vulkan loader that knows more than 1.0");
        break;
      }
  for (std::uint32_t d = 0; d < plan.devices.size(); ++d) {
    const CapturedDevice& captured = plan.devices[d];
    const LiveDevice& target = targets[d];
    Shortfalls shortfalls;
    check_version(captured, target, shortfalls);
    check_extensions(captured, target, shortfalls);
    check_features(captured, devices, target, shortfalls);
    families[d] = map_families(plan, captured, target, shortfalls);
    const bool captured_here =
        !plan.foreign && is_the_captured_device(plan.physical_devices[captured.physical], target);
    check_images(plan, d, devices, target, captured_here && trust == Trust::trusted, shortfalls);
    check_sampled_contents(plan, d, devices, target, shortfalls);
    check_limits(plan, d, target, captured_here, shortfalls);
    check_addresses(captured, devices, target, shortfalls);
    for (const std::string& line : shortfalls)
      lines.push_back(std::string(fixed_text(target.properties.deviceName)) + " lacks: " + line);
  }
  RONDO_TRY(check_missing(plan.path, lines));
  for (std::uint32_t d = 0; d < plan.devices.size(); ++d) apply_families(plan, d, families[d]);
  return {};
}

}  // namespace rondo::player
