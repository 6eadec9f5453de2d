// SPDX-License-Identifier: Apache-2.0
// What the words for stages and accesses in a barrier stand for. One bit of a barrier may mean many stages, and a scope
// has stages that the barrier does not name. No device. One thread.
// Specification: "Pipeline Stages", "Access Types", "Execution and Memory Dependencies".
#pragma once

#include "format/vulkan.h"

namespace rondo::graph {

// Each stage that the words stand for, and the words themselves. HOST is no part of ALL_COMMANDS.
// As a first scope TOP_OF_PIPE has no stage and BOTTOM_OF_PIPE has all; as a second scope it is the other way round.
// That is so of the execution dependency. Neither has a stage whose accesses are meant.
VkPipelineStageFlags2 first_stages(VkPipelineStageFlags2 said);
VkPipelineStageFlags2 second_stages(VkPipelineStageFlags2 said);
VkPipelineStageFlags2 access_stages(VkPipelineStageFlags2 said);

// The stages of a pipeline that come before one of these, or after one, and these. Only an execution dependency has
// them, the accesses of a barrier do not.
VkPipelineStageFlags2 with_earlier(VkPipelineStageFlags2 stages);
VkPipelineStageFlags2 with_later(VkPipelineStageFlags2 stages);

// Each access that the words stand for, and the words themselves.
VkAccessFlags2 all_accesses(VkAccessFlags2 said);

// Words that stand for others: whoever uses one of them could mostly say it in a narrower way.
inline constexpr VkPipelineStageFlags2 kWideStages =
    VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT |
    VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
inline constexpr VkAccessFlags2 kWideAccesses = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

}  // namespace rondo::graph
