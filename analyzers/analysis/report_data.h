// SPDX-License-Identifier: Apache-2.0
// The host calls of a capture that a report shows. No device.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/analysis/host_calls.h"

namespace rondo::analyzers {

struct ReportData {
  std::vector<HostCall> calls;              // the longest, in the order of their records
  std::uint64_t timed_calls = 0;            // of the capture
  std::uint64_t waited_ns = 0;              // in waits, all threads
  std::uint64_t first_ns = 0, last_ns = 0;  // of what is timed
  static constexpr std::size_t kMostCalls = 20'000;
};

// Reads the capture from its beginning to its end.
ReportData gather_report_data(Walk& walk);

}  // namespace rondo::analyzers
