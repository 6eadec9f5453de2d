// SPDX-License-Identifier: Apache-2.0
#include "format/printable.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rondo {

namespace {

constexpr char kHex[] = "0123456789abcdef";

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool is_utf8 = true;
  bool is_shown = true;  // as it is
};

// Whether the character does something to a terminal or a line, or to the characters around it.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||        // C0, DEL, C1
         code == 0x061c || code == 0x200e || code == 0x200f ||  // marks of direction
         (code >= 0x2028 && code <= 0x202e) ||  // ends of lines and paragraphs, embeddings and overrides of direction
         (code >= 0x2066 && code <= 0x2069);    // isolates of direction
}

Character character_at(std::string_view text, std::size_t at) {
  Character c;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const std::size_t bytes = utf8_length(text, at);
  if (bytes == 0) return {1, byte(0), false, false};
  c.bytes = bytes;
  constexpr unsigned kBitsOfFirst[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  c.code = byte(0) & kBitsOfFirst[bytes];
  for (std::size_t i = 1; i < bytes; ++i) c.code = (c.code << 6) | (byte(i) & 0x3fu);
  c.is_shown = !is_control(c.code);
  return c;
}

// Calls escape(character, its bytes) for what is not shown as it is; everything else is copied to `out`.
template <class Out, class Escape>
void append_escaped(Out& out, std::string_view text, const Escape& escape) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] >= ' ' && text[end] < '\x7f') ++end;  // most texts are nothing else
    out.append(text.substr(i, end - i));
    i = end;
    if (i == text.size()) return;
    const Character c = character_at(text, i);
    if (c.is_shown)
      out.append(text.substr(i, c.bytes));
    else
      escape(c, text.substr(i, c.bytes));
    i += c.bytes;
  }
}

template <class Out>
void append_bytes(Out& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const char escape[] = {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    out.append(std::string_view(escape, sizeof escape));
  }
}

// What fits into a buffer.
struct FixedText {
  std::span<char> buffer;
  std::size_t used = 0;
  void append(std::string_view part) {
    const std::size_t bytes = std::min(part.size(), buffer.size() - used);
    std::copy_n(part.begin(), bytes, buffer.begin() + static_cast<std::ptrdiff_t>(used));
    used += bytes;
  }
};

// All characters that are escaped lie below U+10000.
void append_unicode_escape(std::string& out, const Character& c) {
  const auto code = c.is_utf8 ? static_cast<std::uint32_t>(c.code) : 0xfffdu;
  out += {'\\', 'u', kHex[(code >> 12) & 15], kHex[(code >> 8) & 15], kHex[(code >> 4) & 15], kHex[code & 15]};
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!tail(1) || !tail(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;  // overlong
    if (first == 0xf4 && byte(1) > 0x8f) return 0;  // beyond U+10FFFF
    return 4;
  }
  return 0;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_escaped(out, text, [&](const Character&, std::string_view bytes) { append_bytes(out, bytes); });
  return out;
}

std::size_t printable_into(std::span<char> out, std::string_view text) {
  FixedText fixed{out};
  append_escaped(fixed, text, [&](const Character&, std::string_view bytes) { append_bytes(fixed, bytes); });
  return fixed.used;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_escaped(out, text, [&](const Character&, std::string_view bytes) {
    if (bytes == "\n")
      out += '\n';
    else
      append_bytes(out, bytes);
  });
  return out;
}

std::string printable(const Error& error) {
  std::string text = printable(error.message);
  for (const std::string& line : error.lines) text += "\n  " + printable(line);
  return text;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\"\\", i), text.size());
    append_escaped(out, text.substr(i, end - i),
                   [&](const Character& c, std::string_view) { append_unicode_escape(out, c); });
    if (end < text.size()) out += {'\\', text[end]};
    i = end + 1;
  }
  out += '"';
}

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  append_escaped(out, json, [&](const Character& c, std::string_view bytes) {
    if (bytes == "\n")
      out += '\n';
    else
      append_unicode_escape(out, c);
  });
  return out;
}

}  // namespace rondo
