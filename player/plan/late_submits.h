// SPDX-License-Identifier: Apache-2.0
// Which submits the player waits for before it plays a host write that the program made after
// their end without a wait for it (model/access/late_writes.h). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "model/access/late_writes.h"
#include "player/legal/work.h"
#include "player/plan/plan.h"

namespace rondo::player {

class LateSubmits {
 public:
  // `plan` grows while this lives, and `work` with it.
  LateSubmits(Plan& plan, validity::Work& work);

  // Every record that is not the layer's own, in order, after its op is in the plan. `op`: that one,
  // an index into Plan::ops; kNone: the record has none. Adds what the op waits for to Plan::settles,
  // and takes it for finished.
  void take(const model::Call& call, std::uint32_t op);
  std::size_t bytes() const { return writes_.bytes(); }

 private:
  struct Submit {
    std::uint32_t op;
    validity::Place place;
    ObjectId fence;  // the program's; 0: none
  };
  void follow_fences(const model::Call& call);
  access::LateWrites::Place place_of(ObjectId object) const;

  Plan& plan_;
  validity::Work& work_;
  std::map<std::uint64_t, Submit> submits_;  // by record; those that are not known to be finished
  // Fences that stand for a submit, by its record, until they are reset or given away.
  std::unordered_map<ObjectId, std::uint64_t> fences_;
  access::LateWrites writes_;
};

}  // namespace rondo::player
