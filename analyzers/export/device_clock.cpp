// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/device_clock.h"

#include <algorithm>
#include <cmath>

namespace rondo::analyzers {

namespace {

// A profile is a file from elsewhere: whatever stands in it, the result is in range. A year is long enough.
std::uint64_t whole_ns(double ns) {
  constexpr double kMost = 366.0 * 24 * 3600 * 1e9;
  if (!(ns > 0)) return 0;
  return static_cast<std::uint64_t>(std::llround(std::min(ns, kMost)));
}

}  // namespace

ObjectId device_of_queue(const GraphWalk& walk, ObjectId queue) {
  return queue != ObjectId::null ? walk.objects().objects()[queue].device : ObjectId::null;
}

std::uint64_t DeviceClock::begin_of(const WorkItem& item) const {
  const HostCall* const call = source_.call_of(item.at);
  return call != nullptr ? call->start_ns : source_.first_ns;
}

std::optional<PlacedTime> DeviceClock::place(const GraphWalk& walk, const ExportedItem& exported) {
  const WorkItem& work = exported.item.work;
  if (source_.unit_times) {
    if (is_of_host(exported.item.kind)) return std::nullopt;
    const auto [found, fresh] = free_.try_emplace(work.queue, 0);
    if (fresh) found->second = begin_of(work);
    const std::uint64_t begin = found->second;
    found->second += ExportSource::kUnitNs;
    return PlacedTime{begin, ExportSource::kUnitNs};
  }
  if (exported.time == nullptr) return std::nullopt;
  const auto [found, fresh] = begins_.try_emplace(device_of_queue(walk, work.queue), 0);
  if (fresh) found->second = begin_of(work);
  return PlacedTime{found->second + whole_ns(exported.time->begin),
                    std::max<std::uint64_t>(1, whole_ns(exported.time->median))};
}

}  // namespace rondo::analyzers
