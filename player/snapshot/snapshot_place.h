// SPDX-License-Identifier: Apache-2.0
// Where in a plan the place of a snapshot is.
#pragma once

#include "player/snapshot/snapshot.h"

namespace rondo::player {

// What to build the plan with: it says where there is no such place.
SpanRequest span_of(const SnapshotPlace& place);

// The first op that is not played, of a plan that was built with span_of(place). Fails where the devices cannot be
// made idle there.
Result<std::uint32_t> find_place(const Plan& plan, const SnapshotPlace& place);

}  // namespace rondo::player
