// SPDX-License-Identifier: Apache-2.0
// Names from captures and command lines, for a line of a terminal.
#pragma once

#include <string>

namespace rondo::player {

// Control characters become '?'. Other bytes stay, valid UTF-8 or not.
inline std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace rondo::player
