// SPDX-License-Identifier: Apache-2.0
// How many vkCmd* each command buffer holds, and each submit brings.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzers/walk.h"

namespace rondo::analyzers {

struct BatchCount {
  std::uint64_t command_buffers = 0;
  std::uint64_t commands = 0;
};

class CommandCounts {
 public:
  // Call for each record in order. For a submit: one row a batch.
  const std::vector<BatchCount>& take(Walk& walk, const Step& step);

 private:
  void add(BatchCount& batch, const void* command_buffer) const;

  // By captured value: command buffers are dispatchable, so no two live ones share it.
  std::unordered_map<std::uint64_t, std::uint64_t> recorded_;
  std::vector<BatchCount> batches_;
};

}  // namespace rondo::analyzers
