// SPDX-License-Identifier: Apache-2.0
#include "player/plan/late_submits.h"

#include <span>

#include "generated/args.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

LateSubmits::LateSubmits(Plan& plan, validity::Work& work)
    : plan_(plan),
      work_(work),
      writes_({.place = [this](ObjectId object) { return place_of(object); },
               .is_over =
                   [this](std::uint64_t record) {
                     const auto submit = submits_.find(record);
                     return submit == submits_.end() || !work_.running(submit->second.place);
                   }}) {}

access::LateWrites::Place LateSubmits::place_of(ObjectId object) const {
  const HandleType type = plan_.objects.objects()[object].type;
  const std::uint32_t place = plan_.place_of(object);
  if ((type != HandleType::VkBuffer && type != HandleType::VkImage) || place >= plan_.resources.size()) return {};
  const CapturedResource& resource = plan_.resources[place];
  if (resource.memory == kNone) return {ObjectId::null, 0, 1};
  const CapturedMemory& memory = plan_.memories[resource.memory];
  return {memory.id, resource.offset, resource.bytes != 0 ? resource.bytes : memory.bytes};
}

void LateSubmits::follow_fences(const model::Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkResetFences: {
      const auto& args = call.as<args_vkResetFences>();
      for (const VkFence& fence : std::span(args.pFences, args.fenceCount)) fences_.erase(call.id(&fence));
      break;
    }
    case CommandId::vkDestroyFence:
      fences_.erase(call.id(&call.as<args_vkDestroyFence>().fence));
      break;
    case CommandId::vkGetFenceFdKHR:
      fences_.erase(call.id(&call.as<args_vkGetFenceFdKHR>().pGetFdInfo->fence));
      break;
    case CommandId::vkImportFenceFdKHR:
      fences_.erase(call.id(&call.as<args_vkImportFenceFdKHR>().pImportFenceFdInfo->fence));
      break;
    default:
      break;
  }
}

void LateSubmits::take(const model::Call& call, std::uint32_t op) {
  if (op != kNone) follow_fences(call);
  if (is_submit(call.command.canonical) && op != kNone) {
    while (!submits_.empty() && !work_.running(submits_.begin()->second.place)) submits_.erase(submits_.begin());
    const ObjectId fence = call.command.canonical == CommandId::vkQueueSubmit
                               ? call.id(&call.as<args_vkQueueSubmit>().fence)
                               : call.id(&call.as<args_vkQueueSubmit2>().fence);
    submits_[call.sequence] = {op, work_.last(call.dispatch), fence};
    if (fence != ObjectId::null) fences_[fence] = call.sequence;
  }
  writes_.take(call);
  if (op == kNone) return;
  plan_.counts.undated_writes += writes_.is_unsure() ? 1 : 0;
  for (const std::uint64_t record : writes_.after()) {
    const Submit submit = submits_.at(record);
    Settle settle;
    settle.op = op;
    settle.queue = submit.place.queue;
    settle.submit = submit.op;
    const auto fence = fences_.find(submit.fence);
    if (fence != fences_.end() && fence->second == record)
      settle.fence = submit.fence;
    else
      plan_.ops[submit.op].watched = true;
    plan_.settles.push_back(settle);
    work_.finish(submit.place);
  }
}

// `op`: the record's, if it is in the plan.
Result<void> PlanBuilder::find_late_writes(const Record& record, const codec::CommandInfo& command, std::size_t op) {
  RONDO_TRY(model::load(reader_, command, lowered_, resolution_.ids, parameters_));
  const model::Call call{command,
                         parameters_.view,
                         resolution_,
                         plan_->objects,
                         record.sequence,
                         model::succeeded(command, record),
                         static_cast<std::uint64_t>(record.return_value)};
  late_submits_->take(call, op < plan_->ops.size() ? static_cast<std::uint32_t>(op) : kNone);
  return {};
}

}  // namespace rondo::player
