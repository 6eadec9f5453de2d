// SPDX-License-Identifier: Apache-2.0
// How `rondo sync` prints what it found: as text, and as JSON lines.
#pragma once

#include <string>
#include <string_view>

#include "analyzers/analysis/sync_findings.h"

namespace rondo::analyzers {

// With `all`: what is needed, too, and what for.
void append_sync_text(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding);
void append_sync_json(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding);

// "host wait"
std::string_view word_of(graph::SyncOp::Kind kind);

// "COMPUTE_SHADER (SHADER_STORAGE_WRITE)"; "NONE".
std::string scope_text(VkPipelineStageFlags2 stages, VkAccessFlags2 access);
// "COPY (TRANSFER_WRITE) -> COMPUTE_SHADER (SHADER_READ)".
std::string scopes_text(const model::Barrier& one);

// C that orders both commands of a race, and nothing else: "const VkMemoryBarrier2 barrier = {…};". Empty: a barrier
// does not do it.
std::string barrier_code(const SyncRace& race);

}  // namespace rondo::analyzers
