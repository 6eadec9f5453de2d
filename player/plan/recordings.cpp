// SPDX-License-Identifier: Apache-2.0
#include "player/plan/recordings.h"

#include <span>

#include "format/codec/schema.h"
#include "generated/args.h"

namespace rondo::player {

Recordings::Recordings(const Plan& plan, std::uint32_t wanted)
    : plan_(plan), effects_(*this, wanted | model::kExecutes) {
  buffers_.on_drop([this](const Recording& one) {
    RONDO_CHECK(one.transitions.size() <= kept_);
    kept_ -= one.transitions.size();
  });
}

void Recordings::take(std::uint32_t index) {
  index_ = index;
  transitions_.clear();
  events_.clear();
  const codec::CommandInfo& command = codec::info(op().command);
  model::CallOf<ObjectId> call{.command = command, .names = this, .sequence = index, .dispatch = op().dispatch};
  RONDO_CHECK(std::size_t{op().first_ended} + op().ended <= plan_.ended.size());
  call.ended = std::span(plan_.ended).subspan(op().first_ended, op().ended);
  if (effects_.looks_at(command.canonical)) {
    view_.load(plan_, op());
    call.args = &view_.as<std::byte>();
  }
  buffers_.take(call);
  if (Recording* const to = recording(); to != nullptr) {
    if (command.canonical == CommandId::vkBeginCommandBuffer) {
      const auto* info = call.as<args_vkBeginCommandBuffer>().pBeginInfo;
      to->one_time = info != nullptr && (info->flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0;
    }
    to->ended = to->ended || command.canonical == CommandId::vkEndCommandBuffer;
    RONDO_CHECK(to->ops.empty() || to->ops.back() < index);
    to->ops.push_back(index);
  }
  effects_.take(call);
  for (const ObjectId id : call.ended)
    if (kind_of(id) == HandleType::VkCommandBuffer) buffers_.forget(id);
}

void Recordings::query(const model::QueryUse& use) {
  using Kind = model::QueryUse::Kind;
  Recording* const to = is_recorded() ? recording() : nullptr;
  if (to == nullptr || use.kind == Kind::end) return;
  to->queries.push_back(use);
  if (use.kind == Kind::begin) to->queries.back().kind = Kind::write;
}

void Recordings::event(const model::EventUse& use) {
  const EventUse one{use.kind, use.event, index_};
  if (!is_recorded()) return events_.push_back(one);
  if (Recording* const to = recording(); to != nullptr) to->events.push_back(one);
}

void Recordings::transition(const model::Transition& one) {
  Recording* const to = is_recorded() ? recording() : nullptr;
  if (is_recorded() && to == nullptr) return;
  if (kept_ >= kMostTransitions) {
    too_many_ = true;
    return;
  }
  if (one.from == VK_IMAGE_LAYOUT_PREINITIALIZED) {
    const auto* says = reinterpret_cast<const std::byte*>(one.says);
    preinitialized_.push_back({one.resource, one.range, index_,
                               says != nullptr ? static_cast<std::uint32_t>(says - &view_.as<std::byte>()) : kNone});
  }
  model::Transition kept = one;
  kept.says = nullptr;  // it is gone with the view of the op
  if (to == nullptr) return transitions_.push_back(kept);
  to->transitions.push_back(kept);
  ++kept_;
}

void Recordings::execute(ObjectId secondary) {
  Recording* const to = recording();
  if (to == nullptr || secondary == ObjectId::null || secondary == op().dispatch) return;
  to->secondaries.push_back(secondary);
  const std::shared_ptr<Recording> inner = find(secondary);
  if (inner == nullptr) return;
  if (inner->queries.size() + inner->events.size() + to->queries.size() + to->events.size() > kMostUses ||
      kept_ + inner->transitions.size() > kMostTransitions) {
    too_many_ = true;
    return;
  }
  to->queries.insert(to->queries.end(), inner->queries.begin(), inner->queries.end());
  to->events.insert(to->events.end(), inner->events.begin(), inner->events.end());
  to->transitions.insert(to->transitions.end(), inner->transitions.begin(), inner->transitions.end());
  kept_ += inner->transitions.size();
}

std::vector<ObjectId> submitted_commands(const Plan& plan, const Op& op) {
  std::vector<ObjectId> commands;
  const CommandId id = codec::info(op.command).canonical;
  if (id != CommandId::vkQueueSubmit && id != CommandId::vkQueueSubmit2) return commands;
  RONDO_CHECK(std::size_t{op.first_patch} + op.patches <= plan.patches.size());
  for (std::uint32_t i = 0; i < op.patches; ++i) {
    const ObjectId one = plan.patches[op.first_patch + i].id;
    if (plan.objects.objects()[one].type == HandleType::VkCommandBuffer) commands.push_back(one);
  }
  return commands;
}

}  // namespace rondo::player
