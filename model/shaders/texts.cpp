// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/texts.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

struct Place {
  TextOf of;
  std::size_t operands;  // words of the instruction before its text, the first one included
};

std::optional<Place> place_of(std::uint32_t operation) {
  switch (operation) {
    case SpvOpString:
      return Place{TextOf::string, 2};
    case SpvOpSource:
      return Place{TextOf::string, 4};
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpModuleProcessed:
      return Place{TextOf::string, 1};
    case SpvOpName:
      return Place{TextOf::name, 2};
    case SpvOpMemberName:
      return Place{TextOf::name, 3};
    case SpvOpDecorateString:
      return Place{TextOf::name, 3};
    case SpvOpMemberDecorateString:
      return Place{TextOf::name, 4};
    default:
      return std::nullopt;
  }
}

template <class Visit>
void each_place(std::span<const std::byte> code, const Visit& visit) {
  const auto word = [&](std::size_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, code.data() + 4 * i, 4);
    return value;
  };
  constexpr std::size_t header = 5;
  const std::size_t words = code.size() / 4;
  if (words < header || word(0) != SpvMagicNumber) return;
  for (std::size_t at = header; at < words;) {
    const std::size_t length = word(at) >> 16;
    if (length == 0 || length > words - at) return;
    if (const auto place = place_of(word(at) & 0xffff); place && length > place->operands) {
      const std::size_t first = 4 * (at + place->operands), most = 4 * (length - place->operands);
      visit(place->of, first, ::strnlen(reinterpret_cast<const char*>(code.data() + first), most));
    }
    at += length;
  }
}

}  // namespace

void each_text(std::span<const std::byte> code, const std::function<void(TextOf, std::string_view)>& visit) {
  each_place(code, [&](TextOf of, std::size_t first, std::size_t length) {
    visit(of, {reinterpret_cast<const char*>(code.data() + first), length});
  });
}

bool is_blank(std::string_view text) { return text.find_first_not_of('x') == std::string_view::npos; }

std::size_t blank_texts(std::span<std::byte> code) {
  std::size_t changed = 0;
  each_place(code, [&](TextOf, std::size_t first, std::size_t length) {
    auto* const text = reinterpret_cast<char*>(code.data() + first);
    if (is_blank({text, length})) return;
    std::memset(text, 'x', length);
    ++changed;
  });
  return changed;
}

}  // namespace rondo::shaders
