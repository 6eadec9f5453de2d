// SPDX-License-Identifier: Apache-2.0
// What is tried of a finding of `rondo sync`.
#pragma once

#include <span>

#include "analyzers/analysis/sync_findings.h"
#include "analyzers/prove/edits.h"

namespace rondo::prove {

// A superfluous command is left out, a too wide one has the scopes that are enough; in all occurrences of the finding.
// Status::failed: it cannot be tried, and the message says why.
Result<Edits> edits_of(const analyzers::SyncAnalysis& analysis, const analyzers::SyncFinding& finding);

// The ways in which the commands of a race can come in another order.
struct Orders {
  std::vector<Edits> ways;
  // All ways are played, since the capture has one of them. Else the first one that can be played is enough.
  bool needs_all = false;
};

// Walks the capture once for all of them. An error in the vector says why that race cannot be tried; an error of the
// function itself is one of the capture.
Result<std::vector<Result<Orders>>> orders_of(const std::string& capture,
                                              std::span<const analyzers::SyncRace* const> races);

}  // namespace rondo::prove
