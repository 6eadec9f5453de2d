// SPDX-License-Identifier: Apache-2.0
// The texts that a compiler leaves in a shader for debuggers and people: names, paths, sources. No driver needs them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace rondo::shaders {

enum class TextOf : unsigned char {
  string,  // OpString, OpSource, OpSourceContinued, OpModuleProcessed: paths, sources, options of the compiler
  name,    // OpName, OpMemberName, and decorations with the names of types and semantics
};

// Calls `visit` for each such text of a SPIR-V module: the text ends at the first zero byte, or at the end of its
// instruction. What follows damage is left out. Source: SPIR-V specification, 3.49.2 and 3.49.3.
void each_text(std::span<const std::byte> code, const std::function<void(TextOf, std::string_view)>& visit);

// Overwrites each of them with as many x: no instruction moves. Returns the number of texts that changed.
std::size_t blank_texts(std::span<std::byte> code);
// True for what blank_texts() writes, and for an empty text.
bool is_blank(std::string_view text);

}  // namespace rondo::shaders
