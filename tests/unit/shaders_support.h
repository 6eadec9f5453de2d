// SPDX-License-Identifier: Apache-2.0
// The compiled shaders of tests/shaders.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "model/shaders/reflect.h"

namespace rondo::test {

using Code = std::vector<std::byte>;

inline std::string shader_path(const std::string& name) {
  return std::string(RONDO_TEST_SHADERS) + "/" + name + ".spv";
}

inline Code shader_code(const std::string& name) {
  std::ifstream in(shader_path(name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(text.empty()) << name;
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline std::vector<std::string> shader_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RONDO_TEST_SHADERS))
    if (entry.path().extension() == ".spv") names.push_back(entry.path().stem().string());
  return names;
}

inline std::uint32_t word_at(const Code& code, std::size_t word) {
  std::uint32_t value;
  std::memcpy(&value, code.data() + 4 * word, sizeof value);
  return value;
}
inline void set_word(Code& code, std::size_t word, std::uint32_t value) {
  std::memcpy(code.data() + 4 * word, &value, sizeof value);
}
inline void add_word(Code& code, std::uint32_t value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  code.insert(code.end(), first, first + sizeof value);
}

// With these words after the header: as the first instruction, where capabilities stand.
inline Code with_first(const Code& code, const std::vector<std::uint32_t>& words) {
  constexpr std::ptrdiff_t kHeader = 20;
  Code all(code.begin(), code.begin() + kHeader);
  for (const std::uint32_t word : words) add_word(all, word);
  all.insert(all.end(), code.begin() + kHeader, code.end());
  return all;
}
inline Code declaring(const Code& code, std::uint32_t capability) {
  return with_first(code, {2u << 16 | 17, capability});
}
// After the first instruction, which is a capability.
inline Code with_extension(const Code& code, std::string_view name) {
  constexpr std::ptrdiff_t kFirst = 28;
  const std::size_t words = name.size() / 4 + 1;
  Code all(code.begin(), code.begin() + kFirst);
  add_word(all, static_cast<std::uint32_t>(words + 1) << 16 | 10);
  Code text(words * 4);
  std::memcpy(text.data(), name.data(), name.size());
  all.insert(all.end(), text.begin(), text.end());
  all.insert(all.end(), code.begin() + kFirst, code.end());
  return all;
}

inline shaders::Reflection reflection(const Code& code) {
  auto reflected = shaders::reflect(code);
  EXPECT_TRUE(reflected) << reflected.error().message;
  return reflected ? std::move(*reflected) : shaders::Reflection{};
}

}  // namespace rondo::test
