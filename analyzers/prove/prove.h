// SPDX-License-Identifier: Apache-2.0
// Tries findings of `rondo sync` by playing the capture without what is superfluous, with what is enough, or with the
// commands of a race in another order. What is compared is what the checkpoints of the capture have. No device here:
// Plays has it. One thread.
#pragma once

#include <span>

#include "analyzers/analysis/sync_findings.h"
#include "analyzers/prove/edits.h"
#include "analyzers/prove/plays.h"

namespace rondo::prove {

struct ProveOptions {
  std::string file;
  FileAccess files = {};
  std::uint64_t loops = 5;   // that are compared
  std::uint64_t tries = 16;  // findings that are tried
};

struct Proofs {
  std::string devices;                                 // it was played on
  std::uint64_t tried = 0, proven = 0, not_tried = 0;  // findings
  std::uint64_t together = 0;  // superfluous and too wide ones that were proven, left out or narrowed at once
  std::string times;           // before and after that, as a sentence; empty: nothing was measured
  std::string overlap;         // why submits were not also played without a pause between them; empty: they were
};

// Sets SyncFinding::proof of these findings, in their order. Status::usage: the capture has nothing that could be
// compared. Others: the capture itself cannot be played, or no file can be written.
Result<Proofs> prove(const analyzers::SyncAnalysis& analysis, std::span<analyzers::SyncFinding* const> findings,
                     const ProveOptions& options, Plays& plays);

}  // namespace rondo::prove
