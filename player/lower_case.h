// SPDX-License-Identifier: Apache-2.0
// Names that users type are compared without regard to upper and lower case.
#pragma once

#include <cctype>
#include <string>

namespace rondo::player {

// ASCII letters alone.
inline std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace rondo::player
