// SPDX-License-Identifier: Apache-2.0
// Pipeline stages and accesses as the order mode compares them: each mask is a set of single stages or accesses.
// The rules are those of the Vulkan specification, "Pipeline Stages", "Access Types" and "Execution and Memory
// Dependencies". Private to tests/icd.
#pragma once

#include "format/vulkan.h"

namespace fake::order {

using Stages = VkPipelineStageFlags2;
using Accesses = VkAccessFlags2;

constexpr Accesses kAllAccesses = ~Accesses{0};
// Every stage of the device: what ALL_COMMANDS means. The host is not one of them.
constexpr Stages kAllStages = ~Stages{0} & ~VK_PIPELINE_STAGE_2_HOST_BIT & ~VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT &
                              ~VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;

// The stages whose execution a mask has in a first scope: with the logically earlier ones.
Stages first_scope(Stages mask);
// The stages whose execution a mask has in a second scope: with the logically later ones.
Stages second_scope(Stages mask);
// The stages whose accesses a mask has in an access scope: neither earlier nor later ones.
Stages access_scope(Stages mask);
// Masks that stand for several accesses are replaced by these.
Accesses single_accesses(Accesses mask);

// The pipeline stages of shader stages.
Stages stages_of_shaders(VkShaderStageFlags shaders);

}  // namespace fake::order
