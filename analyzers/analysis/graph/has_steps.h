// SPDX-License-Identifier: Apache-2.0
// The relation HAS, step by step: what items and synchronization operations do to the lines on which work waits. A line
// is a queue, or a subpass of a render pass that is open. A line says, of each stage, what work came on it, and which
// operations what comes next on it waits for. Readers of the steps make a graph of them (has.h) or measure the longest
// way through it (has_paths.h). Linear in the size of the capture. No device. One thread.
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

inline constexpr std::uint32_t kNoNumber = UINT32_MAX;  // no item, operation or line

struct HasStep {
  enum class Kind : std::uint8_t {
    begin,       // a node of an item begins: it waits for the operations whose second scope has its stages
    end,         // an item ends: it is in the first scope of operations to come that have its stages
    gather,      // the first scope of an operation ends: it has what came on the line in these stages
    take,        // likewise: it has what its signal gathered
    scope,       // the second scope of an operation begins
    transition,  // an item is a part of an operation: it comes after what that operation gathered
    reset,       // a line is of another subpass now: nothing came on it
  } kind{};
  std::uint32_t number = 0;  // of begin, end, transition: the item. Of gather, take, scope: the operation
  std::uint32_t other = 0;   // the line. Of take: the operation that is the signal. Of transition: the operation
  VkPipelineStageFlags2 stages = 0;  // of begin, end, gather, take, scope
};

// Operations of one command, executed once, come one after the other: first all gather, then all have their scopes.
struct HasStepOperation {
  static constexpr std::uint64_t kNoSubmit = UINT64_MAX;
  std::uint32_t op = 0;     // index into SyncLog::ops(): the first one of those that it stands for
  std::uint32_t count = 1;  // of them: barriers of one command with the same scopes
  std::uint32_t first = 0;  // the first operation of its command
  // A signal: its first scope ends here, and `op`, which waits for it, comes later. It has no second scope.
  bool is_signal = false;
  std::uint64_t submit = kNoSubmit;  // that executes it, if that is known
  std::uint32_t before = 0;          // the item that is told next
};

struct HasSteps {
  std::vector<HasStep> steps;  // in the order of execution
  std::vector<HasStepOperation> operations;
  std::uint32_t lines = 0;
};

HasSteps find_has_steps(const SyncLog& log, std::span<const HasNode> nodes);

}  // namespace rondo::graph
