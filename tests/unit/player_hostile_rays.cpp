// SPDX-License-Identifier: Apache-2.0
// Acceleration structures and ray tracing pipelines that are not what their calls say.
#include "tests/unit/player_descriptors.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileRays : public test::Descriptors {
 protected:
  HostileRays() : Descriptors(VK_API_VERSION_1_0, nullptr, {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME}) {}
  VkAccelerationStructureKHR structure(VkBuffer in, VkDeviceSize offset = 0, VkDeviceSize size = 512) {
    auto info = of_type<VkAccelerationStructureCreateInfoKHR>(VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR);
    info.buffer = in;
    info.offset = offset;
    info.size = size;
    return create<VkAccelerationStructureKHR, args_vkCreateAccelerationStructureKHR>(
        CommandId::vkCreateAccelerationStructureKHR, info);
  }
  VkAccelerationStructureBuildGeometryInfoKHR build_of(VkAccelerationStructureKHR to) {
    auto info = of_type<VkAccelerationStructureBuildGeometryInfoKHR>(
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR);
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    info.dstAccelerationStructure = to;
    info.geometryCount = 1;
    info.pGeometries = &geometry_;
    return info;
  }
  void build_with(const VkAccelerationStructureBuildGeometryInfoKHR& info) {
    const VkAccelerationStructureBuildRangeInfoKHR range{};
    const VkAccelerationStructureBuildRangeInfoKHR* const ranges = &range;
    capture.call(CommandId::vkCmdBuildAccelerationStructuresKHR,
                 args_vkCmdBuildAccelerationStructuresKHR{recording(), 1, &info, &ranges});
  }
  void copy(VkAccelerationStructureKHR from, VkAccelerationStructureKHR to) {
    auto info = of_type<VkCopyAccelerationStructureInfoKHR>(VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR);
    info.src = from;
    info.dst = to;
    capture.call(CommandId::vkCmdCopyAccelerationStructureKHR,
                 args_vkCmdCopyAccelerationStructureKHR{recording(), &info});
  }
  void write_properties(VkAccelerationStructureKHR of, std::uint32_t first, VkQueryType type) {
    auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR;
    info.queryCount = 2;
    const auto pool = create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
    capture.call(CommandId::vkCmdWriteAccelerationStructuresPropertiesKHR,
                 args_vkCmdWriteAccelerationStructuresPropertiesKHR{recording(), 1, &of, type, pool, first});
  }
  // Two stages and one group.
  VkPipeline pipeline(const VkRayTracingShaderGroupCreateInfoKHR& group) {
    const VkShaderModule code = module({0x07230203, 0, 0, 0, 0});
    const VkPipelineShaderStageCreateInfo stages[] = {stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, code),
                                                      stage(VK_SHADER_STAGE_MISS_BIT_KHR, code)};
    auto info = of_type<VkRayTracingPipelineCreateInfoKHR>(VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
    info.stageCount = 2;
    info.pStages = stages;
    info.groupCount = 1;
    info.pGroups = &group;
    info.layout = layout();
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateRayTracingPipelinesKHR,
                 args_vkCreateRayTracingPipelinesKHR{kDevice, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &made},
                 ok());
    return made;
  }
  static VkRayTracingShaderGroupCreateInfoKHR group(VkRayTracingShaderGroupTypeKHR type, std::uint32_t general) {
    auto info =
        of_type<VkRayTracingShaderGroupCreateInfoKHR>(VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR);
    info.type = type;
    info.generalShader = general;
    info.closestHitShader = info.anyHitShader = info.intersectionShader = VK_SHADER_UNUSED_KHR;
    return info;
  }
  static VkRayTracingShaderGroupCreateInfoKHR raygen(std::uint32_t stage = 0) {
    return group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, stage);
  }
  void ask_for_handles(VkPipeline of, std::uint32_t first, std::uint32_t count) {
    std::byte handles[128]{};
    capture.call(CommandId::vkGetRayTracingShaderGroupHandlesKHR,
                 args_vkGetRayTracingShaderGroupHandlesKHR{kDevice, of, first, count, sizeof handles, handles}, ok());
  }
  void trace(VkPipeline with) {
    const VkCommandBuffer into = recording();
    if (with != VK_NULL_HANDLE)
      capture.call(CommandId::vkCmdBindPipeline,
                   args_vkCmdBindPipeline{into, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, with});
    const VkStridedDeviceAddressRegionKHR table{};
    capture.call(CommandId::vkCmdTraceRaysKHR, args_vkCmdTraceRaysKHR{into, &table, &table, &table, &table, 1, 1, 1});
  }

 private:
  const VkAccelerationStructureGeometryKHR geometry_ = [] {
    auto made = of_type<VkAccelerationStructureGeometryKHR>(VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR);
    made.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
    made.geometry.instances.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
    return made;
  }();
};

