// SPDX-License-Identifier: Apache-2.0
// Pages that a span binds otherwise than it found them: bound back by playing what bound them before.
#pragma once

#include <functional>
#include <vector>

#include "format/result.h"
#include "player/plan/plan.h"

namespace rondo::player {

class Run;

struct SparseBinds {
  std::vector<ObjectId> resources;            // from before the span, that it binds pages of
  std::vector<std::uint32_t> before, within;  // ops that bind pages of these
};

SparseBinds find_sparse_binds(const Plan& plan, const std::function<bool(ObjectId)>& lives_at_begin);

// Between two iterations, in front of everything that frees memory; nothing works.
Result<void> restore(Run& run, const SparseBinds& binds);

}  // namespace rondo::player
