// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory (VK_EXT_device_generated_commands): which draws and
// dispatches those are, with which shaders and buffers, only the device knows.
#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

#ifdef VK_EXT_device_generated_commands

namespace {

VkPipelineBindPoint point_of(VkShaderStageFlags stages) {
  if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) return VK_PIPELINE_BIND_POINT_COMPUTE;
  return (stages & VK_SHADER_STAGE_RAYGEN_BIT_KHR) != 0 ? VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR
                                                        : VK_PIPELINE_BIND_POINT_GRAPHICS;
}

void touch_inputs(Tracker& t, const Call& c, const VkGeneratedCommandsInfoEXT& info, VkPipelineStageFlags2 stages) {
  t.touch_address(c, info.indirectAddress, info.indirectAddressSize, stages, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  if (info.sequenceCountAddress != 0)
    t.touch_address(c, info.sequenceCountAddress, 4, stages, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

void preprocess(Tracker& t, const Call& c) {
  const VkGeneratedCommandsInfoEXT& info = *c.as<args_vkCmdPreprocessGeneratedCommandsEXT>().pGeneratedCommandsInfo;
  constexpr VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT;
  touch_inputs(t, c, info, stages);
  if (info.preprocessSize != 0)
    t.touch_address(c, info.preprocessAddress, info.preprocessSize, stages,
                    VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
}

void execute(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdExecuteGeneratedCommandsEXT>();
  const VkGeneratedCommandsInfoEXT& info = *a.pGeneratedCommandsInfo;
  constexpr VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  t.record_bound(c, point_of(info.shaderStages));
  touch_inputs(t, c, info, stages);
  if (info.preprocessSize != 0)
    t.touch_address(c, info.preprocessAddress, info.preprocessSize, stages,
                    VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_EXT | VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
  const CommandBuffer& commands = t.recording(c);
  if (commands.indices.buffer != ObjectId::null)
    t.touch_buffer(c, commands.indices.buffer, commands.indices.offset, commands.indices.size,
                   VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT);
  t.record(c).reach.add(kGenerated, true, true, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
}

}  // namespace

void add_generated_commands(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdPreprocessGeneratedCommandsEXT, preprocess);
  add(CommandId::vkCmdExecuteGeneratedCommandsEXT, execute);
}

#else

void add_generated_commands(Handlers&) {}

#endif

}  // namespace rondo::access
