// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "player/loop/loop_plan.h"
#include "player/plan/event_states.h"
#include "player/plan/recordings.h"
#include "player/plan/sync_model.h"

namespace rondo::player {

bool has_waiting_work(const Plan& plan, std::uint32_t at) {
  SyncModel model(plan);
  model.advance(at);
  if (model.blocked()) return true;
  const auto makes_event = [](const Op& op) { return op.command == CommandId::vkCreateEvent; };
  if (std::none_of(plan.ops.begin(), plan.ops.begin() + at, makes_event)) return false;
  Recordings recordings(plan);
  EventStates events(plan);
  for (std::uint32_t i = 0; i < at; ++i) {
    recordings.take(i);
    events.take(recordings, i);
  }
  return !events.waited_for().empty();
}

}  // namespace rondo::player
