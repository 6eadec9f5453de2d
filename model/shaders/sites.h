// SPDX-License-Identifier: Apache-2.0
// Where the parameters of a call hold shader code, or name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "format/vulkan.h"
#include "generated/ids.h"

namespace rondo::shaders {

struct Site {
  enum class Kind : std::uint8_t { module, stage, object } kind;
  std::uint32_t index = 0;   // of what the call makes
  std::uint32_t repeat = 0;  // stages before it of the same kind, in the same pipeline
  VkShaderStageFlagBits stage{};
  const char* entry = "";
  const VkSpecializationInfo* constants = nullptr;
  // Members of the parameters; null: it has no code of its own.
  const std::size_t* bytes = nullptr;
  const void* const* code = nullptr;
  const VkShaderModule* module = nullptr;  // likewise, of a stage that names one
  bool identifier = false;                 // of a stage: an identifier stands for its code
  bool binary = false;                     // of an object: the driver's own code

  std::string suffix() const;  // of the pipeline's name: ".compute", ".miss[1]"
};

// Whether the command makes modules, pipelines or shaders.
bool makes_shaders(CommandId canonical);
// `args`: as the command's args structure, pointers set.
void for_each_site(CommandId canonical, const void* args, const std::function<void(const Site&)>& visit);

}  // namespace rondo::shaders
