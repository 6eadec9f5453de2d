// SPDX-License-Identifier: Apache-2.0
// What the API remembers where a span begins, as far as the plan alone tells it: layouts and owners, events, queries,
// and which command buffers the span uses as they were recorded before it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "format/result.h"
#include "player/plan/event_states.h"
#include "player/plan/layouts.h"
#include "player/plan/plan.h"

namespace rondo::trim {

enum class QueryState : std::uint8_t { unknown, reset, ended };

struct QueueOf {
  ObjectId id = ObjectId::null;
  std::uint32_t device = 0;  // index into Plan::devices
  std::uint32_t family = 0;  // as captured
  VkQueueFlags can = 0;
};

struct States {
  player::Layouts layouts;
  std::map<ObjectId, player::EventStates::State> events;
  std::set<ObjectId> signalled;                         // binary semaphores
  std::map<ObjectId, std::vector<QueryState>> queries;  // by pool
  // Command buffers to the record of their begin.
  std::map<ObjectId, std::uint64_t> recordings;
  std::vector<std::uint32_t> recorded;  // ops of those, in order
  std::vector<QueueOf> queues;          // of those that are there
  // The span copies what a query of before it found: nothing can give a query a value. Not of times, which no replay
  // has.
  bool copies_results = false;
  // by resource: memories (Plan::memories) that pages were bound to
  std::map<ObjectId, std::set<std::uint32_t>> sparse;
};

// In front of the plan's span, before preflight changes the plan; nothing waits there. Names what cannot be cut:
// commands that the span executes and that were preprocessed before it.
Result<States> find_states(const player::Plan& plan);

// Whether all work from before that op ends without what comes behind it. Names what waits.
Result<void> check_nothing_waits(const player::Plan& plan, std::uint32_t op);

}  // namespace rondo::trim
