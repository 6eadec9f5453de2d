// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/host_calls.h"

#include <map>

#include "format/spans.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

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

// The device of the first object that the call names.
ObjectId device_of(const Walk& walk) {
  const std::vector<ObjectId>& ids = walk.resolution().ids;
  if (ids.empty() || ids.front() == ObjectId::null) return ObjectId::null;
  const Object& object = walk.objects().objects()[ids.front()];
  if (object.type == HandleType::VkDevice) return ids.front();
  if (object.device == ObjectId::null) return ObjectId::null;
  return walk.objects().objects()[object.device].type == HandleType::VkDevice ? object.device : ObjectId::null;
}

// What is allocated.
class AllocatedMemory {
 public:
  // True if the call changed it.
  bool take(Walk& walk, const Step& step) {
    if (step.command->canonical == CommandId::vkAllocateMemory && step.succeeded()) {
      const auto* info = walk.args<args_vkAllocateMemory>().pAllocateInfo;
      if (info == nullptr || walk.resolution().created.empty()) return false;
      sizes_[walk.resolution().created[0]] = info->allocationSize;
      bytes_ += info->allocationSize;
      return true;
    }
    bool freed = false;
    for (const ObjectId id : walk.resolution().ended)
      if (const auto found = sizes_.find(id); found != sizes_.end()) {
        bytes_ -= found->second;
        sizes_.erase(found);
        freed = true;
      }
    return freed;
  }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t allocations() const { return sizes_.size(); }

 private:
  std::map<ObjectId, std::uint64_t> sizes_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

void read_host_calls(Walk& walk, const std::function<void(const HostCall&)>& call,
                     const std::function<void(const MemoryPoint&)>& memory) {
  AllocatedMemory allocated;
  std::uint64_t last_ns = 0;
  Step step;
  for (;;) {
    const auto more = walk.next(step);
    if (!more || !*more) return;  // what is wrong with the file is said of it
    if (step.command == nullptr || step.by_layer()) continue;
    const Record& record = step.record;
    const bool is_timed = record.has_times && record.end_ns >= record.start_ns;
    if (is_timed) last_ns = record.end_ns;
    if (allocated.take(walk, step)) memory({record.sequence, allocated.bytes(), allocated.allocations(), last_ns});
    if (is_timed)
      call({record.sequence, record.thread, step.command, record.start_ns, record.end_ns, waits(walk, step),
            step.submits != 0 || step.present, device_of(walk)});
  }
}

}  // namespace rondo::analyzers
