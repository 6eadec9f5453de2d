// SPDX-License-Identifier: Apache-2.0
// The pattern of draws and dispatches: what they read, and what they write.
#pragma once

#include <functional>
#include <utility>

#include "tests/icd/execute.h"

namespace fake {

// Contents that a draw reads beyond its own parameters, which are in the chain.
void fold_descriptors(Execution& execution, const BindPoint& point, Hash& hash);
struct DrawRange {
  std::uint32_t first_vertex = 0, vertices = 0;
  std::uint32_t first_instance = 0, instances = 1;
};
void fold_vertices(Execution& execution, const DrawRange& range, Hash& hash);
struct IndexedRange {
  std::uint32_t first_index = 0, indices = 0;
  std::int32_t vertex_offset = 0;
  std::uint32_t first_instance = 0, instances = 1;
};
void fold_indexed(Execution& execution, const IndexedRange& range, Hash& hash);

// The bytes of each descriptor that the bound pipeline's shaders declare, by set and binding: a range of a buffer, or
// each row of an image.
using ReachedBytes = std::function<void(std::pair<std::uint32_t, std::uint32_t>, const Descriptor&, bool may_write,
                                        std::byte*, std::size_t)>;
void each_reached_bytes(const BindPoint& point, const ReachedBytes& visit);

// Writes what the shaders may write, in the pattern of `seed`.
void write_descriptors(Execution& execution, const BindPoint& point, std::uint64_t seed);
void write_feedback(Execution& execution, std::uint64_t vertices, std::uint64_t seed);

}  // namespace fake
