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

#include "analyzers/analysis/graph/has_steps.h"

namespace rondo::graph {

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

struct HasOperation : HasStepOperation {
  std::vector<std::uint32_t> items;  // of its first scope, ascending
  std::vector<HasLink> links;        // to earlier operations, ascending
};

struct HasGraph {
  std::vector<HasOperation> operations;  // in the order in which they stand
  // By item: the operations that it comes after, ascending; `stages`: those of the item that do. A layout transition
  // comes after its own operation, and is part of it: what comes after the operation comes after the transition.
  std::vector<std::vector<HasLink>> after;
};

HasGraph graph_of(const HasSteps& steps, std::uint32_t items);
HasGraph find_has(const SyncLog& log, std::span<const HasNode> nodes, std::uint32_t items);

}  // namespace rondo::graph
