// SPDX-License-Identifier: Apache-2.0
// The shader code of a plan, and the pipelines and shader objects that run it. From the plan alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/shaders/constants.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct StageBinding {
  std::uint32_t binding = 0;
  VkDescriptorType type{};
  std::uint32_t count = 0;  // bytes of an inline uniform block
  VkShaderStageFlags stages = 0;
};

// A pipeline layout, or what stands for one in a shader object.
struct StageLayout {
  std::vector<std::shared_ptr<const std::vector<StageBinding>>> sets;  // null: it has no such set
  std::vector<VkPushConstantRange> ranges;
};

struct ShaderStage {
  std::string name;            // "VkPipeline#7.compute"
  std::uint64_t sequence = 0;  // of the record that makes it
  std::string entry;
  VkShaderStageFlagBits stage{};
  shaders::SpecializedValues constants;
  std::shared_ptr<const StageLayout> layout;  // null: there is none
};

// The same bytes on the same device stand here once.
struct ShaderCode {
  std::span<const std::byte> code;  // of the plan
  std::string name;                 // of the first that has it: "VkShaderModule#3", "VkPipeline#7.compute"
  std::uint64_t sequence = 0;       // likewise
  std::uint32_t device = kNone;     // index into Plan::devices
  std::vector<ShaderStage> stages;
};

struct WrongShader {
  std::uint64_t sequence = 0;
  std::string text;  // "VkShaderModule#3 …", without a full stop
};

struct ShaderStages {
  std::vector<ShaderCode> codes;   // in the order of their records
  std::vector<WrongShader> wrong;  // groups of ray tracing pipelines whose shaders are of other stages
};
ShaderStages find_shader_stages(const Plan& plan);

}  // namespace rondo::player
