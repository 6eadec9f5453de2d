// SPDX-License-Identifier: Apache-2.0
// Command buffers that are recorded and executed before the span, and executed in it again: they write their
// queries each time, and a query is written once after a reset. After each of these submits a command buffer
// of the player's own resets them.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "generated/args.h"
#include "player/measure/command_times.h"
#include "player/measure/gpu_times.h"
#include "player/plan/op_view.h"
#include "player/plan/recordings.h"

namespace rondo::player {

namespace {

// Of a submit, as ids: the command buffers of each batch, and whether it takes one more.
struct SubmittedBatch {
  std::vector<ObjectId> commands;
  bool grows = false;
};

std::vector<SubmittedBatch> batches_of(const Plan& plan, const Op& op, OpView& view) {
  std::vector<SubmittedBatch> batches;
  view.load(plan, op);
  if (codec::info(op.command).canonical == CommandId::vkQueueSubmit) {
    const auto& a = view.as<args_vkQueueSubmit>();
    for (std::uint32_t b = 0; b < a.submitCount; ++b) {
      SubmittedBatch& batch = batches.emplace_back();
      batch.grows = takes_more_commands(a.pSubmits[b].pNext);
      for (std::uint32_t i = 0; i < a.pSubmits[b].commandBufferCount; ++i)
        batch.commands.push_back(view.id(&a.pSubmits[b].pCommandBuffers[i]));
    }
  } else {
    const auto& a = view.as<args_vkQueueSubmit2>();
    for (std::uint32_t b = 0; b < a.submitCount; ++b) {
      SubmittedBatch& batch = batches.emplace_back();
      batch.grows = takes_more_commands(a.pSubmits[b].pNext) && (a.pSubmits[b].flags & VK_SUBMIT_PROTECTED_BIT) == 0;
      for (std::uint32_t i = 0; i < a.pSubmits[b].commandBufferInfoCount; ++i)
        batch.commands.push_back(view.id(&a.pSubmits[b].pCommandBufferInfos[i].commandBuffer));
    }
  }
  return batches;
}

}  // namespace

// Before find_places(): a point that could not be reset is lost.
void CommandTimes::find_resets() {
  const Plan& plan = run_.plan();
  // The command buffers that have points from before the span, and the first op of these. The span executes this
  // recording, so it is not recorded again before the span.
  std::unordered_map<ObjectId, std::uint32_t> begins;
  for (const std::uint32_t op : op_of_point_) {
    if (op >= plan.span.first) continue;  // kNone, too
    const auto [found, fresh] = begins.try_emplace(plan.ops[op].dispatch, op);
    if (!fresh) found->second = std::min(found->second, op);
  }
  if (begins.empty()) return;
  std::unordered_map<ObjectId, std::vector<ObjectId>>
      secondaries;  // of what is recorded now: those of `begins`, nested ones, too
  std::unordered_map<ObjectId, bool> is_lost;
  OpView view;
  for (std::uint32_t i = 0; i < plan.span.first; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id == CommandId::vkBeginCommandBuffer) {
      secondaries.erase(op.dispatch);
    } else if (id == CommandId::vkCmdExecuteCommands) {
      for (std::uint32_t p = 0; p < op.patches; ++p)
        if (const ObjectId one = plan.patches[op.first_patch + p].id; one != op.dispatch) {
          if (begins.contains(one)) secondaries[op.dispatch].push_back(one);
          if (const auto nested = secondaries.find(one); nested != secondaries.end()) {
            const std::vector<ObjectId> more = nested->second;
            auto& all = secondaries[op.dispatch];
            all.insert(all.end(), more.begin(), more.end());
          }
        }
    } else if (id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2) {
      const auto has = [&](ObjectId one) { return begins.contains(one) || secondaries.contains(one); };
      const auto all = submitted_commands(plan, op);
      if (std::none_of(all.begin(), all.end(), has)) continue;
      const std::vector<SubmittedBatch> batches = batches_of(plan, op, view);
      for (std::uint32_t b = 0; b < batches.size(); ++b) {
        Reset reset{b, {}};
        const auto add = [&](ObjectId commands) {
          const auto found = begins.find(commands);
          if (found == begins.end() || found->second > i) return;
          // Executed twice before it could be reset.
          const bool again = std::find(reset.commands.begin(), reset.commands.end(), commands) != reset.commands.end();
          if (again || !batches[b].grows) is_lost[commands] = true;
          if (!again) reset.commands.push_back(commands);
        };
        for (const ObjectId primary : batches[b].commands) {
          add(primary);
          if (const auto inner = secondaries.find(primary); inner != secondaries.end())
            for (const ObjectId one : inner->second) add(one);
        }
        std::sort(reset.commands.begin(), reset.commands.end());
        if (!reset.commands.empty() && batches[b].grows) submits_[i].resets.push_back(std::move(reset));
      }
    }
  }
  for (std::size_t p = 0; p < places_.size(); ++p)
    if (op_of_point_[p] < plan.span.first && is_lost.contains(plan.ops[op_of_point_[p]].dispatch))
      places_[p].is_lost = true;
}

// Null: nothing of these is on a device that is ready, or an error is kept for reset().
VkCommandBuffer CommandTimes::reset_commands(std::uint32_t op, const Reset& reset) {
  const Op& submit = run_.plan().ops[op];
  if (submit.device >= devices_.size() || !devices_[submit.device].is_ready || !failed_.has_value())
    return VK_NULL_HANDLE;
  std::uint32_t family = kNone;
  for (const LiveQueue& queue : run_.device_at(submit.device)->queues)
    if (queue.id == submit.dispatch) family = queue.family;
  if (family == kNone) return VK_NULL_HANDLE;
  const auto [known, fresh] = own_resets_.try_emplace({family, reset.commands}, VkCommandBuffer{VK_NULL_HANDLE});
  if (!fresh) return known->second;
  std::vector<Range> ranges;
  for (std::uint32_t p = 0; p < places_.size(); ++p)
    if (places_[p].pool != kNone && pools_[places_[p].pool].device == submit.device &&
        std::binary_search(reset.commands.begin(), reset.commands.end(), places_[p].commands))
      add_range(ranges, p);
  if (ranges.empty()) return VK_NULL_HANDLE;
  const auto pool = own_pool(submit.device, family);
  if (!pool) return failed_ = tl::unexpected<Error>(pool.error()), VK_NULL_HANDLE;
  failed_ = record_own(
      submit.device, *pool, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, known->second, [&](VkCommandBuffer commands) {
        for (const Range& range : ranges)
          run_.device_at(submit.device)
              ->dispatch.vkCmdResetQueryPool(commands, pools_[range.pool].handle, range.first, range.count);
      });
  return failed_ ? known->second : VK_NULL_HANDLE;
}

}  // namespace rondo::player
