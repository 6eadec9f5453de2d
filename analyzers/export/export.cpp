// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/export.h"

#include <algorithm>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

const HostCall* ExportSource::call_of(std::uint64_t record) const {
  const auto found = std::lower_bound(calls.begin(), calls.end(), record,
                                      [](const HostCall& one, std::uint64_t at) { return one.record < at; });
  return found != calls.end() && found->record == record ? &*found : nullptr;
}

std::vector<std::pair<std::string_view, std::string>> about(const ExportSource& source) {
  std::vector<std::pair<std::string_view, std::string>> all{{"producer", text("rondo {}", RONDO_VERSION)},
                                                            {"capture", source.file},
                                                            {"capture_digest", source.capture_digest}};
  if (!source.program.empty()) all.emplace_back("program", source.program);
  all.emplace_back("host_times", "CLOCK_MONOTONIC of the captured run, in nanoseconds");
  if (source.unit_times) {
    all.emplace_back("device_times", text("none: each item is given {} ns, one after the other on its queue, so that "
                                          "the order is seen",
                                          ExportSource::kUnitNs));
  } else if (source.has_profile) {
    all.emplace_back("device_times",
                     "of a replay, not of the captured run: begins of the last iteration, medians as durations; the "
                     "first timestamp of each device is placed at the begin of the first submit with a timed item");
    all.emplace_back("device", source.times.devices());
    all.emplace_back("mode", source.times.mode());
    all.emplace_back("span", source.times.span());
  } else {
    all.emplace_back("device_times", "none: no profile was given");
  }
  return all;
}

std::string short_name(const GraphWalk& walk, const WorkItem& item) {
  std::string name = codec::info(item.command).name;
  if (item.pipeline != ObjectId::null) append(name, " {}", printable(walk.name(item.pipeline)));
  return name;
}

}  // namespace rondo::analyzers