TEST_F(HostileRays, StructuresAreBuiltCopiedAndAsked) {
  const auto made = structure(buffer(1024)), other = structure(buffer(1024), 512);
  build_with(build_of(made));
  copy(made, other);
  write_properties(other, 1, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR);
  accepts();
}
TEST_F(HostileRays, StructuresAreAligned) {
  structure(buffer(1024), 128);
  refuses("vkCreateAccelerationStructureKHR: offset is no multiple of 256");
}
TEST_F(HostileRays, StructuresAreInTheirBuffer) {
  structure(buffer(1024), 768);
  refuses("VkBuffer#0, which has 1024");
}
TEST_F(HostileRays, StructuresAreInABufferThatIsAlive) {
  const VkBuffer in = buffer(1024);
  const auto made = structure(in);
  destroy(in);
  build_with(build_of(made));
  refuses("VkAccelerationStructureKHR#0 is in VkBuffer#0, which is destroyed");
}
TEST_F(HostileRays, StructuresAreInABufferThatHasMemory) {
  build_with(build_of(structure(buffer(1024, false))));
  refuses("VkBuffer#0");
}
TEST_F(HostileRays, BuildsHaveATarget) {
  build_with(build_of(VK_NULL_HANDLE));
  refuses("dstAccelerationStructure is null");
}
TEST_F(HostileRays, BuildsHaveGeometries) {
  auto info = build_of(structure(buffer(1024)));
  info.pGeometries = nullptr;
  build_with(info);
  refuses("has no geometries");
}
TEST_F(HostileRays, UpdatesHaveASource) {
  auto info = build_of(structure(buffer(1024)));
  info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
  build_with(info);
  refuses("srcAccelerationStructure is null");
}
TEST_F(HostileRays, CopiesHaveBothEnds) {
  copy(structure(buffer(1024)), VK_NULL_HANDLE);
  refuses("vkCmdCopyAccelerationStructureKHR.dst at payload offset");
}
TEST_F(HostileRays, PropertiesAreWrittenToTheirKindOfQuery) {
  write_properties(structure(buffer(1024)), 0, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
  refuses("is for another type of query");
}
TEST_F(HostileRays, PropertiesAreWrittenToQueriesThatThereAre) {
  write_properties(structure(buffer(1024)), 2, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR);
  refuses("queries 2 to 3 of VkQueryPool#0, which has 2");
}

TEST_F(HostileRays, PipelinesTraceAndTellTheirGroups) {
  const VkPipeline made = pipeline(raygen());
  ask_for_handles(made, 0, 1);
  trace(made);
  accepts();
}
TEST_F(HostileRays, NothingIsTracedWithoutAPipeline) {
  trace(VK_NULL_HANDLE);
  refuses("no ray tracing pipeline is bound");
}
TEST_F(HostileRays, GroupsThatAPipelineDoesNotHaveTellNoHandles) {
  ask_for_handles(pipeline(raygen()), 0, 2);
  refuses("groups 0 to 2 of VkPipeline#0, which has 1");
}
TEST_F(HostileRays, GroupsHaveStagesOfTheirPipeline) {
  pipeline(raygen(2));
  refuses("group 0 has stage 2 of 2");
}
TEST_F(HostileRays, GeneralGroupsHaveAShader) {
  pipeline(raygen(VK_SHADER_UNUSED_KHR));
  refuses("group 0 has no shader");
}
TEST_F(HostileRays, ProceduralGroupsHaveAnIntersectionShader) {
  pipeline(group(VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR, VK_SHADER_UNUSED_KHR));
  refuses("group 0 has no intersection shader");
}

}  // namespace
}  // namespace rondo::player
