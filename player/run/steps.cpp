// SPDX-License-Identifier: Apache-2.0
#include "player/run/steps.h"

#include <algorithm>
#include <span>

#include "player/run/run.h"

namespace rondo::player {

namespace {

// Besides those that are recorded into command buffers: they write nothing to their parameters.
bool only_reads(CommandId id) {
  const codec::CommandInfo& command = codec::info(id);
  switch (command.canonical) {
    case CommandId::vkBeginCommandBuffer:
    case CommandId::vkEndCommandBuffer:
    case CommandId::vkUpdateDescriptorSets:
    case CommandId::vkUpdateDescriptorSetWithTemplate:
    case CommandId::vkResetFences:
      return true;
    default:
      return command.records_into_command_buffer;
  }
}

// By ObjectId: made before the span, and not again in it.
std::vector<bool> older_objects(const Plan& plan, OpRange span) {
  std::vector<bool> older(plan.objects.objects().size(), false);
  const auto note = [&](std::uint32_t first, std::uint32_t last, bool is_older) {
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t c = 0; c < plan.ops[i].created; ++c)
        older[index_of(plan.created[plan.ops[i].first_created + c].id)] = is_older;
  };
  note(0, span.first, true);
  note(span.first, span.last, false);
  return older;
}

}  // namespace

Steps::Steps(const Run& run, OpRange span, std::size_t most) : first_(span.first), steps_(span.last - span.first) {
  const Plan& plan = run.plan();
  const std::vector<bool> older = older_objects(plan, span);
  const auto of_older = [&](const Patch& patch) { return patch.id == ObjectId::null || older[index_of(patch.id)]; };
  const auto patches_of = [&](const Op& op) { return std::span(plan.patches).subspan(op.first_patch, op.patches); };
  std::size_t left = 0;
  for (std::uint32_t i = span.first; i < span.last; ++i)
    for (const Patch& patch : patches_of(plan.ops[i])) left += of_older(patch) ? 0 : 1;
  patches_.reserve(left);  // steps point into it

  auto settle = std::lower_bound(plan.settles.begin(), plan.settles.end(), span.first,
                                 [](const Settle& one, std::uint32_t op) { return one.op < op; });
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    const Op& op = plan.ops[i];
    bool settled = false;
    for (; settle != plan.settles.end() && settle->op == i; ++settle) settled = true;
    if (settled || op.created != 0 || op.ended != 0 || !only_reads(op.command) ||
        executors()[static_cast<std::size_t>(op.command)] != nullptr)
      continue;
    if (run.is_timed(i)) continue;
    const PFN_vkVoidFunction function = run.function(op);
    const std::size_t bytes = std::max<std::size_t>(op.block_bytes, 1);
    if (function == nullptr || blocks_.bytes() + bytes > most) continue;
    Step& step = steps_[i - span.first];
    step.args = blocks_.at(blocks_.allocate(bytes));
    run.patch(op, step.args);
    step.patches = patches_.data() + patches_.size();
    for (const Patch& patch : patches_of(op))
      if (!of_older(patch)) patches_.push_back(patch);
    step.count = static_cast<std::uint32_t>(patches_.data() + patches_.size() - step.patches);
    step.function = function;
    step.checked = op.checked;
    step.sequence = op.sequence;
    step.thunk = thunk(op.command);
  }
}

}  // namespace rondo::player
