// SPDX-License-Identifier: Apache-2.0
// What a pipeline's shaders can reach: the descriptors that they declare, and
// the vertex data that is fetched for them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "format/vulkan.h"

namespace fake {

class Arguments;

struct PipelineUses {
  // (set, binding) → whether a shader may write it.
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> resources;
  std::map<std::pair<std::uint32_t, std::uint32_t>, VkShaderStageFlags> stages;  // whose shaders declare them
  std::vector<VkVertexInputBindingDescription> vertex_bindings;
  std::vector<VkVertexInputAttributeDescription> vertex_attributes;
};

// The declarations of one SPIR-V module, whatever its entry points use of them.
// What is not SPIR-V declares nothing.
void add_declarations(std::span<const std::uint32_t> code, PipelineUses& uses);

// The call made pipelines: finds out what they use. `index`: which of them.
struct Pipeline;
void note_pipeline(const Arguments& arguments, std::size_t index, Pipeline& pipeline);

}  // namespace fake
