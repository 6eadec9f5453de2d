// SPDX-License-Identifier: Apache-2.0
#include "analyzers/prove/tries.h"

namespace rondo::prove {

namespace {

using analyzers::SyncFinding;
using analyzers::SyncNarrow;
using analyzers::SyncRule;
using graph::SyncOp;

tl::unexpected<Error> not_tried(const char* why) { return fail(Status::failed, why); }

bool changes(const model::Barrier& one) {
  return one.kind != model::Barrier::Kind::memory &&
         (one.old_layout != one.new_layout || one.src_family != one.dst_family);
}

BarrierEdit edit_of(const SyncNarrow& one) {
  return {one.barrier,           one.is_unused,         one.enough.src_stages,
          one.enough.dst_stages, one.enough.src_access, one.enough.dst_access};
}

// SyncLog numbers a dependency by the subpass that it leads to, and its place among those.
constexpr std::uint32_t kDependenciesOfSubpass = 1024;

DependencyEdit dependency_of(const SyncOp& sync) {
  DependencyEdit one;
  one.pass = sync.pass;
  one.dst_subpass = sync.barriers[0].dst_subpass;
  one.edit.barrier = sync.index % kDependenciesOfSubpass;
  one.edit.drops = true;
  return one;
}

Result<void> add_superfluous(const SyncOp& sync, Edits& edits) {
  switch (sync.kind) {
    case SyncOp::Kind::barrier:
    case SyncOp::Kind::event:
    case SyncOp::Kind::host_wait:
      edits.left_out.insert(sync.record);
      return {};
    case SyncOp::Kind::semaphore:
      edits.semaphores.push_back({sync.record, sync.semaphore, true});
      if (sync.signalled_by != 0) edits.semaphores.push_back({sync.signalled_by, sync.semaphore, false});
      return {};
    case SyncOp::Kind::dependency:
      break;
  }
  if (sync.barriers[0].src_subpass == sync.barriers[0].dst_subpass)
    return not_tried("the dependency of a subpass on itself allows barriers in it");
  edits.dependencies.push_back(dependency_of(sync));
  return {};
}

Result<void> add_narrower(const SyncOp& sync, const SyncFinding& finding, Edits& edits) {
  if (sync.kind == SyncOp::Kind::event)
    return not_tried("the command that sets the event says the same scopes, and would have to change, too");
  if (sync.kind == SyncOp::Kind::dependency) {
    DependencyEdit one = dependency_of(sync);
    one.edit = edit_of(finding.narrow[0]);
    one.edit.barrier = sync.index % kDependenciesOfSubpass;
    edits.dependencies.push_back(one);
    return {};
  }
  if (sync.kind != SyncOp::Kind::barrier) return not_tried("only barriers can be narrowed");
  for (const SyncNarrow& one : finding.narrow) {
    if (one.is_unused && changes(one.now)) return not_tried("a barrier of it changes a layout or an owner");
    edits.barriers[sync.record].push_back(edit_of(one));
  }
  return {};
}

}  // namespace

Result<Edits> edits_of(const analyzers::SyncAnalysis& analysis, const SyncFinding& finding) {
  Edits edits;
  for (const std::uint32_t number : finding.syncs) {
    const SyncOp& sync = analysis.sync(number);
    if (finding.rule == SyncRule::superfluous)
      RONDO_TRY(add_superfluous(sync, edits));
    else if (finding.rule == SyncRule::too_wide)
      RONDO_TRY(add_narrower(sync, finding, edits));
    else
      return not_tried("only what is superfluous or too wide can be left out");
  }
  return edits;
}

}  // namespace rondo::prove
