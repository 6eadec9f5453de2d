// SPDX-License-Identifier: Apache-2.0
// Whether one shader can stand in another's place: it may ask for less, where that is harmless, and for
// nothing more.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/shaders/reflect.h"

namespace rondo::shaders {

struct Mismatch {
  std::string what, old_side, new_side;
};

// What stages of pipelines say to specialization constants: id and bytes.
using Specialized = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

void compare_entry_points(const EntryPoint& old_one, const EntryPoint& new_one, std::vector<Mismatch>& out);
void compare_constants(const Reflection& old_one, const Reflection& new_one, const Specialized& specialized,
                       std::vector<Mismatch>& out);
const EntryPoint* find_entry_point(const Reflection& reflection, const std::string& name, std::uint32_t model);
std::string entry_points_text(const Reflection& reflection);  // "main (compute), other (compute)"

}  // namespace rondo::shaders
