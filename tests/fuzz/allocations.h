// SPDX-License-Identifier: Apache-2.0
// Counts what this process allocates: malloc and all that stands on it, also in
// libraries. The program that links allocations.cpp has it; under a sanitizer,
// which brings its own malloc, nothing is counted.
#pragma once

#include <cstddef>

namespace rondo::fuzz {

bool allocations_are_counted();
// Bytes beyond those that are live now count from here on.
void watch_allocations();
std::size_t most_allocated();  // at once since then
// Whatever would exceed it ends the process with a sentence. 0: no limit.
void limit_allocations(std::size_t bytes);

}  // namespace rondo::fuzz
