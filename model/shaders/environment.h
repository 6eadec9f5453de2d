// SPDX-License-Identifier: Apache-2.0
// SPIRV-Tools' names for what a module is held against. Only for the files that include SPIRV-Tools. Any
// thread.
#pragma once

#include <spirv-tools/libspirv.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::shaders {

// The least environment that has the version of Vulkan and takes modules of the SPIR-V version (both packed
// as the headers pack them). Of a version of Vulkan that SPIRV-Tools does not know the newest that it knows.
std::optional<spv_target_env> find_environment(std::uint32_t vulkan, std::uint32_t spirv);

// `code`: a whole number of words.
std::vector<std::uint32_t> words_of(std::span<const std::byte> code);

// Keeps the first error of SPIRV-Tools: its first line.
class FirstError {
 public:
  // As a MessageConsumer.
  void operator()(spv_message_level_t level, const char* source, const spv_position_t& at, const char* text);
  const std::string& text() const { return text_; }  // empty: there was none
  std::size_t word() const { return word_; }         // of the module; 0: not said

 private:
  std::string text_;
  std::size_t word_ = 0;
};

}  // namespace rondo::shaders
