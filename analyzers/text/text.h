// SPDX-License-Identifier: Apache-2.0
// Text for people. Only this file and text.cpp name fmt.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "format/counts.h"

namespace rondo::analyzers {

// What fmt does is compiled into text.cpp alone, and no library of fmt is linked.
std::string text_of(fmt::string_view format, fmt::format_args args);
void append_to(std::string& out, fmt::string_view format, fmt::format_args args);

template <class... A>
std::string text(fmt::format_string<A...> format, A&&... args) {
  return text_of(format, fmt::make_format_args(args...));
}

template <class... A>
void append(std::string& out, fmt::format_string<A...> format, A&&... args) {
  append_to(out, format, fmt::make_format_args(args...));
}

std::string size_text(std::uint64_t bytes);              // "512 B", "54.0 KiB"
std::string duration_text(std::uint64_t ns);             // "820 ns", "1.25 ms", "3.21 s"
std::string utc_text(std::uint64_t unix_ns);             // "2026-11-20 18:50:11 UTC"
std::string listed(std::span<const std::string> words);  // "a, b, c"

std::string shell_word(const std::string& word);  // as a word of a command line: quoted where a shell needs that

// `text` with what a terminal or a line would stumble over (control
// characters, invalid UTF-8) as \xNN: names in captures are not ours.
std::string printable(std::string_view text);

}  // namespace rondo::analyzers
