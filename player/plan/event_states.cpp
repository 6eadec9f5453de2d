// SPDX-License-Identifier: Apache-2.0
#include "player/plan/event_states.h"

#include <algorithm>

#include "format/codec/schema.h"
#include "generated/args.h"

namespace rondo::player {

void EventStates::take(const Recordings& recordings, std::uint32_t index) {
  const Op& op = plan_.ops[index];
  const CommandId id = codec::info(op.command).canonical;
  if (id == CommandId::vkCreateEvent) {
    view_.load(plan_, op);
    const auto* info = view_.as<args_vkCreateEvent>().pCreateInfo;
    states_[op.subject].device_only = info != nullptr && (info->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT) != 0;
  }
  if (states_.empty()) return;
  const auto now = [&](ObjectId event, bool set, std::uint32_t setter) {
    if (const auto found = states_.find(event); found != states_.end())
      found->second = {found->second.device_only, set, set ? setter : kNone};
    if (set) waited_for_.erase(event);
  };
  for (const EventUse& use : recordings.events_now())  // by the host, or put back by a cut
    now(use.event, use.kind == EventUse::Kind::set, id == CommandId::rondoEventSet ? index : kNone);
  const auto take_use = [&](const EventUse& use) {
    if (use.kind != EventUse::Kind::wait) return now(use.event, use.kind == EventUse::Kind::set, use.op);
    const auto found = states_.find(use.event);
    if (found != states_.end() && !found->second.set) waited_for_.emplace(use.event, index);
  };
  for (const ObjectId commands : submitted_commands(plan_, op))
    if (const auto recording = recordings.find(commands); recording != nullptr)
      std::for_each(recording->events.begin(), recording->events.end(), take_use);
}

}  // namespace rondo::player
