// SPDX-License-Identifier: Apache-2.0
// What a span does to queries of pools from before it.
#pragma once

#include <map>

#include "player/loop/loop_plan.h"
#include "player/plan/recordings.h"

namespace rondo::player {

class QueryUses {
 public:
  // The next use. The first one decides: a reset asks for nothing, a write needs a reset between the iterations,
  // and what is read has its value from before the span, which nothing may change then. Why the span cannot be
  // looped; empty: it can.
  std::string use(const Plan& plan, const model::QueryUse& use);
  // What has to be reset.
  std::vector<LoopPlan::Queries> to_reset() const;

 private:
  std::map<ObjectId, std::map<std::uint32_t, model::QueryUse::Kind>> first_;  // by pool and query
  std::size_t queries_ = 0;                                                   // in first_
};

}  // namespace rondo::player
