// SPDX-License-Identifier: Apache-2.0
// Which objects from before a span it needs: those that it names, and what those need in their turn. From the plan.
#pragma once

#include <functional>
#include <vector>

#include "player/plan/op_view.h"
#include "player/plan/plan.h"

namespace rondo::trim {

class Keep {
 public:
  // The ops in front of `end` count. `also`: what else an object needs, asked once for each.
  using Also = std::function<void(ObjectId id, const std::function<void(ObjectId)>& need)>;
  Keep(const player::Plan& plan, std::uint32_t end, Also also);

  void add(ObjectId id);
  // Whatever an op names.
  void add_named_by(std::uint32_t op);
  bool has(ObjectId id) const { return index_of(id) < kept_.size() && kept_[index_of(id)]; }
  // The op that made it; kNone: none that is played did.
  std::uint32_t made_by(ObjectId id) const { return index_of(id) < made_.size() ? made_[index_of(id)] : player::kNone; }

 private:
  void add_uses(ObjectId id);
  // Of one of several that a call makes: what belongs to it alone, and to all.
  void add_part_uses(ObjectId id, const player::Op& op);

  const player::Plan& plan_;
  const ByObject<Object>& objects_;
  const Also also_;
  std::vector<std::uint32_t> made_;  // by ObjectId: index of the op
  std::vector<bool> kept_;           // by ObjectId
  std::vector<ObjectId> open_;       // kept, its needs not looked at yet
  bool adding_ = false;
  player::OpView view_;
};

// Calls that make pipelines or a swapchain name what those can do without: caches, the swapchain before.
bool does_without(CommandId canonical, HandleType type);

}  // namespace rondo::trim
