// SPDX-License-Identifier: Apache-2.0
// Stages of pipelines and SPIR-V's numbers, as they are called here.
#pragma once

#include <cstdint>
#include <string>

#include "format/vulkan.h"

namespace rondo::shaders {

std::string stage_name(VkShaderStageFlagBits stage);  // "vertex", "compute", …
std::string model_name(std::uint32_t model);          // likewise, of an SpvExecutionModel
// SpvExecutionModel; ~0: no such stage.
std::uint32_t model_of(VkShaderStageFlagBits stage);

// Of an execution mode that what comes before or behind a stage depends on; null: of another.
const char* mode_name(std::uint32_t mode);
// Of a storage class whose variables have locations; null: of another.
const char* location_kind(std::uint32_t storage);

}  // namespace rondo::shaders
