// SPDX-License-Identifier: Apache-2.0
// Numbers of things, as all tools and the layer print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {

std::string count_text(std::uint64_t count);                     // "4,310"
std::string plural(std::uint64_t count, std::string_view noun);  // "1 frame", "300 frames", "2 passes"

}  // namespace rondo
