// SPDX-License-Identifier: Apache-2.0
// The compiled shaders of tests/shaders.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "shaders/reflect.h"

namespace rondo::test {

using Code = std::vector<std::byte>;

inline std::string shader_path(const std::string& name) { return std::string(RONDO_TEST_SHADERS) + "/" + name + ".spv"; }

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

inline shaders::Reflection reflection(const Code& code) {
  auto reflected = shaders::reflect(code);
  EXPECT_TRUE(reflected) << reflected.error().message;
  return reflected ? std::move(*reflected) : shaders::Reflection{};
}

}  // namespace rondo::test
