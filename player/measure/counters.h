// SPDX-License-Identifier: Apache-2.0
// Performance counters of devices, and which of them a replay counts. Specification: "Performance Queries"
// (VK_KHR_performance_query).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

class LiveDevices;
struct Targets;

// A counter of a queue family.
struct Counter {
  std::string name;  // of one device no two are called alike: "Category/name" where the driver does that
  std::string category, description;
  VkPerformanceCounterUnitKHR unit = VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR;
  VkPerformanceCounterScopeKHR scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
  VkPerformanceCounterStorageKHR storage = VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR;
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};  // families that have the same counter give it the same
  // Set by counters_of(): one pass can count it around a single command.
  bool is_usable = false;

  // What several commands count is the sum of what each counts. False: it is a rate, a part or a level.
  bool adds_up() const;
  double value(const VkPerformanceCounterResultKHR& result) const;  // as `storage` says
  bool is_same(const Counter& other) const {                        // whatever they are called here
    return uuid == other.uuid && category == other.category && description == other.description;
  }
};
// "bytes", "%", …; empty: it counts events.
const char* unit_name(VkPerformanceCounterUnitKHR unit);

// The counters of a queue family, by the driver's index. Empty: the family has none, or `enumerate` is null.
using EnumerateCounters = PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR;
std::vector<Counter> read_counters(EnumerateCounters enumerate, VkPhysicalDevice device, std::uint32_t family);
// Gives counters of one device names that tell them apart.
void name_apart(std::span<std::vector<Counter>> families);

// Counters that were asked for, in groups: one replay counts one group.
struct CounterChoice {
  std::vector<Counter> counters;
  std::vector<std::vector<std::uint32_t>> groups;  // indexes into `counters`
  bool is_lacking = false;                         // the devices have no counters
};

// All of the devices that the captured ones are played on, each once. LiveDevices::read_counters() comes first.
// Calls the driver.
std::vector<Counter> counters_of(const LiveDevices& live, const Targets& targets);
// The usable counters whose name contains one of `names`; upper and lower case are alike. "all" means all usable ones.
// Each queue family counts a group in one pass. Status::usage: no counter has such a name, or none that has it is
// usable. Calls the driver.
Result<CounterChoice> choose_counters(const LiveDevices& live, const Targets& targets,
                                      std::span<const std::string> names);
// Where `family` has each counter of `wanted`, as an index; kNone: it lacks it.
std::vector<std::uint32_t> places_of(std::span<const Counter> wanted, std::span<const Counter> family);

}  // namespace rondo::player
