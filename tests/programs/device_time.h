// SPDX-License-Identifier: Apache-2.0
// How long the device works on a span of submits, by timestamps around each of them.
#pragma once

#include "session.h"

namespace program {

class DeviceTime {
 public:
  DeviceTime(Session& s, std::uint32_t submits) : s_(s), pairs_(submits) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(s.physical, &properties);
    period_ = properties.limits.timestampPeriod;
    const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = 2 * submits};
    CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool_));
    keep(s, vkDestroyQueryPool, pool_);
    vkCmdResetQueryPool(s.cmd, pool_, 0, 2 * submits);
  }
  void begin(std::uint32_t submit) {
    vkCmdWriteTimestamp(s_.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool_, 2 * submit);
  }
  void end(std::uint32_t submit) {
    vkCmdWriteTimestamp(s_.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, 2 * submit + 1);
  }
  // Of the submits [first, last), in milliseconds: what lies between a submit's two timestamps, summed up.
  double milliseconds(std::uint32_t first, std::uint32_t last) const {
    std::vector<std::uint64_t> times(2 * pairs_);
    CHECK(vkGetQueryPoolResults(s_.device, pool_, 0, 2 * pairs_, times.size() * sizeof times[0], times.data(),
                                sizeof times[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    double sum = 0;
    for (std::uint32_t i = first; i < last; ++i) sum += static_cast<double>(times[2 * i + 1] - times[2 * i]);
    return sum * static_cast<double>(period_) / 1e6;
  }

 private:
  Session& s_;
  std::uint32_t pairs_;
  float period_ = 1;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

}  // namespace program
