// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/environment.h"

#include <cstring>
#include <string_view>

namespace rondo::shaders {

std::optional<spv_target_env> find_environment(std::uint32_t vulkan, std::uint32_t spirv) {
  for (std::uint32_t minor = vulkan >> 12 & 0x3ff;; --minor) {
    spv_target_env environment{};
    if (spvParseVulkanEnv(1U << 22 | minor << 12, spirv, &environment)) return environment;
    if (minor == 0) return std::nullopt;
  }
}

std::vector<std::uint32_t> words_of(std::span<const std::byte> code) {
  std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

void FirstError::operator()(spv_message_level_t level, const char*, const spv_position_t& at, const char* text) {
  if (level > SPV_MSG_ERROR || !text_.empty()) return;
  const std::string_view words(text);  // the instruction stands in a line below
  text_ = words.substr(0, words.find('\n'));
  word_ = at.index;
}

}  // namespace rondo::shaders
