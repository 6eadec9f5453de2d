// SPDX-License-Identifier: Apache-2.0
// The relation HAS as a graph: which synchronization operations order which items of work. It is linear in the size of
// the capture: an operation is linked to the items of its first scope that came since the operation before it with the
// same stages, and to that operation; an item is linked to the last operations whose second scopes have its stages. It
// tells what executes before what. Whether a write is visible, too, SyncOrder says. No device. One thread.
// Specification: "Execution and Memory Dependencies" (scopes, dependency chains).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzers/analysis/graph/sync_log.h"

namespace rondo::graph {

// A node of the work graph, in the order of their numbers.
struct HasNode {
  SyncLog::Place place;
  VkPipelineStageFlags2 stages = 0;  // that it works in; 0: in any
  std::uint32_t item = 0;            // that it is part of
  std::uint64_t submit = 0;          // that executes it
  bool is_transition = false;        // its item is a barrier that changes a layout or an owner
};

enum class HasLinkKind : std::uint8_t {
  first,   // in these stages the first scope of the other operation is part of the first scope of this one, …
           // … with what chains to it
  chain,   // the second scope of the other one and the first scope of this one have these stages: they chain
  second,  // what comes after this one in these stages comes after the other one, too
};
const char* name_of(HasLinkKind kind);

struct HasLink {
  std::uint32_t operation = 0;
  HasLinkKind kind{};
  VkPipelineStageFlags2 stages = 0;
  friend bool operator==(const HasLink&, const HasLink&) = default;
};

struct HasOperation {
  static constexpr std::uint64_t kNoSubmit = UINT64_MAX;
  std::uint32_t op = 0;     // index into SyncLog::ops(): the first one of those that it stands for
  std::uint32_t count = 1;  // of them: barriers of one command with the same scopes
  // A signal: its first scope ends here, and `op`, which waits for it, comes later.
  bool is_signal = false;
  std::uint64_t submit = kNoSubmit;  // that executes it, if that is known
  std::uint32_t before = 0;          // the item that is told next
  std::vector<std::uint32_t> items;  // of its first scope, ascending
  std::vector<HasLink> links;        // to earlier operations, ascending
};

struct HasGraph {
  std::vector<HasOperation> operations;  // in the order in which they stand
  // By item: the operations that it comes after, ascending; `stages`: those of the item that do. A layout transition
  // comes after its own operation, and is part of it: what comes after the operation comes after the transition.
  std::vector<std::vector<HasLink>> after;
};

HasGraph find_has(const SyncLog& log, std::span<const HasNode> nodes, std::uint32_t items);

}  // namespace rondo::graph
