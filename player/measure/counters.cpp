// SPDX-License-Identifier: Apache-2.0
#include "player/measure/counters.h"

#include <algorithm>
#include <map>

#include "format/printable.h"
#include "player/devices/devices.h"
#include "player/lower_case.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

constexpr std::size_t kMostNamed = 30;  // counters in an error message

// A driver's text, without characters that a terminal would obey.
template <std::size_t N>
std::string words_of(const char (&text)[N]) {
  return printable(fixed_text(text));
}

// A queue family of a device that something is played on.
struct Family {
  VkPhysicalDevice device = VK_NULL_HANDLE;
  std::uint32_t index = 0;
  const std::vector<Counter>* counters = nullptr;
};

std::vector<Family> families_of(const Targets& targets) {
  std::vector<std::size_t> devices = targets.of;
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  std::vector<Family> families;
  for (const std::size_t d : devices) {
    const LiveDevice& device = (*targets.list)[d];
    for (std::uint32_t f = 0; f < device.counters.size(); ++f)
      if (!device.counters[f].empty()) families.push_back({device.handle, f, &device.counters[f]});
  }
  return families;
}

class Passes {
 public:
  Passes(const LiveDevices& live, const Targets& targets)
      : get_(reinterpret_cast<PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR>(
            live.get("vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR"))),
        families_(families_of(targets)) {}

  // Whether each family counts these in one pass, as far as it has them.
  bool is_one(std::span<const Counter> counters) const {
    return std::all_of(families_.begin(), families_.end(), [&](const Family& family) {
      std::vector<std::uint32_t> places = places_of(counters, *family.counters);
      std::erase(places, kNone);
      if (places.empty()) return true;
      VkQueryPoolPerformanceCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR;
      info.queueFamilyIndex = family.index;
      info.counterIndexCount = static_cast<std::uint32_t>(places.size());
      info.pCounterIndices = places.data();
      std::uint32_t passes = 0;
      if (get_ != nullptr) get_(family.device, &info, &passes);
      return passes == 1;
    });
  }

 private:
  PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR get_;
  std::vector<Family> families_;
};

std::string listed(std::span<const Counter> counters) {
  std::string out;
  for (std::size_t i = 0; i < std::min(counters.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : ", ") + counters[i].name;
  if (counters.size() > kMostNamed) out += ", …: --list-counters lists them";
  return out;
}

}  // namespace

bool Counter::adds_up() const {
  switch (unit) {
    case VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
      return true;
    default:
      return false;
  }
}

double Counter::value(const VkPerformanceCounterResultKHR& result) const {
  switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
      return result.int32;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
      return static_cast<double>(result.int64);
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
      return result.uint32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
      return static_cast<double>(result.uint64);
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
      return static_cast<double>(result.float32);
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
      return result.float64;
    default:
      return 0;
  }
}

const char* unit_name(VkPerformanceCounterUnitKHR unit) {
  switch (unit) {
    case VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR:
      return "%";
    case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
      return "ns";
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
      return "bytes";
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_PER_SECOND_KHR:
      return "bytes/s";
    case VK_PERFORMANCE_COUNTER_UNIT_KELVIN_KHR:
      return "K";
    case VK_PERFORMANCE_COUNTER_UNIT_WATTS_KHR:
      return "W";
    case VK_PERFORMANCE_COUNTER_UNIT_VOLTS_KHR:
      return "V";
    case VK_PERFORMANCE_COUNTER_UNIT_AMPS_KHR:
      return "A";
    case VK_PERFORMANCE_COUNTER_UNIT_HERTZ_KHR:
      return "Hz";
    case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
      return "cycles";
    default:
      return "";
  }
}

std::vector<Counter> read_counters(EnumerateCounters enumerate, VkPhysicalDevice device, std::uint32_t family) {
  std::uint32_t count = 0;
  if (enumerate == nullptr || enumerate(device, family, &count, nullptr, nullptr) < 0) return {};
  std::vector<VkPerformanceCounterKHR> counters(count);
  std::vector<VkPerformanceCounterDescriptionKHR> texts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
    texts[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
  }
  if (enumerate(device, family, &count, counters.data(), texts.data()) < 0) return {};
  std::vector<Counter> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    Counter& one = all.emplace_back();
    one.name = words_of(texts[i].name);
    one.category = words_of(texts[i].category);
    one.description = words_of(texts[i].description);
    one.unit = counters[i].unit;
    one.scope = counters[i].scope;
    one.storage = counters[i].storage;
    std::copy(std::begin(counters[i].uuid), std::end(counters[i].uuid), one.uuid.begin());
  }
  return all;
}

