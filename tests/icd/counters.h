// SPDX-License-Identifier: Apache-2.0
// Performance counters (VK_KHR_performance_query), of Settings::counters. Private to tests/icd.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/icd/execute.h"
#include "tests/icd/objects.h"

namespace fake {

// Whether a counter of the pool has this scope.
bool counts_scope(const QueryPool& pool, VkPerformanceCounterScopeKHR scope);
// What the counters of the pool are at the end of a query: VkPerformanceCounterResultKHR, as 64 bits.
std::vector<std::uint64_t> counter_results(const QueryPool& pool, const Execution::Counter& counter);

}  // namespace fake
