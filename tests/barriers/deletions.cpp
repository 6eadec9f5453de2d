// SPDX-License-Identifier: Apache-2.0
#include "tests/barriers/deletions.h"

namespace rondo::barriers {

namespace {

using graph::SyncOp;

// SyncLog numbers a dependency by the subpass that it leads to, and its place among those.
constexpr std::uint32_t kDependenciesOfSubpass = 1024;

Deletion left_out(const SyncOp& sync) {
  Deletion one;
  one.edits.left_out.insert(sync.record);
  one.how = "left out";
  return one;
}

// What it changes stays, and nothing is ordered.
Deletion narrowed_to_nothing(const SyncOp& sync) {
  Deletion one;
  for (std::uint32_t i = 0; i < sync.barriers.size(); ++i) one.edits.barriers[sync.record].push_back({.barrier = i});
  one.how = "narrowed to NONE";
  return one;
}

}  // namespace

Result<Deletion> deletion_of(const SyncOp& sync) {
  Deletion one;
  switch (sync.kind) {
    case SyncOp::Kind::barrier:
      return sync.changes ? narrowed_to_nothing(sync) : left_out(sync);
    case SyncOp::Kind::event:
      if (sync.changes)
        return fail(Status::failed, "a wait for an event that changes a layout says the scopes of the set");
      return left_out(sync);
    case SyncOp::Kind::host_wait:
      return left_out(sync);
    case SyncOp::Kind::dependency:
      if (sync.barriers[0].src_subpass == sync.barriers[0].dst_subpass)
        return fail(Status::failed, "the dependency of a subpass on itself allows barriers in it");
      one.edits.dependencies.push_back({.pass = sync.pass,
                                        .dst_subpass = sync.barriers[0].dst_subpass,
                                        .edit = {.barrier = sync.index % kDependenciesOfSubpass, .drops = true}});
      one.how = "dependency left out";
      return one;
    case SyncOp::Kind::semaphore:
      one.edits.semaphores.push_back({sync.record, sync.semaphore, true});
      if (sync.signalled_by != 0) one.edits.semaphores.push_back({sync.signalled_by, sync.semaphore, false});
      one.how = "wait and signal left out";
      return one;
  }
  return fail(Status::failed, "an operation of another kind");
}

}  // namespace rondo::barriers
