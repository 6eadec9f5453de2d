// SPDX-License-Identifier: Apache-2.0
// The calls of a span, made ready once for a run that plays it many times: what
// only reads its parameters has a block of its own, whose pointers and whose
// handles of older objects are in place. Of the rest a run makes a fresh block
// each time, and of all in spans that it plays once.
#pragma once

#include <vector>

#include "generated/thunks.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct Step {
  Thunk* thunk = nullptr;  // null: the op is played as in any other span
  PFN_vkVoidFunction function = nullptr;
  std::byte* args = nullptr;
  const Patch* patches = nullptr;  // handles that the span makes
  std::uint32_t count = 0;         // of them
  bool checked = false;            // Op::checked
  std::uint64_t sequence = 0;      // Op::sequence
};

class Steps {
 public:
  // `most` bytes for blocks at most: what does not fit is not made ready. Nothing of
  // the plan's ops changes any more, nor the slots of what is older than the span.
  Steps(const class Run& run, OpRange span, std::size_t most);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  bool holds(std::uint32_t op) const { return op >= first_ && op - first_ < steps_.size(); }
  const Step* at(std::uint32_t op) const { return steps_.data() + (op - first_); }
  std::uint32_t last() const { return first_ + static_cast<std::uint32_t>(steps_.size()); }

 private:
  std::uint32_t first_ = 0;
  std::vector<Step> steps_;
  std::vector<Patch> patches_;
  Arena blocks_;
};

}  // namespace rondo::player
