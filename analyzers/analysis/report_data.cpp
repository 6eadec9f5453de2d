// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_data.h"

#include <algorithm>

#include "format/spans.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

bool is_longer(const HostCall& a, const HostCall& b) { return a.end_ns - a.start_ns > b.end_ns - b.start_ns; }

bool waits(Walk& walk, const Step& step) {
  switch (step.command->canonical) {
    case CommandId::vkAcquireNextImageKHR:
    case CommandId::vkAcquireNextImage2KHR:
    case CommandId::vkQueuePresentKHR:
      return true;
    default:
      return SpanFinder::waited(call_of(walk, step));
  }
}

class Memory {
 public:
  void take(Walk& walk, const Step& step, ReportData& out) {
    if (step.command->canonical == CommandId::vkAllocateMemory && step.succeeded()) {
      const auto* info = walk.args<args_vkAllocateMemory>().pAllocateInfo;
      if (info == nullptr || walk.resolution().created.empty()) return;
      const std::uint64_t bytes = info->allocationSize;
      sizes_[walk.resolution().created[0]] = bytes;
      bytes_ += bytes;
    } else {
      bool freed = false;
      for (const ObjectId id : walk.resolution().ended)
        if (const auto found = sizes_.find(id); found != sizes_.end()) {
          bytes_ -= found->second;
          sizes_.erase(found);
          freed = true;
        }
      if (!freed) return;
    }
    if (bytes_ > out.peak_bytes) out.peak_bytes = bytes_, out.peak_record = step.record.sequence;
    out.memory.push_back({step.record.sequence, bytes_, sizes_.size()});
    if (out.memory.size() >= 2 * ReportData::kMostPoints) thin(out.memory);
  }

  // Of two points that follow one another, the higher one.
  static void thin(std::vector<MemoryPoint>& points) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < points.size(); i += 2)
      points[kept++] = points[i].bytes > points[i + 1].bytes ? points[i] : points[i + 1];
    if (points.size() % 2 != 0) points[kept++] = points.back();
    points.resize(kept);
  }

 private:
  std::map<ObjectId, std::uint64_t> sizes_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

ReportData gather_report_data(Walk& walk) {
  ReportData out;
  Memory memory;
  Step step;
  for (;;) {
    const auto more = walk.next(step);
    if (!more || !*more) break;  // what is wrong with the file is said of it
    if (step.command == nullptr || step.by_layer()) continue;
    memory.take(walk, step, out);
    const Record& record = step.record;
    if (!record.has_times || record.end_ns < record.start_ns) continue;
    if (out.timed_calls++ == 0) out.first_ns = record.start_ns;
    out.first_ns = std::min(out.first_ns, record.start_ns);
    out.last_ns = std::max(out.last_ns, record.end_ns);
    const HostCall call{record.sequence, record.thread, step.command,
                        record.start_ns, record.end_ns, waits(walk, step)};
    if (call.waits) out.waited_ns += record.end_ns - record.start_ns;
    // The longest, as a heap with the shortest of them on top.
    out.calls.push_back(call);
    std::push_heap(out.calls.begin(), out.calls.end(), is_longer);
    if (out.calls.size() <= ReportData::kMostCalls) continue;
    std::pop_heap(out.calls.begin(), out.calls.end(), is_longer);
    out.calls.pop_back();
  }
  if (out.memory.size() > ReportData::kMostPoints) Memory::thin(out.memory);
  std::sort(out.calls.begin(), out.calls.end(),
            [](const HostCall& a, const HostCall& b) { return a.record < b.record; });
  return out;
}

}  // namespace rondo::analyzers
