// SPDX-License-Identifier: Apache-2.0
// The hidden option --damage: tests spoil a plan on purpose and expect the
// verification to name the place.
#include <algorithm>
#include <string_view>

#include "generated/args.h"
#include "player/plan_builder.h"

namespace rondo::player {

bool PlanBuilder::damaged_away(const codec::CommandInfo& command) {
  const Damage& damage = options_.damage;
  if (damage.kind == Damage::Kind::drop_host_write && command.canonical == CommandId::rondoHostWrite)
    return host_writes_++ == damage.a;
  return damage.kind == Damage::Kind::drop_dispatches &&
         std::string_view(command.name).starts_with("vkCmdDispatch");
}

// Called behind emit(): `op` is the last one, its batches are counted already.
void PlanBuilder::note_submits(const codec::CommandInfo& command, const Op& op) {
  if (options_.damage.kind != Damage::Kind::swap_submits) return;
  const auto note = [&](std::uint64_t batch, const void* member) {
    std::vector<std::uint32_t>* to = batch == options_.damage.a   ? &swap_a_
                                     : batch == options_.damage.b ? &swap_b_
                                                                  : nullptr;
    if (to == nullptr) return;
    for (std::uint32_t i = op.first_patch; i < op.first_patch + op.patches; ++i)
      if (plan_->patches[i].offset == view_.offset(member)) to->push_back(i);
  };
  if (command.canonical == CommandId::vkQueueSubmit) {
    const auto& args = view_.as<args_vkQueueSubmit>();
    for (std::uint32_t s = 0; s < args.submitCount; ++s)
      for (std::uint32_t c = 0; c < args.pSubmits[s].commandBufferCount; ++c)
        note(plan_->counts.submits - args.submitCount + s, &args.pSubmits[s].pCommandBuffers[c]);
  } else {
    const auto& args = view_.as<args_vkQueueSubmit2>();
    for (std::uint32_t s = 0; s < args.submitCount; ++s)
      for (std::uint32_t c = 0; c < args.pSubmits[s].commandBufferInfoCount; ++c)
        note(plan_->counts.submits - args.submitCount + s,
             &args.pSubmits[s].pCommandBufferInfos[c].commandBuffer);
  }
}

Result<void> PlanBuilder::finish_damage() {
  const Damage& damage = options_.damage;
  switch (damage.kind) {
    case Damage::Kind::drop_host_write:
      if (host_writes_ <= damage.a)
        return fail(Status::usage,
                    "--damage: the capture has only " + std::to_string(host_writes_) + " host writes");
      break;
    case Damage::Kind::corrupt_blob:
      if (blobs_seen_ <= damage.a)
        return fail(Status::usage,
                    "--damage: the capture uses only " + std::to_string(blobs_seen_) + " blobs");
      break;
    case Damage::Kind::swap_submits:
      if (swap_a_.empty() || swap_a_.size() != swap_b_.size())
        return fail(Status::usage, "--damage: those submits do not have the same number of command buffers");
      return exchange_submits();
    case Damage::Kind::move_memory:
      move_memory(damage.a);
      break;
    default:
      break;
  }
  return {};
}

// Refused where it would do nothing, and where a driver would not survive it: a
// command buffer that is not recorded yet, or freed by then.
Result<void> PlanBuilder::exchange_submits() {
  std::vector<Patch>& patches = plan_->patches;
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return patches[a].id == patches[b].id; };
  if (std::equal(swap_a_.begin(), swap_a_.end(), swap_b_.begin(), same))
    return fail(Status::usage,
                "--damage: those submits have the same command buffers: exchanging them does nothing");
  const std::uint32_t first = std::min(swap_a_.front(), swap_b_.front());
  const std::uint32_t last = std::max(swap_a_.front(), swap_b_.front());
  std::unordered_set<ObjectId> recorded, ended;
  for (const Op& op : plan_->ops) {
    if (op.first_patch > last) break;
    if (op.first_patch <= first && op.command == CommandId::vkEndCommandBuffer) recorded.insert(op.dispatch);
    for (std::uint32_t i = op.first_ended; i < op.first_ended + op.ended; ++i) ended.insert(plan_->ended[i]);
  }
  for (std::size_t i = 0; i < swap_a_.size(); ++i) {
    for (const std::uint32_t patch : {swap_a_[i], swap_b_[i]}) {
      const ObjectId id = patches[patch].id;
      if (recorded.count(id) == 0 || ended.count(id) != 0)
        return fail(Status::usage,
                    "--damage: " + plan_->name(id) + " is not recorded and alive at both submits");
    }
    std::swap(patches[swap_a_[i]].id, patches[swap_b_[i]].id);
  }
  return {};
}

// The capture of a device whose resources lay `by` bytes further on.
void PlanBuilder::move_memory(std::uint64_t by) {
  Plan& plan = *plan_;
  plan.foreign = true;
  for (CapturedResource& resource : plan.resources) resource.offset += by;
  for (CapturedMemory& memory : plan.memories) memory.bytes += by;
  const auto move = [&](std::byte* block, std::uint32_t count, const RondoRange* at) {
    auto* ranges =
        reinterpret_cast<RondoRange*>(block + reinterpret_cast<std::uintptr_t>(at));  // an offset still
    for (std::uint32_t i = 0; i < count; ++i) ranges[i].offset += by;
  };
  for (const Op& op : plan.ops) {
    std::byte* block = plan.arena.at(op.block);
    if (op.command == CommandId::rondoHostWrite) {
      const auto& args = *reinterpret_cast<const args_rondoHostWrite*>(block);
      move(block, args.rangeCount, args.pRanges);
    } else if (op.command == CommandId::rondoCheckpointMemory) {
      const auto& args = *reinterpret_cast<const args_rondoCheckpointMemory*>(block);
      move(block, args.rangeCount, args.pRanges);
    }
  }
}

}  // namespace rondo::player
