// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines (VK_EXT_shader_object): what they are made of, which
// stages they are bound to, and what a draw cannot be without.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

bool has(const CommandBuffer& commands, VkShaderStageFlagBits stage) {
  return commands.bound_shaders.count(stage) != 0;
}

#ifdef VK_EXT_shader_object

Wrong check_shader(const VkShaderCreateInfoEXT& info) {
  if (!std::has_single_bit(static_cast<std::uint32_t>(info.stage))) return "stage is not one of the stages";
  if (Wrong w = check_code(info.pCode, info.codeSize); !w.empty()) return w;
  if (info.pName == nullptr) return "pName is null";
  if (info.setLayoutCount != 0 && info.pSetLayouts == nullptr) return "pSetLayouts is null";
  if (info.pushConstantRangeCount != 0 && info.pPushConstantRanges == nullptr) return "pPushConstantRanges is null";
  return check_constants(info.pSpecializationInfo);
}

Wrong create_shaders(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCreateShadersEXT>();
  bool binary = false;  // the player makes none behind the first
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkShaderCreateInfoEXT& info = a.pCreateInfos[i];
    const ObjectId id = c.created(i);
    binary = binary || info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT;
    if (binary && id != ObjectId::null) return "makes " + v.name(id) + " of a binary, or behind one";
    if (binary) continue;
    if (Wrong w = check_shader(info); !w.empty()) return "shader " + std::to_string(i) + ": " + w;
    if (id == ObjectId::null) continue;
    Shader& made = v.shaders.make(id);
    made.stage = info.stage;
    made.any_base = (info.flags & VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT) != 0;
    made.uses = uses_of(static_cast<const std::uint32_t*>(info.pCode), info.codeSize / 4);
  }
  return {};
}

// Of a command buffer: takes the place of what was bound to its stage, and of the pipeline.
Wrong bind_stage(Validity& v, CommandBuffer& commands, VkShaderStageFlagBits stage, ObjectId id) {
  constexpr VkShaderStageFlags kDrawn =
      VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  const bool compute = stage == VK_SHADER_STAGE_COMPUTE_BIT;
  if (!std::has_single_bit(static_cast<std::uint32_t>(stage)) || (!compute && (stage & kDrawn) == 0))
    return "there are no shaders of such a stage";
  if (const Shader* shader = v.shaders.find(id); shader != nullptr && shader->stage != stage)
    return v.name(id) + " is bound to another stage than it is of";
  if (commands.can != 0 && (commands.can & (compute ? VK_QUEUE_COMPUTE_BIT : VK_QUEUE_GRAPHICS_BIT)) == 0)
    return "the queues of family " + std::to_string(commands.family) + " have no such stages";
  (compute ? commands.bound_compute : commands.bound_graphics) = ObjectId::null;
  if (id != ObjectId::null)
    commands.bound_shaders[stage] = id;
  else
    commands.bound_shaders.erase(stage);
  if (compute)
    commands.compute = id != ObjectId::null;
  else
    commands.graphics = has(commands, VK_SHADER_STAGE_VERTEX_BIT) || has(commands, VK_SHADER_STAGE_MESH_BIT_EXT);
  return {};
}

Wrong bind_shaders(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindShadersEXT>();
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  for (std::uint32_t i = 0; commands != nullptr && i < a.stageCount; ++i)
    if (Wrong w = bind_stage(v, *commands, a.pStages[i], a.pShaders != nullptr ? c.id(&a.pShaders[i]) : ObjectId::null);
        !w.empty())
      return w;
  return {};
}

#endif

}  // namespace

void unbind_shaders(CommandBuffer& commands, VkPipelineBindPoint point) {
  if (point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR) return;
  const bool compute = point == VK_PIPELINE_BIND_POINT_COMPUTE;
  std::erase_if(commands.bound_shaders,
                [&](const auto& bound) { return (bound.first == VK_SHADER_STAGE_COMPUTE_BIT) == compute; });
}

Wrong check_bound_shaders(const CommandBuffer& commands, CommandId draw) {
  if (commands.bound_graphics != ObjectId::null) return {};
  const bool meshes = codec::info(draw).verb == codec::Verb::draws_meshes;
  if (!has(commands, meshes ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_VERTEX_BIT))
    return meshes ? "no mesh shader is bound" : "no vertex shader is bound";
  return has(commands, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) ==
                 has(commands, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT)
             ? Wrong()
             : "one of two tessellation shaders is bound";
}

void add_shader_checks([[maybe_unused]] std::vector<Handler>& table) {
#ifdef VK_EXT_shader_object
  table[static_cast<std::size_t>(CommandId::vkCreateShadersEXT)] = create_shaders;
  table[static_cast<std::size_t>(CommandId::vkCmdBindShadersEXT)] = bind_shaders;
#endif
}

}  // namespace rondo::player::validity
