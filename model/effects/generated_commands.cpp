// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory (VK_EXT_device_generated_commands): which draws and
// dispatches those are, with which shaders and buffers, only the device knows.
#include "model/effects/all.h"

namespace rondo::model {

#ifdef VK_EXT_device_generated_commands

namespace {

VkPipelineBindPoint point_of(VkShaderStageFlags stages) {
  if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) return VK_PIPELINE_BIND_POINT_COMPUTE;
  return (stages & VK_SHADER_STAGE_RAYGEN_BIT_KHR) != 0 ? VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR
                                                        : VK_PIPELINE_BIND_POINT_GRAPHICS;
}

void touch_inputs(Effects& e, const VkGeneratedCommandsInfoEXT& info, VkPipelineStageFlags2 stages) {
  e.touch_address(info.indirectAddress, info.indirectAddressSize, stages, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  if (info.sequenceCountAddress != 0)
    e.touch_address(info.sequenceCountAddress, 4, stages, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

void preprocess(Effects& e, const Call& c) {
  const VkGeneratedCommandsInfoEXT& info = *c.as<args_vkCmdPreprocessGeneratedCommandsEXT>().pGeneratedCommandsInfo;
  constexpr VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT;
  touch_inputs(e, info, stages);
  if (info.preprocessSize != 0)
    e.touch_address(info.preprocessAddress, info.preprocessSize, stages, VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
}

void execute(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdExecuteGeneratedCommandsEXT>();
  const VkGeneratedCommandsInfoEXT& info = *a.pGeneratedCommandsInfo;
  constexpr VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  e.work(point_of(info.shaderStages));
  touch_inputs(e, info, stages);
  if (info.preprocessSize != 0)
    e.touch_address(info.preprocessAddress, info.preprocessSize, stages,
                    VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_EXT | VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
  const BufferRange& indices = e.recording(c).bindings.indices;
  if (indices.buffer != ObjectId::null)
    e.touch_buffer(indices.buffer, indices.offset, indices.size, VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
                   VK_ACCESS_2_INDEX_READ_BIT);
  e.reach(kGenerated, true, true, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
}

}  // namespace

void add_generated_commands(Handlers& handlers) {
  add(handlers, CommandId::vkCmdPreprocessGeneratedCommandsEXT, preprocess, kTouches);
  add(handlers, CommandId::vkCmdExecuteGeneratedCommandsEXT, execute, kTouches | kWork);
}

#else

void add_generated_commands(Handlers&) {}

#endif

}  // namespace rondo::model