void name_apart(std::span<std::vector<Counter>> families) {
  const auto each = [&](auto&& visit) {
    for (std::vector<Counter>& family : families)
      for (Counter& counter : family) visit(counter);
  };
  // By name: the different counters that are called so, in the driver's order.
  using Alike = std::map<std::string, std::vector<std::array<std::uint8_t, VK_UUID_SIZE>>>;
  const auto alike = [&] {
    Alike found;
    each([&](const Counter& counter) {
      auto& all = found[counter.name];
      if (std::find(all.begin(), all.end(), counter.uuid) == all.end()) all.push_back(counter.uuid);
    });
    return found;
  };
  const Alike by_name = alike();
  each([&](Counter& counter) {
    if (by_name.at(counter.name).size() > 1) counter.name = counter.category + "/" + counter.name;
  });
  const Alike by_category = alike();
  each([&](Counter& counter) {
    const auto& all = by_category.at(counter.name);
    if (all.size() == 1) return;
    counter.name += " #" + std::to_string(std::find(all.begin(), all.end(), counter.uuid) - all.begin() + 1);
  });
}

std::vector<Counter> counters_of(const LiveDevices& live, const Targets& targets) {
  const Passes passes(live, targets);
  std::vector<Counter> all;
  for (const Family& family : families_of(targets))
    for (const Counter& counter : *family.counters) {
      if (std::any_of(all.begin(), all.end(), [&](const Counter& one) { return one.is_same(counter); })) continue;
      all.push_back(counter);
      all.back().is_usable = counter.scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR && passes.is_one({&counter, 1});
    }
  name_apart({&all, 1});  // of several devices
  return all;
}

std::vector<std::uint32_t> places_of(std::span<const Counter> wanted, std::span<const Counter> family) {
  std::vector<std::uint32_t> places;
  for (const Counter& one : wanted) {
    const auto found =
        std::find_if(family.begin(), family.end(), [&](const Counter& counter) { return counter.is_same(one); });
    places.push_back(found != family.end() ? static_cast<std::uint32_t>(found - family.begin()) : kNone);
  }
  return places;
}

Result<CounterChoice> choose_counters(const LiveDevices& live, const Targets& targets,
                                      std::span<const std::string> names) {
  CounterChoice choice;
  const std::vector<Counter> all = counters_of(live, targets);
  choice.is_lacking = all.empty();
  if (choice.is_lacking) return choice;
  const Passes passes(live, targets);
  std::vector<bool> is_wanted(all.size(), false);
  for (const std::string& name : names) {
    const bool wants_all = lower(name) == "all";
    bool is_known = false, is_usable = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!wants_all && lower(all[i].name).find(lower(name)) == std::string::npos) continue;
      is_known = true;
      if (!all[i].is_usable) continue;
      is_wanted[i] = is_usable = true;
    }
    if (!is_known)
      return fail(Status::usage,
                  "--counters: the device has none with '" + printable(name) + "' in its name; it has: " + listed(all));
    if (!is_usable)
      return fail(Status::usage, "--counters: '" + printable(name) +
                                     "' cannot be counted around single commands in one pass: --list-counters "
                                     "says which counters can");
  }
  std::vector<std::vector<Counter>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_wanted[i]) continue;
    const auto index = static_cast<std::uint32_t>(choice.counters.size());
    choice.counters.push_back(all[i]);
    std::size_t g = 0;
    for (; g < groups.size(); ++g) {
      groups[g].push_back(all[i]);
      if (passes.is_one(groups[g])) break;
      groups[g].pop_back();
    }
    if (g == groups.size()) {
      groups.push_back({all[i]});
      choice.groups.emplace_back();
    }
    choice.groups[g].push_back(index);
  }
  return choice;
}

}  // namespace rondo::player
