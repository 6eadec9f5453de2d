// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/op_words.h"

#include "analyzers/analysis/sync_rows.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

using graph::SyncLog;

std::string op_text(const graph::SyncQuestions& questions, const SyncLog::Op& op) {
  if (op.sync != SyncLog::kNone) {
    const graph::SyncOp& sync = questions.log.syncs()[op.sync];
    const char* const name = codec::info(sync.command).name;
    if (sync.kind == graph::SyncOp::Kind::host_wait) return text("a wait of the host, {} {}", name, op.record);
    if (sync.kind == graph::SyncOp::Kind::semaphore)
      return text("a semaphore that {} {} waits for, and {} signals", name, op.record, sync.signalled_by);
    const model::Barrier& barrier = sync.barriers[op.part];
    const char* const what = sync.kind == graph::SyncOp::Kind::dependency ? "dependency of subpasses, " : "";
    return text("{}{} {}: {}", what, name, op.record, scopes_text(barrier));
  }
  const graph::SyncShape& shape = questions.log.shape(op.shape);
  // A poll that succeeded, or a wait that a program could not leave out.
  if (shape.to_queue == SyncLog::kHost) return text("a wait or a poll of the host, {}", op.record);
  if (shape.from_queue == SyncLog::kHost)
    return text("the submit {}: what the host did before comes before it", op.record);
  if (shape.to_queue == SyncLog::kPresent) return text("a semaphore that the present {} waits for", op.record);
  if (shape.is_named || shape.from_subpass != graph::SyncShape::kAllBefore ||
      shape.to_subpass != graph::SyncShape::kAllAfter)
    return text("an implicit dependency of subpasses, {}", op.record);
  return text("a semaphore that the submit {} waits for", op.record);
}

}  // namespace rondo::analyzers
