// SPDX-License-Identifier: Apache-2.0
// Labels of queues that are open across the ends of a span: a loop that simply
// went on would end some that nobody began, which drivers do not expect.
#pragma once

#include <cstdint>
#include <vector>

#include "player/plan/plan.h"

namespace rondo::player {

// Of one queue, as ops of the plan.
struct OpenLabels {
  ObjectId queue = ObjectId::null;
  std::uint32_t ends = 0;             // of labels that the span begins and leaves open
  std::vector<std::uint32_t> begins;  // from before the span, that it ends: in their order
};

std::vector<OpenLabels> find_open_labels(const Plan& plan);

}  // namespace rondo::player
