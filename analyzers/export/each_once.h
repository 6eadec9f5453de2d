// SPDX-License-Identifier: Apache-2.0
// Numbers in order, each once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::analyzers {

inline void sort_each_once(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace rondo::analyzers
