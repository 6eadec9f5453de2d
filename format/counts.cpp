// SPDX-License-Identifier: Apache-2.0
#include "format/counts.h"

namespace rondo {

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  const char* const ending = count == 1 ? "" : noun.ends_with('s') ? "es" : "s";
  return count_text(count) + " " + std::string(noun) + ending;
}

}  // namespace rondo
