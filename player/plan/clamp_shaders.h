// SPDX-License-Identifier: Apache-2.0
// --clamp-shaders: the shaders of a plan, each with the indexes of its accesses clamped to what they are
// into.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "player/plan/plan.h"

namespace rondo::player {

struct ClampReport {
  std::uint64_t clamped = 0;  // different shaders
  // Those that are played as they are: why, and how many; the first reason that was met comes first.
  std::vector<std::pair<std::string, std::uint64_t>> unchanged;

  std::uint64_t count_unchanged() const;
  std::string numbers() const;  // "3 of 5"
  std::string text() const;     // a line
};

// On so many threads; 0: one a processor. After replace_shaders() and check_shaders(), and before any driver
// sees a shader: a shader that is not valid, or cannot be clamped, stays what it is.
ClampReport clamp_shaders(Plan& plan, std::uint32_t threads);

}  // namespace rondo::player
