// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_data.h"

#include <algorithm>

namespace rondo::analyzers {

namespace {

bool is_longer(const HostCall& a, const HostCall& b) { return a.end_ns - a.start_ns > b.end_ns - b.start_ns; }

// Of two points that follow one another, the higher one.
void thin(std::vector<MemoryPoint>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2)
    points[kept++] = points[i].bytes > points[i + 1].bytes ? points[i] : points[i + 1];
  if (points.size() % 2 != 0) points[kept++] = points.back();
  points.resize(kept);
}

}  // namespace

ReportData gather_report_data(Walk& walk) {
  ReportData out;
  const auto take_call = [&](const HostCall& call) {
    if (out.timed_calls++ == 0) out.first_ns = call.start_ns;
    out.first_ns = std::min(out.first_ns, call.start_ns);
    out.last_ns = std::max(out.last_ns, call.end_ns);
    if (call.waits) out.waited_ns += call.end_ns - call.start_ns;
    // The longest, as a heap with the shortest of them on top.
    out.calls.push_back(call);
    std::push_heap(out.calls.begin(), out.calls.end(), is_longer);
    if (out.calls.size() <= ReportData::kMostCalls) return;
    std::pop_heap(out.calls.begin(), out.calls.end(), is_longer);
    out.calls.pop_back();
  };
  read_host_calls(walk, take_call, [&](const MemoryPoint& point) {
    if (point.bytes > out.peak_bytes) out.peak_bytes = point.bytes, out.peak_record = point.record;
    out.memory.push_back(point);
    if (out.memory.size() >= 2 * ReportData::kMostPoints) thin(out.memory);
  });
  if (out.memory.size() > ReportData::kMostPoints) thin(out.memory);
  std::sort(out.calls.begin(), out.calls.end(),
            [](const HostCall& a, const HostCall& b) { return a.record < b.record; });
  return out;
}

}  // namespace rondo::analyzers
