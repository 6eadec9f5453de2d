// SPDX-License-Identifier: Apache-2.0
// How an operation of synchronization is taken out of a capture.
#pragma once

#include "analyzers/analysis/graph/sync_log.h"
#include "analyzers/prove/edits.h"

namespace rondo::barriers {

struct Deletion {
  prove::Edits edits;
  const char* how = "";  // in words
};

// Status::failed: it cannot be taken out alone; the message says why.
Result<Deletion> deletion_of(const graph::SyncOp& sync);

}  // namespace rondo::barriers
