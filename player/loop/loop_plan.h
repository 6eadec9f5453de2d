// SPDX-License-Identifier: Apache-2.0
// What the ops of a span change of what was there before them: found once,
// from the plan alone. The plan is changed with it so that the span can be
// played any number of times: what ends an older object is left to the end of
// the run, and pools can give back single objects.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "format/result.h"
#include "player/loop/layout_changes.h"
#include "player/loop/open_labels.h"
#include "player/loop/sparse_restore.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct LoopPlan {
  // Made in the span and alive behind it, in the order to destroy them.
  std::vector<ObjectId> survivors;
  // Command buffers: ops that bring back a recording from before the span which the span submits and
  // replaces, in their order, and those that wrote indirect execution sets; and command buffers that are
  // left half recorded.
  std::vector<std::uint32_t> recordings;
  std::vector<ObjectId> half_recorded;
  // Binary semaphores that the span leaves otherwise than it found them.
  struct Binary {
    ObjectId semaphore;
    bool signalled;  // before the span
  };
  std::vector<Binary> binaries;
  std::vector<ObjectId> timelines;  // that the span signals
  std::vector<ObjectId> fences, events;
  // Events of the device alone, which the host can neither ask nor set, that the span leaves otherwise
  // than it found them.
  struct DeviceEvent {
    ObjectId event;
    bool set;  // before the span
  };
  std::vector<DeviceEvent> device_events;
  // Of events that a command had set before the span: the op. A wait has to say how the event was set,
  // so that is what sets it again.
  struct Setter {
    std::uint32_t op = kNone;
    bool changed = false;  // something else set it in the span, or reset it
  };
  std::map<ObjectId, Setter> setters;
  std::vector<ObjectId> sets;  // descriptor sets that it writes
  struct Queries {
    ObjectId pool;
    std::uint32_t first, count;
  };
  std::vector<Queries> queries;  // that it uses without a reset of its own
  LayoutChanges layouts;
  std::vector<OpenLabels> labels;
  SparseBinds sparse;
  // Ops that bind older resources, and allocate what those are bound to: there is no way back, so they
  // are played once. Such memory of the span's own is zeroed instead of allocated anew.
  std::vector<std::uint32_t> once;
  std::vector<ObjectId> zeroed;
};

// In no iteration from here on.
void leave_out(Op& op);

// Whether work that was submitted before this op waits for what comes from it on: the
// device cannot be made idle there.
bool has_waiting_work(const Plan& plan, std::uint32_t op);

// Names the object where the span cannot be repeated.
Result<LoopPlan> plan_loop(Plan& plan);

}  // namespace rondo::player
