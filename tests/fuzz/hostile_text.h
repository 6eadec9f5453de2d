// SPDX-License-Identifier: Apache-2.0
// Texts that would steer a terminal, reverse what is written, forge a line, or
// break a reader of UTF-8.
#pragma once

#include <string_view>

namespace rondo::fuzz {

// What a forged line would begin with.
inline constexpr std::string_view kForged = "FORGED";

// C0, DEL, C1, marks, overrides and isolates of direction, ends of lines: all of it UTF-8.
inline constexpr std::string_view kHostileUtf8 =
    "\x1b]0;title\x07\x1b[31m\b\b\x7f\t\v\xc2\x85\xc2\x9b"
    "31m\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae"
    "reversed\xe2\x81\xa6\xe2\x81\xa9\r\nFORGED: a line\n\"\\";
// … and what is not: a C1 byte, stray and overlong bytes, a surrogate, a cut character.
inline constexpr std::string_view kHostileText =
    "\x1b]0;title\x07\x1b[31m\b\b\x7f\t\v\xc2\x85\xc2\x9b"
    "31m\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae"
    "reversed\xe2\x81\xa6\xe2\x81\xa9\r\nFORGED: a line\n\"\\\x9b"
    "31m\xff\xfe\xc0\x9b\xed\xa0\x80\xe2\x80";
// As long as "main" with its padding in SPIR-V.
inline constexpr std::string_view kHostileName = "\x1b[2J\xc2\x9b";

}  // namespace rondo::fuzz
