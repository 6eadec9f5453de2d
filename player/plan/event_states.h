// SPDX-License-Identifier: Apache-2.0
// Which events are set behind an op of a plan, and by what. Submits count in
// the order in which they were made.
#pragma once

#include <cstdint>
#include <map>

#include "player/plan/op_view.h"
#include "player/plan/plan.h"
#include "player/plan/recordings.h"

namespace rondo::player {

class EventStates {
 public:
  struct State {
    bool device_only = false;
    bool set = false;
    std::uint32_t setter = kNone;  // the command, or rondoEventSet, that set it; none: the host did, or it is not set
  };
  explicit EventStates(const Plan& plan) : plan_(plan) {}
  // The next op of the plan; `recordings` took it last.
  void take(const Recordings& recordings, std::uint32_t op);
  const std::map<ObjectId, State>& all() const { return states_; }
  // Events that were not set where a submit's work began to wait for them, and what nothing set since: the
  // submit. Only the host can set them.
  const std::map<ObjectId, std::uint32_t>& waited_for() const { return waited_for_; }

 private:
  const Plan& plan_;
  OpView view_;
  std::map<ObjectId, State> states_;
  std::map<ObjectId, std::uint32_t> waited_for_;
};

}  // namespace rondo::player
