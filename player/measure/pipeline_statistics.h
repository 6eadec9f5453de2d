// SPDX-License-Identifier: Apache-2.0
// What a pipeline statistics query counts. Specification: "Pipeline Statistics Queries".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::player {

// By bit of VkQueryPipelineStatisticFlagBits: [0] is INPUT_ASSEMBLY_VERTICES, [12] is
// MESH_SHADER_INVOCATIONS. What the device does not count is 0.
inline constexpr std::size_t kStatistics = 13;
using Statistics = std::array<std::uint64_t, kStatistics>;

}  // namespace rondo::player
