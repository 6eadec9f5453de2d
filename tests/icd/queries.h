// SPDX-License-Identifier: Apache-2.0
// Query results as the host and copies ask for them.
#pragma once

#include <cstddef>
#include <span>

#include "tests/icd/objects.h"

namespace fake {

// Writes what is asked for of queries [first, first + count) at every `stride`
// bytes; false if one was not available (and its value not written, unless
// partial results were asked for).
bool write_results(QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                   VkDeviceSize stride, VkQueryResultFlags flags);
// All of them have a result.
bool are_available(QueryPool& pool, std::uint32_t first, std::uint32_t count);
void reset_queries(QueryPool& pool, std::uint32_t first, std::uint32_t count);

}  // namespace fake
