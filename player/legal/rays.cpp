// SPDX-License-Identifier: Apache-2.0
// Acceleration structures, and the pipelines that trace rays through them. What
// lies at device addresses nobody can follow: a driver takes it on trust, here as
// in any shader.
#include <algorithm>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

CommandBuffer* commands_of(Validity& v, const Call& c) { return v.command_buffers.find(c.dispatch()); }

Wrong create_structure(Validity& v, const Call& c) {
  const VkAccelerationStructureCreateInfoKHR& info = *c.as<args_vkCreateAccelerationStructureKHR>().pCreateInfo;
  const ObjectId buffer = c.id(&info.buffer);
  if (info.offset % 256 != 0) return "offset is no multiple of 256";
  if (Wrong w = check_bytes(v, "buffer", buffer, info.offset, info.size); !w.empty()) return w;
  v.needs_usage(buffer, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    v.structures.make(id) = {buffer};
    v.hold(buffer, id);
  }
  return {};
}

Wrong check_structure(Validity& v, const Call& c, const char* member, const VkAccelerationStructureKHR& handle) {
  const ObjectId id = c.id(&handle);
  const AccelerationStructure* structure = v.structures.find(id);
  if (id == ObjectId::null) return std::string(member) + " is null";
  if (structure == nullptr) return {};
  if (!v.alive(structure->buffer)) return v.name(id) + " is in " + v.name(structure->buffer) + ", which is destroyed";
  return check_bytes(v, member, structure->buffer, 0, VK_WHOLE_SIZE);
}

Wrong check_build(Validity& v, const Call& c, const VkAccelerationStructureBuildGeometryInfoKHR& info) {
  if (Wrong w = check_structure(v, c, "dstAccelerationStructure", info.dstAccelerationStructure); !w.empty()) return w;
  if (info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR)
    if (Wrong w = check_structure(v, c, "srcAccelerationStructure", info.srcAccelerationStructure); !w.empty())
      return w;
  return info.geometryCount != 0 && info.pGeometries == nullptr && info.ppGeometries == nullptr ? "has no geometries"
                                                                                                : Wrong();
}

Wrong build(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) {
    if (Wrong w = check_build(v, c, a.pInfos[i]); !w.empty()) return w;
    if (a.ppBuildRangeInfos[i] == nullptr) return "build " + std::to_string(i) + " has no ranges";
  }
  return {};
}

Wrong build_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresIndirectKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) {
    if (Wrong w = check_build(v, c, a.pInfos[i]); !w.empty()) return w;
    if (a.ppMaxPrimitiveCounts[i] == nullptr) return "build " + std::to_string(i) + " has no counts";
  }
  return {};
}

Wrong build_sizes(Validity&, const Call& c) {
  const auto& a = c.as<args_vkGetAccelerationStructureBuildSizesKHR>();
  const VkAccelerationStructureBuildGeometryInfoKHR& info = *a.pBuildInfo;
  if (info.geometryCount == 0) return {};
  if (info.pGeometries == nullptr && info.ppGeometries == nullptr) return "has no geometries";
  return a.pMaxPrimitiveCounts == nullptr ? "has no counts" : Wrong();
}

Wrong copy(Validity& v, const Call& c) {
  const VkCopyAccelerationStructureInfoKHR& info = *c.as<args_vkCmdCopyAccelerationStructureKHR>().pInfo;
  if (Wrong w = check_structure(v, c, "src", info.src); !w.empty()) return w;
  return check_structure(v, c, "dst", info.dst);
}
Wrong copy_out(Validity& v, const Call& c) {
  return check_structure(v, c, "src", c.as<args_vkCmdCopyAccelerationStructureToMemoryKHR>().pInfo->src);
}
Wrong copy_in(Validity& v, const Call& c) {
  return check_structure(v, c, "dst", c.as<args_vkCmdCopyMemoryToAccelerationStructureKHR>().pInfo->dst);
}

