// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_data.h"

#include <algorithm>

namespace rondo::analyzers {

namespace {

bool is_longer(const HostCall& a, const HostCall& b) { return a.end_ns - a.start_ns > b.end_ns - b.start_ns; }

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
  read_host_calls(walk, take_call, [](const MemoryPoint&) {});
  std::sort(out.calls.begin(), out.calls.end(),
            [](const HostCall& a, const HostCall& b) { return a.record < b.record; });
  return out;
}

}  // namespace rondo::analyzers
