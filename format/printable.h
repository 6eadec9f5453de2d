// SPDX-License-Identifier: Apache-2.0
// Texts that come from a capture, a driver or a command line, made fit for a
// terminal and for JSON. Nobody promises that such a text is UTF-8, or that it
// does not steer the terminal that shows it: whatever a program or the layer
// prints goes through a function of this file.
//
// Not shown as they are: bytes that are not UTF-8, the control characters C0
// (with DEL) and C1, the characters that change the direction of writing, and
// the two Unicode characters that end a line.
#pragma once

#include <string.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "format/result.h"

namespace rondo {

// The number of bytes of the well-formed UTF-8 character (Unicode table 3-7) that begins at `at`; 0: none begins there.
std::size_t utf8_length(std::string_view text, std::size_t at);

// One line: each byte that is not shown as it is becomes \xNN. Applied twice it changes nothing more.
std::string printable(std::string_view text);

// The same without asking for memory: as much as fits into `out`. Returns the number of bytes used.
std::size_t printable_into(std::span<char> out, std::string_view text);

// Several lines: the same, but line feeds stay. For texts whose parts went through printable().
std::string printable_lines(std::string_view text);

// An error as tools print it: its message on one line, and a line for each of its list, indented.
std::string printable(const Error& error);

// Appends `text` in quotes, as JSON. What is not shown as it is becomes \uNNNN, a byte that is not UTF-8 U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// JSON that a library wrote, with the same escapes in its strings. Line feeds between its values stay.
std::string printable_json(std::string_view json);

// The text in an array of characters: up to its terminator, or to its end where a file or a driver left that out.
template <std::size_t N>
std::string_view fixed_text(const char (&characters)[N]) {
  return {characters, ::strnlen(characters, N)};
}

}  // namespace rondo
