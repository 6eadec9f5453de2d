// SPDX-License-Identifier: Apache-2.0
// The numbers that a texel's bytes stand for, for people to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/vulkan.h"

namespace rondo::player {

class TexelFormat {
 public:
  enum class Kind : std::uint8_t { uint, sint, sfloat, ufloat };
  struct Component {
    char name;                   // 'r', 'g', 'b', 'a'; 'd', 's': depth, stencil
    std::uint32_t bits, offset;  // in bits, from the lowest of the texel
  };

  // By the name of the format in the registry; of a depth/stencil format one
  // aspect, as copies to buffers have it.
  TexelFormat(VkFormat format, VkImageAspectFlags aspect);

  bool known() const { return !components_.empty(); }
  // Values are floating-point numbers, not integers that stand for some.
  bool is_float() const { return kind_ == Kind::sfloat || kind_ == Kind::ufloat; }
  // … integers that stand for numbers from 0 or -1 to 1.
  bool is_normalized() const { return normalized_; }
  std::size_t components() const { return components_.size(); }
  const Component& component(std::size_t i) const { return components_[i]; }
  Kind kind() const { return kind_; }  // of all of them; normalized ones are integers
  // Component `i` of one texel: integers of normalized formats as they are stored.
  double value(std::span<const std::byte> texel, std::size_t i) const;
  // What is stored for 1 in component `i` of a normalized format.
  double full(std::size_t i) const;
  // "(r 0.5, g 1)"; bytes as hexadecimal digits where the format is not known.
  std::string text(std::span<const std::byte> texel) const;

 private:
  void parse(VkFormat format);
  std::vector<Component> components_;
  Kind kind_ = Kind::uint;
  bool normalized_ = false;
};

// Bytes as pairs of hexadecimal digits, at most 32 of them.
std::string hexadecimal(std::span<const std::byte> bytes);

}  // namespace rondo::player
