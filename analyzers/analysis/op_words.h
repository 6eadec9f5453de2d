// SPDX-License-Identifier: Apache-2.0
// Words for what orders work: barriers, waits, submits.
#pragma once

#include <string>

#include "analyzers/analysis/graph/sync_questions.h"

namespace rondo::analyzers {

// "vkCmdPipelineBarrier 383: COPY (TRANSFER_WRITE) -> COMPUTE_SHADER (SHADER_READ)"; "a wait of the host,
// vkQueueWaitIdle 96".
std::string op_text(const graph::SyncQuestions& questions, const graph::SyncLog::Op& op);

}  // namespace rondo::analyzers
