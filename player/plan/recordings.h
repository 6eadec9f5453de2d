// SPDX-License-Identifier: Apache-2.0
// What each command buffer holds, op by op: for a span that submits what was
// recorded before it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "player/plan/op_view.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct QueryUse {
  enum class Kind : std::uint8_t { reset, write, read } kind;
  ObjectId pool = ObjectId::null;
  std::uint32_t first = 0, count = 0;
};

struct EventUse {
  enum class Kind : std::uint8_t { set, reset, wait } kind;
  ObjectId event = ObjectId::null;
  std::uint32_t op = kNone;
};

struct Recording {
  std::vector<std::uint32_t> ops;  // from the begin on
  std::vector<ObjectId> secondaries;
  std::vector<QueryUse> queries;  // of its secondaries, too
  std::vector<EventUse> events;   // likewise
  bool one_time = false;
  bool ended = false;
};

class Recordings {
 public:
  explicit Recordings(const Plan& plan) : plan_(plan) {}
  // The next op of the plan.
  void take(std::uint32_t op);
  // Null: none was begun since the last reset.
  std::shared_ptr<Recording> find(ObjectId command_buffer) const {
    const auto found = current_.find(command_buffer);
    return found == current_.end() ? nullptr : found->second;
  }
  const std::unordered_map<ObjectId, std::shared_ptr<Recording>>& all() const { return current_; }
  // A hostile file's secondaries in secondaries: not followed any further.
  bool too_many() const { return too_many_; }

 private:
  void note(std::uint32_t index, Recording& recording, CommandId canonical);

  template <class Args>
  const Args& args_of(const Op& op) {
    view_.load(plan_, op);
    return view_.as<Args>();
  }

  const Plan& plan_;
  OpView view_;
  std::unordered_map<ObjectId, std::shared_ptr<Recording>> current_;
  static constexpr std::size_t kMostUses = 1 << 18;
  bool too_many_ = false;
};

// The command buffers that an op submits, in their order.
std::vector<ObjectId> submitted_commands(const Plan& plan, const Op& op);

}  // namespace rondo::player
