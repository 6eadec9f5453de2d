// SPDX-License-Identifier: Apache-2.0
// What a report shows of a capture besides the profile: host calls with their times, and allocated memory. No device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzers/read/walk.h"

namespace rondo::analyzers {

struct HostCall {
  std::uint64_t record = 0;
  std::uint32_t thread = 0;
  const codec::CommandInfo* command = nullptr;
  std::uint64_t start_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC
  bool waits = false;                      // for the device: a wait, an acquire or a present
};

struct MemoryPoint {
  std::uint64_t record = 0, bytes = 0, allocations = 0;  // that are allocated after this record
};

struct ReportData {
  std::vector<HostCall> calls;              // the longest, in the order of their records
  std::uint64_t timed_calls = 0;            // of the capture
  std::uint64_t waited_ns = 0;              // in waits, all threads
  std::uint64_t first_ns = 0, last_ns = 0;  // of what is timed
  std::vector<MemoryPoint> memory;          // at most kMostPoints, each peak kept
  std::uint64_t peak_bytes = 0, peak_record = 0;
  static constexpr std::size_t kMostCalls = 20'000, kMostPoints = 2'000;
};

// Reads the capture from its beginning to its end.
ReportData gather_report_data(Walk& walk);

}  // namespace rondo::analyzers
