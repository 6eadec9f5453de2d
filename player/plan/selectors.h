// SPDX-License-Identifier: Apache-2.0
// Which shaders --replace means. Nothing of a plan is needed to read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::player {

struct ShaderSelector {
  enum class Kind : std::uint8_t {
    object,       // VkShaderModule#3, VkPipeline#7.compute, VkShaderEXT#2
    digest,       // the begin of one, in lower case
    entry_point,  // of all shaders: all@main
  } kind = Kind::object;
  std::string value;  // without "all@"
  std::string text;   // as it was given
};

struct Replacement {
  ShaderSelector selector;
  std::string file;
};

// SELECTOR=FILE each. Not twice the same one, and nothing beside one of all.
Result<std::vector<Replacement>> parse_replacements(const std::vector<std::string>& texts);

}  // namespace rondo::player
