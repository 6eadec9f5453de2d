// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory (VK_EXT_device_generated_commands):
// how that is laid out, which pipelines or shaders it chooses from, and where it lies. The values
// there nobody can follow: a driver takes them on trust.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "player/legal/descriptors.h"
#include "player/legal/validity.h"
#include "player/plan/places.h"

namespace rondo::player::validity {

#ifdef VK_EXT_device_generated_commands

namespace {

constexpr VkBufferUsageFlags kIndirect = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
constexpr VkShaderStageFlags kRays = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                     VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

VkPipelineBindPoint point_of(VkShaderStageFlags stages) {
  if ((stages & kRays) != 0) return VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
  return (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
}

// What a token does, and what it reads of each sequence.
struct TokenKind {
  bool action = false;
  VkPipelineBindPoint point{};  // of an action
  bool indexed = false, mesh = false;
  std::uint32_t bytes = 0;  // 0: there is no such token, or its own structure says
};

TokenKind kind_of(VkIndirectCommandsTokenTypeEXT type) {
  constexpr std::uint32_t kCounted = sizeof(VkDrawIndirectCountIndirectCommandEXT);
  switch (type) {
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT:
      return {.bytes = sizeof(VkBindIndexBufferIndirectCommandEXT)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT:
      return {.bytes = sizeof(VkBindVertexBufferIndirectCommandEXT)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, true, false, sizeof(VkDrawIndexedIndirectCommand)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, false, false, sizeof(VkDrawIndirectCommand)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_COUNT_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, true, false, kCounted};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, false, false, kCounted};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT:
      return {true, VK_PIPELINE_BIND_POINT_COMPUTE, false, false, sizeof(VkDispatchIndirectCommand)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, false, true, sizeof(VkDrawMeshTasksIndirectCommandEXT)};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT:
      return {true, VK_PIPELINE_BIND_POINT_GRAPHICS, false, true, kCounted};
    case VK_INDIRECT_COMMANDS_TOKEN_TYPE_TRACE_RAYS2_EXT:
      return {true, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, false, false, sizeof(VkTraceRaysIndirectCommand2KHR)};
    default:
      return {};
  }
}

// Of VK_NV_mesh_shader, whose stages programs are not shown.
bool is_hidden(VkIndirectCommandsTokenTypeEXT type) {
  return type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV_EXT ||
         type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_NV_EXT;
}

struct LayoutCheck {
  const VkIndirectCommandsLayoutCreateInfoEXT& info;
  const bool meshes;  // the device has shaders for them
  IndirectLayout made{};
  std::uint32_t bytes = 0;  // that the token looked at reads
  std::vector<std::uint32_t> bindings{};
  bool indices = false;

  Wrong check_constants(const VkIndirectCommandsLayoutTokenEXT& token) {
    const auto* data = token.data.pPushConstant;
    if (data == nullptr) return "pPushConstant is null";
    const VkPushConstantRange& range = data->updateRange;
    if (range.size == 0 || range.size % 4 != 0 || range.offset % 4 != 0)
      return "pushes to bytes that are no words, or to none";
    if (token.type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT && range.size != 4)
      return "pushes a sequence's index to " + std::to_string(range.size) + " bytes";
    constexpr std::uint32_t kMost = 1u << 16;  // beyond any device's
    if (!within(range.offset, range.size, kMost)) return "pushes to more bytes than any device has";
    if (info.pipelineLayout == VK_NULL_HANDLE && told() == nullptr) return "pushes constants without a pipeline layout";
    bytes = token.type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT ? range.size : 0;
    return {};
  }
  // A pipeline layout by its parameters.
  const VkPipelineLayoutCreateInfo* told() const {
    return find_chained<VkPipelineLayoutCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  }

  Wrong check_set(const VkIndirectCommandsLayoutTokenEXT& token, bool first) {
    const auto* data = token.data.pExecutionSet;
    if (data == nullptr) return "pExecutionSet is null";
    if (!first) return "an execution set is chosen from behind the first token";
    made.chooses = true;
    made.chooses_shaders = data->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    if (data->shaderStages == 0) return "chooses shaders of no stage";
    if ((data->shaderStages & ~info.shaderStages) != 0) return "chooses shaders of other stages than shaderStages";
    made.stages = data->shaderStages;
    bytes = made.chooses_shaders ? 4 * static_cast<std::uint32_t>(std::popcount(data->shaderStages)) : 4;
    return {};
  }

  Wrong check_token(std::uint32_t i) {
    const VkIndirectCommandsLayoutTokenEXT& token = info.pTokens[i];
    const TokenKind kind = kind_of(token.type);
    bytes = kind.bytes;
    if (token.offset % 4 != 0) return "offset is no multiple of 4";
    if (i != 0 && token.offset < info.pTokens[i - 1].offset) return "stands before the token that it follows";
    if (is_hidden(token.type)) return "draws meshes as VK_NV_mesh_shader does, which is not replayed";
    if (kind.mesh && !meshes) return "draws meshes without VK_EXT_mesh_shader";
    if (kind.action != (i + 1 == info.tokenCount))
      return kind.action ? "is an action, and not the last token" : "is the last token, and no action";
    if (kind.action && (kind.point != point_of(info.shaderStages) ||
                        kind.mesh != ((info.shaderStages & VK_SHADER_STAGE_MESH_BIT_EXT) != 0)))
      return "is an action of other stages than shaderStages";
    made.indexed = kind.indexed;
    made.mesh = kind.mesh;
    switch (token.type) {
      case VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT:
        return check_set(token, i == 0);
      case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT:
      case VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT:
        return check_constants(token);
      case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT:
        if (indices) return "binds an index buffer again";
        indices = true;
        return token.data.pIndexBuffer == nullptr ? "pIndexBuffer is null" : Wrong();
      case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT: {
        if (token.data.pVertexBuffer == nullptr) return "pVertexBuffer is null";
        const std::uint32_t binding = token.data.pVertexBuffer->vertexBindingUnit;
        if (binding >= kMostVertexBindings) return "binds vertex buffer " + std::to_string(binding);
        if (std::find(bindings.begin(), bindings.end(), binding) != bindings.end())
          return "binds vertex buffer " + std::to_string(binding) + " again";
        bindings.push_back(binding);
        return {};
      }
      default:
        return kind.action ? Wrong() : "there is no such token";
    }
  }

  Wrong check() {
    if (info.tokenCount == 0) return "has no tokens";
    for (std::uint32_t i = 0; i < info.tokenCount; ++i) {
      if (Wrong w = check_token(i); !w.empty()) return "token " + std::to_string(i) + ": " + w;
      made.bytes = std::max(made.bytes, info.pTokens[i].offset + bytes);
      if (bytes != 0 && !within(info.pTokens[i].offset, bytes, info.indirectStride))
        return "token " + std::to_string(i) + ": reads " + span_text(info.pTokens[i].offset, bytes) +
               " of a sequence, which has " + std::to_string(info.indirectStride);
    }
    if (made.indexed && indices) made.brings_indices = true;
    const bool draws = point_of(info.shaderStages) == VK_PIPELINE_BIND_POINT_GRAPHICS;
    if ((indices && !made.indexed) || (!bindings.empty() && (!draws || made.mesh)))
      return "binds buffers that its action does not read";
    made.point = point_of(info.shaderStages);
    made.preprocesses = (info.flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT) != 0;
    made.stride = info.indirectStride;
    return {};
  }
};

Wrong create_layout(Validity& v, const Call& c) {
  LayoutCheck check{*c.as<args_vkCreateIndirectCommandsLayoutEXT>().pCreateInfo,
                    v.allows(c.dispatch(), Relaxation::mesh_shader)};
  if (Wrong w = check.check(); !w.empty()) return w;
  if (const VkPipelineLayoutCreateInfo* told = check.told(); told != nullptr)
    if (Wrong w = check_sets_of_layout(v, c, *told); !w.empty()) return w;
  if (const ObjectId id = c.created(); id != ObjectId::null) v.indirect_layouts.make(id) = check.made;
  return {};
}

// A pipeline that may stand in a set of this kind; an empty set takes any.
Wrong check_pipeline(Validity& v, const ExecutionSet& set, ObjectId id) {
  const Pipeline* pipeline = v.pipelines.find(id);
  if (id == ObjectId::null) return "a pipeline is null";
  if (pipeline == nullptr) return {};
  if (pipeline->library) return v.name(id) + " is only a part of a pipeline";
  return pipeline->point == set.point ? Wrong() : v.name(id) + " is another kind of pipeline than the first";
}

Wrong create_set(Validity& v, const Call& c) {
  const VkIndirectExecutionSetCreateInfoEXT& info = *c.as<args_vkCreateIndirectExecutionSetEXT>().pCreateInfo;
  const ObjectId id = c.created();
  ExecutionSet set;
  set.shaders = info.type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
  std::vector<ObjectId> first;
  if (!set.shaders) {
    if (info.info.pPipelineInfo == nullptr) return "pPipelineInfo is null";
    const auto& of = *info.info.pPipelineInfo;
    first = {c.id(&of.initialPipeline)};
    set.count = of.maxPipelineCount;
    if (const Pipeline* pipeline = v.pipelines.find(first[0]); pipeline != nullptr) set.point = pipeline->point;
    if (Wrong w = check_pipeline(v, set, first[0]); !w.empty()) return w;
  } else {
    if (info.info.pShaderInfo == nullptr) return "pShaderInfo is null";
    const auto& of = *info.info.pShaderInfo;
    set.count = of.maxShaderCount;
    if (of.shaderCount == 0) return "has no shaders";
    for (std::uint32_t i = 0; i < of.shaderCount; ++i) {
      first.push_back(c.id(&of.pInitialShaders[i]));
      const Shader* shader = v.shaders.find(first.back());
      if (first.back() == ObjectId::null) return "shader " + std::to_string(i) + " is null";
      if (shader == nullptr) continue;
      if ((set.stages & static_cast<VkShaderStageFlags>(shader->stage)) != 0) return "has a stage twice";
      set.stages |= static_cast<VkShaderStageFlags>(shader->stage);
    }
    set.point = point_of(set.stages);
  }
  if (set.count < first.size())
    return "has room for " + std::to_string(set.count) + ", and begins with " + std::to_string(first.size());
  for (const ObjectId one : first) v.hold(one, id);
  if (id != ObjectId::null) v.execution_sets.make(id) = set;
  return {};
}

// One of the writes to a set, of a pipeline or shader.
Wrong update(Validity& v, ObjectId id, const ExecutionSet& set, std::uint32_t index, ObjectId object) {
  if (index >= set.count)
    return "writes " + std::to_string(index) + " of " + v.name(id) + ", which has " + std::to_string(set.count);
  v.hold(object, id);
  return {};
}

Wrong update_pipelines(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkUpdateIndirectExecutionSetPipelineEXT>();
  const ObjectId id = c.id(&a.indirectExecutionSet);
  ExecutionSet* set = v.execution_sets.find(id);
  if (set == nullptr) return {};
  if (set->shaders) return v.name(id) + " is one of shaders";
  for (std::uint32_t i = 0; i < a.executionSetWriteCount; ++i) {
    const VkWriteIndirectExecutionSetPipelineEXT& write = a.pExecutionSetWrites[i];
    if (Wrong w = check_pipeline(v, *set, c.id(&write.pipeline)); !w.empty()) return w;
    if (Wrong w = update(v, id, *set, write.index, c.id(&write.pipeline)); !w.empty()) return w;
  }
  return {};
}

Wrong update_shaders(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkUpdateIndirectExecutionSetShaderEXT>();
  const ObjectId id = c.id(&a.indirectExecutionSet);
  ExecutionSet* set = v.execution_sets.find(id);
  if (set == nullptr) return {};
  if (!set->shaders) return v.name(id) + " is one of pipelines";
  for (std::uint32_t i = 0; i < a.executionSetWriteCount; ++i) {
    const VkWriteIndirectExecutionSetShaderEXT& write = a.pExecutionSetWrites[i];
    const ObjectId object = c.id(&write.shader);
    const Shader* shader = v.shaders.find(object);
    if (object == ObjectId::null) return "shader " + std::to_string(i) + " is null";
    if (shader != nullptr && (set->stages & static_cast<VkShaderStageFlags>(shader->stage)) == 0)
      return v.name(object) + " is of a stage that " + v.name(id) + " does not have";
    if (Wrong w = update(v, id, *set, write.index, object); !w.empty()) return w;
  }
  return {};
}

// Bytes that the call gives by their address: they lie in a buffer that the program has asked
// for its address. 0: none, and nothing is wrong where none are needed.
Wrong check_address(Validity& v, const Call& c, const char* member, VkDeviceAddress address, VkDeviceSize bytes,
                    VkBufferUsageFlags usage) {
  if (address % 4 != 0) return std::string(member) + " is no multiple of 4";
  const ObjectId buffer = v.buffer_at(c.dispatch(), address, bytes);
  if (buffer == ObjectId::null)
    return std::string(member) + " has " + std::to_string(bytes) + " bytes at " + address_text(address) +
           ", and no buffer has them there";
  if (Wrong w = check_bytes(v, member, buffer, 0, 0); !w.empty()) return w;
  v.needs_usage(buffer, usage);
  v.command_buffers.find(c.dispatch())->uses.push_back(buffer);
  return {};
}

// maxSequenceCount may be more than there is, where the count is less: it is what there is room for.
Wrong check_sequences(Validity& v, const Call& c, const VkGeneratedCommandsInfoEXT& info,
                      const IndirectLayout& layout) {
  const auto bytes = [&](std::uint64_t sequences) { return (sequences - 1) * layout.stride + layout.bytes; };
  std::uint32_t sequences = info.maxSequenceCount;
  if (const ObjectId id = v.buffer_at(c.dispatch(), info.indirectAddress, bytes(1));
      id != ObjectId::null && info.sequenceCountAddress != 0 && layout.stride != 0) {
    const Buffer& buffer = *v.buffers.find(id);
    const std::uint64_t room = buffer.bytes - (info.indirectAddress - buffer.address);
    sequences = static_cast<std::uint32_t>(std::min<std::uint64_t>(sequences, (room - bytes(1)) / layout.stride + 1));
  }
  if (sequences != info.maxSequenceCount) v.change(c, info.maxSequenceCount, sequences);
  return check_address(v, c, "indirectAddress", info.indirectAddress, bytes(sequences), kIndirect);
}

// What both commands are told.
Wrong check_info(Validity& v, const Call& c, const VkGeneratedCommandsInfoEXT& info) {
  const ObjectId layout_id = c.id(&info.indirectCommandsLayout), set_id = c.id(&info.indirectExecutionSet);
  const IndirectLayout* layout = v.indirect_layouts.find(layout_id);
  const ExecutionSet* set = v.execution_sets.find(set_id);
  if (layout == nullptr) return "indirectCommandsLayout is null";
  if (layout->chooses != (set_id != ObjectId::null))
    return layout->chooses ? v.name(layout_id) + " chooses from a set, and there is none"
                           : v.name(layout_id) + " does not choose from a set";
  if (set != nullptr && (set->shaders != layout->chooses_shaders || set->point != layout->point))
    return v.name(set_id) + " holds something else than " + v.name(layout_id) + " chooses from";
  // A sequence has an index for each of them.
  if (set != nullptr && set->shaders && set->stages != layout->stages)
    return v.name(set_id) + " has shaders of other stages than " + v.name(layout_id) + " chooses";
  if (set_id == ObjectId::null) {
    const auto* pipeline = find_chained<VkGeneratedCommandsPipelineInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT);
    const auto* shaders = find_chained<VkGeneratedCommandsShaderInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT);
    if (pipeline == nullptr && shaders == nullptr) return "names neither a set nor pipeline or shaders";
    if (pipeline != nullptr && c.id(&pipeline->pipeline) == ObjectId::null) return "pipeline is null";
    if (shaders != nullptr && shaders->shaderCount == 0) return "has no shaders";
  }
  if (info.maxSequenceCount == 0) return "maxSequenceCount is 0";
  if (v.command_buffers.find(c.dispatch()) == nullptr) return {};
  if (Wrong w = check_sequences(v, c, info, *layout); !w.empty()) return w;
  if (info.sequenceCountAddress != 0)
    if (Wrong w = check_address(v, c, "sequenceCountAddress", info.sequenceCountAddress, 4, kIndirect); !w.empty())
      return w;
  if (info.preprocessSize == 0) return {};  // a driver that needs some is not given the command
  return check_address(v, c, "preprocessAddress", info.preprocessAddress, info.preprocessSize, 0);
}

bool binds_what_it_needs(const CommandBuffer& commands, VkPipelineBindPoint point) {
  if (point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR) return commands.bound_rays != ObjectId::null;
  return point == VK_PIPELINE_BIND_POINT_COMPUTE ? commands.compute : commands.graphics;
}

// What tokens bind is undefined behind them; a draw with nothing ends drivers.
void unbind_what_it_binds(CommandBuffer& commands, const IndirectLayout& layout) {
  if (layout.brings_indices) commands.index_bytes = 0;
  if (!layout.chooses) return;
  std::erase_if(commands.bound_shaders, [&](const auto& bound) { return (bound.first & layout.stages) != 0; });
  if (layout.point == VK_PIPELINE_BIND_POINT_COMPUTE) {
    commands.bound_compute = ObjectId::null;
    commands.compute = false;
  } else if (layout.point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
    commands.bound_graphics = ObjectId::null;
    commands.graphics = commands.bound_shaders.count(VK_SHADER_STAGE_VERTEX_BIT) != 0 ||
                        commands.bound_shaders.count(VK_SHADER_STAGE_MESH_BIT_EXT) != 0;
  } else {
    commands.bound_rays = ObjectId::null;
  }
}

Preprocessed key_of(const Call& c, const VkGeneratedCommandsInfoEXT& info) {
  return {c.id(&info.indirectCommandsLayout),
          c.id(&info.indirectExecutionSet),
          info.indirectAddress,
          info.preprocessAddress,
          info.sequenceCountAddress,
          info.maxSequenceCount};
}

Wrong preprocess(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPreprocessGeneratedCommandsEXT>();
  const VkGeneratedCommandsInfoEXT& info = *a.pGeneratedCommandsInfo;
  if (Wrong w = check_info(v, c, info); !w.empty()) return w;
  const ObjectId state_id = c.id(&a.stateCommandBuffer);
  const IndirectLayout& layout = *v.indirect_layouts.find(c.id(&info.indirectCommandsLayout));
  const CommandBuffer* state = v.command_buffers.find(state_id);
  if (state == nullptr || state->state != CommandBuffer::State::recording)
    return "stateCommandBuffer is not being recorded";
  if (!layout.preprocesses) return v.name(c.id(&info.indirectCommandsLayout)) + " is not for preprocessing";
  if (!binds_what_it_needs(*state, layout.point)) return v.name(state_id) + " has no such pipeline bound";
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    commands->generated.push_back({key_of(c, info), false});
  return {};
}

Wrong execute(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdExecuteGeneratedCommandsEXT>();
  const VkGeneratedCommandsInfoEXT& info = *a.pGeneratedCommandsInfo;
  if (Wrong w = check_info(v, c, info); !w.empty()) return w;
  const IndirectLayout& layout = *v.indirect_layouts.find(c.id(&info.indirectCommandsLayout));
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (layout.preprocesses != (a.isPreprocessed != VK_FALSE))
    return v.name(c.id(&info.indirectCommandsLayout)) +
           (layout.preprocesses ? " is for preprocessing, and nothing is preprocessed" : " is not for preprocessing");
  // A driver that needs no room leaves nothing to be found.
  if (layout.preprocesses && info.preprocessSize != 0) commands->generated.push_back({key_of(c, info), true});
  const bool draws = layout.point == VK_PIPELINE_BIND_POINT_GRAPHICS;
  if (draws != (commands->pass != CommandBuffer::Pass::none))
    return draws ? "draws outside of a render pass" : "stands within a render pass";
  if (!binds_what_it_needs(*commands, layout.point)) return "no such pipeline is bound";
  if (draws)
    if (Wrong w = check_bound_shaders(*commands, layout.mesh ? CommandId::vkCmdDrawMeshTasksEXT : CommandId::vkCmdDraw);
        !w.empty())
      return w;
  if (layout.indexed && !layout.brings_indices && commands->index_bytes == 0) return "no index buffer is bound";
  note_reach(v, *commands, layout.point);
  unbind_what_it_binds(*commands, layout);
  return {};
}

}  // namespace

#endif

void add_generated_command_checks([[maybe_unused]] std::vector<Handler>& table) {
#ifdef VK_EXT_device_generated_commands
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateIndirectCommandsLayoutEXT, create_layout);
  add(CommandId::vkCreateIndirectExecutionSetEXT, create_set);
  add(CommandId::vkUpdateIndirectExecutionSetPipelineEXT, update_pipelines);
  add(CommandId::vkUpdateIndirectExecutionSetShaderEXT, update_shaders);
  add(CommandId::vkCmdPreprocessGeneratedCommandsEXT, preprocess);
  add(CommandId::vkCmdExecuteGeneratedCommandsEXT, execute);
#endif
}

}  // namespace rondo::player::validity