Wrong write_properties(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWriteAccelerationStructuresPropertiesKHR>();
  const ObjectId id = c.id(&a.queryPool);
  if (const QueryPool* pool = v.query_pools.find(id); pool != nullptr) {
    if (pool->type != a.queryType) return v.name(id) + " is for another type of query";
    if (!within(a.firstQuery, a.accelerationStructureCount, pool->count))
      return "queries " + std::to_string(a.firstQuery) + " to " +
             std::to_string(std::uint64_t{a.firstQuery} + a.accelerationStructureCount) + " of " + v.name(id) +
             ", which has " + std::to_string(pool->count);
  }
  for (std::uint32_t i = 0; i < a.accelerationStructureCount; ++i)
    if (Wrong w = check_structure(v, c, "a structure", a.pAccelerationStructures[i]); !w.empty()) return w;
  if (CommandBuffer* commands = commands_of(v, c); commands != nullptr)
    note_queries(*commands, {true, id, a.firstQuery, a.accelerationStructureCount});
  return {};
}

Wrong trace(Validity& v, const Call& c) {
  CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  if (commands->bound_rays == ObjectId::null) return "no ray tracing pipeline is bound";
  note_reach(v, *commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
  return {};
}

Wrong check_groups(Validity& v, ObjectId id, std::uint32_t first, std::uint32_t count) {
  const Pipeline* pipeline = v.pipelines.find(id);
  if (pipeline == nullptr) return {};
  if (pipeline->point != VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR) return v.name(id) + " traces no rays";
  return within(first, count, pipeline->groups)
             ? Wrong()
             : "groups " + std::to_string(first) + " to " + std::to_string(std::uint64_t{first} + count) + " of " +
                   v.name(id) + ", which has " + std::to_string(pipeline->groups);
}
Wrong group_handles(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetRayTracingShaderGroupHandlesKHR>();
  return check_groups(v, c.id(&a.pipeline), a.firstGroup, a.groupCount);
}
Wrong group_stack(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetRayTracingShaderGroupStackSizeKHR>();
  return check_groups(v, c.id(&a.pipeline), a.group, 1);
}

}  // namespace

Wrong check_shader_groups(const VkRayTracingPipelineCreateInfoKHR& info, std::uint32_t stages) {
  for (std::uint32_t i = 0; i < info.groupCount; ++i) {
    const VkRayTracingShaderGroupCreateInfoKHR& group = info.pGroups[i];
    const bool general = group.type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    for (const std::uint32_t stage :
         {group.generalShader, group.closestHitShader, group.anyHitShader, group.intersectionShader})
      if (stage != VK_SHADER_UNUSED_KHR && stage >= stages)
        return "group " + std::to_string(i) + " has stage " + std::to_string(stage) + " of " + std::to_string(stages);
    if (general && group.generalShader == VK_SHADER_UNUSED_KHR) return "group " + std::to_string(i) + " has no shader";
    if (group.type == VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR &&
        group.intersectionShader == VK_SHADER_UNUSED_KHR)
      return "group " + std::to_string(i) + " has no intersection shader";
  }
  return {};
}

void add_ray_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateAccelerationStructureKHR, create_structure);
  add(CommandId::vkCmdBuildAccelerationStructuresKHR, build);
  add(CommandId::vkCmdBuildAccelerationStructuresIndirectKHR, build_indirect);
  add(CommandId::vkGetAccelerationStructureBuildSizesKHR, build_sizes);
  add(CommandId::vkCmdCopyAccelerationStructureKHR, copy);
  add(CommandId::vkCmdCopyAccelerationStructureToMemoryKHR, copy_out);
  add(CommandId::vkCmdCopyMemoryToAccelerationStructureKHR, copy_in);
  add(CommandId::vkCmdWriteAccelerationStructuresPropertiesKHR, write_properties);
  add(CommandId::vkCmdTraceRaysKHR, trace);
  add(CommandId::vkCmdTraceRaysIndirectKHR, trace);
  add(CommandId::vkCmdTraceRaysIndirect2KHR, trace);
  add(CommandId::vkGetRayTracingShaderGroupHandlesKHR, group_handles);
  add(CommandId::vkGetRayTracingShaderGroupStackSizeKHR, group_stack);
}

}  // namespace rondo::player::validity
