// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/device_clock.h"

#include <time.h>

#include "tests/icd/driver.h"
#include "tests/icd/install.h"

using namespace rondo;  // args_vk…

namespace fake {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond;

std::uint64_t host_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

// Without Settings::device_clock nothing relates timestamps to a clock: 0 of both.
VkResult calibrated(Call&, args_vkGetCalibratedTimestampsEXT& a) {
  const std::uint64_t now = settings().device_clock ? host_time() : 0;
  for (std::uint32_t i = 0; i < a.timestampCount; ++i) {
    const bool is_device = a.pTimestampInfos[i].timeDomain == VK_TIME_DOMAIN_DEVICE_EXT;
    a.pTimestamps[i] = is_device && settings().device_clock ? now + kHour : now;
  }
  *a.pMaxDeviation = 0;
  return VK_SUCCESS;
}

}  // namespace

std::uint64_t device_time() { return host_time() + kHour; }

void sleep_until_device_time(std::uint64_t time) {
  const std::uint64_t until = time - kHour;
  const timespec at{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
  }
}

void install_device_clock(Table& table) { table.behave<calibrated>(CommandId::vkGetCalibratedTimestampsEXT); }

}  // namespace fake
