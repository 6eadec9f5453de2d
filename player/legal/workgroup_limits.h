// SPDX-License-Identifier: Apache-2.0
// What compute, task and mesh shaders ask of the limits that devices have for their workgroups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "format/vulkan.h"
#include "model/shaders/needs.h"

namespace rondo::player {

// Null: not known.
struct WorkgroupLimits {
  const VkPhysicalDeviceLimits* all = nullptr;
  const VkPhysicalDeviceMeshShaderPropertiesEXT* meshes = nullptr;
};

inline constexpr std::size_t kWorkgroupLimits = 18;

// The largest that the shaders of a device ask for, by limit, each with the record that asks.
class WorkgroupNeeds {
 public:
  void add(const shaders::Needs& needs, VkShaderStageFlagBits stage, std::uint64_t sequence);
  void add(const WorkgroupNeeds& other);
  // visit(name of the limit, asked for, what the device has, record): of each limit that is known and too
  // low.
  template <class Visit>
  void each_beyond(const WorkgroupLimits& limits, const Visit& visit) const {
    for (std::size_t i = 0; i < kWorkgroupLimits; ++i)
      if (const std::uint64_t has = limit_of(i, limits); most_[i].value > has)
        visit(name_of(i), most_[i].value, has, most_[i].sequence);
  }
  std::uint64_t value(const char* limit) const;  // for tests; 0: nothing asks

 private:
  struct Most {
    std::uint64_t value = 0, sequence = 0;
  };
  static const char* name_of(std::size_t row);
  static std::uint64_t limit_of(std::size_t row, const WorkgroupLimits& limits);  // UINT64_MAX: not known
  std::array<Most, kWorkgroupLimits> most_{};
};

// "asks for 2048, and maxMeshOutputVertices of the captured device is 256"; empty: nothing is beyond.
std::string check_workgroup(const shaders::Needs& needs, VkShaderStageFlagBits stage, const WorkgroupLimits& limits);

std::uint64_t product(const std::array<std::uint64_t, 3>& size);  // UINT64_MAX: as much or more

}  // namespace rondo::player
