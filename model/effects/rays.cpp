// SPDX-License-Identifier: Apache-2.0
// Acceleration structures and rays (specification, "Acceleration Structures", "Ray Tracing"). Structures refer to
// others by address, and so do the tables that name shaders: what is behind those is unknown.
#include "model/effects/all.h"

namespace rondo::model {

namespace {

constexpr VkPipelineStageFlags2 kBuild = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR;
constexpr VkPipelineStageFlags2 kTrace = VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
constexpr VkAccessFlags2 kStructureRead = VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR;
constexpr VkAccessFlags2 kStructureWrite = VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;

// Null: the file has neither of the two arrays, or not all of the second.
const VkAccelerationStructureGeometryKHR* geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR& info,
                                                      std::uint32_t i) {
  if (info.pGeometries != nullptr) return &info.pGeometries[i];
  return info.ppGeometries != nullptr ? info.ppGeometries[i] : nullptr;
}

void take_geometry(Effects& e, const VkAccelerationStructureGeometryKHR& geometry) {
  const auto input = [&](VkDeviceOrHostAddressConstKHR address) {
    e.touch_address(address.deviceAddress, 0, kBuild, VK_ACCESS_2_SHADER_READ_BIT);
  };
  switch (geometry.geometryType) {
    case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
      input(geometry.geometry.triangles.vertexData);
      if (geometry.geometry.triangles.indexType != VK_INDEX_TYPE_NONE_KHR) input(geometry.geometry.triangles.indexData);
      input(geometry.geometry.triangles.transformData);
      return;
    case VK_GEOMETRY_TYPE_AABBS_KHR:
      return input(geometry.geometry.aabbs.data);
    case VK_GEOMETRY_TYPE_INSTANCES_KHR:
      input(geometry.geometry.instances.data);
      // Instances name structures, and with arrayOfPointers other instances.
      e.reach(kStructures, true, false, kBuild);
      return;
    default:
      e.reach(kStructures, true, true, kBuild);
      return;
  }
}

void take_build(Effects& e, const Call& c, const VkAccelerationStructureBuildGeometryInfoKHR& info) {
  for (std::uint32_t i = 0; i < info.geometryCount; ++i) {
    const VkAccelerationStructureGeometryKHR* geometry = geometry_of(info, i);
    if (geometry == nullptr) break;
    take_geometry(e, *geometry);
  }
  if (info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR)
    e.touch_structure(c.id(&info.srcAccelerationStructure), kBuild, kStructureRead);
  e.touch_structure(c.id(&info.dstAccelerationStructure), kBuild, kStructureWrite);
  e.touch_address(info.scratchData.deviceAddress, 0, kBuild, kStructureRead | kStructureWrite);
}

void build(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) take_build(e, c, a.pInfos[i]);
}

void build_indirect(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresIndirectKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) {
    take_build(e, c, a.pInfos[i]);
    const std::uint32_t count = a.pInfos[i].geometryCount;
    if (count != 0)
      e.touch_address(
          a.pIndirectDeviceAddresses[i],
          std::uint64_t{count - 1} * a.pIndirectStrides[i] + sizeof(VkAccelerationStructureBuildRangeInfoKHR), kBuild,
          VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  }
}

void copy(Effects& e, const Call& c) {
  const VkCopyAccelerationStructureInfoKHR& info = *c.as<args_vkCmdCopyAccelerationStructureKHR>().pInfo;
  e.touch_structure(c.id(&info.src), kBuild, kStructureRead);
  e.touch_structure(c.id(&info.dst), kBuild, kStructureWrite);
}

void copy_out(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCmdCopyAccelerationStructureToMemoryKHR>().pInfo;
  e.touch_structure(c.id(&info.src), kBuild, kStructureRead);
  e.touch_address(info.dst.deviceAddress, 0, kBuild, VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

void copy_in(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCmdCopyMemoryToAccelerationStructureKHR>().pInfo;
  e.touch_address(info.src.deviceAddress, 0, kBuild, VK_ACCESS_2_TRANSFER_READ_BIT);
  e.touch_structure(c.id(&info.dst), kBuild, kStructureWrite);
}

void touch_table(Effects& e, const VkStridedDeviceAddressRegionKHR* table) {
  if (table != nullptr && table->size != 0)
    e.touch_address(table->deviceAddress, table->size, kTrace, VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR);
}

void trace_with(Effects& e) {
  e.work(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
  e.reach(kStructures, true, false, kTrace);
}

template <class Args>
void touch_tables(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  for (const auto* table : {a.pRaygenShaderBindingTable, a.pMissShaderBindingTable, a.pHitShaderBindingTable,
                            a.pCallableShaderBindingTable})
    touch_table(e, table);
}

void trace(Effects& e, const Call& c) {
  trace_with(e);
  touch_tables<args_vkCmdTraceRaysKHR>(e, c);
}

void trace_indirect(Effects& e, const Call& c) {
  trace_with(e);
  touch_tables<args_vkCmdTraceRaysIndirectKHR>(e, c);
  e.touch_address(c.as<args_vkCmdTraceRaysIndirectKHR>().indirectDeviceAddress, sizeof(VkTraceRaysIndirectCommandKHR),
                  VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

// Where the tables lie is in the parameters.
void trace_indirect_2(Effects& e, const Call& c) {
  trace_with(e);
  e.reach(kGenerated, true, false, kTrace);
  e.touch_address(c.as<args_vkCmdTraceRaysIndirect2KHR>().indirectDeviceAddress, sizeof(VkTraceRaysIndirectCommand2KHR),
                  VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

}  // namespace

void add_rays(Handlers& handlers) {
  add(handlers, CommandId::vkCmdBuildAccelerationStructuresKHR, build, kTouches);
  add(handlers, CommandId::vkCmdBuildAccelerationStructuresIndirectKHR, build_indirect, kTouches);
  add(handlers, CommandId::vkCmdCopyAccelerationStructureKHR, copy, kTouches);
  add(handlers, CommandId::vkCmdCopyAccelerationStructureToMemoryKHR, copy_out, kTouches);
  add(handlers, CommandId::vkCmdCopyMemoryToAccelerationStructureKHR, copy_in, kTouches);
  add(handlers, CommandId::vkCmdTraceRaysKHR, trace, kTouches | kWork);
  add(handlers, CommandId::vkCmdTraceRaysIndirectKHR, trace_indirect, kTouches | kWork);
  add(handlers, CommandId::vkCmdTraceRaysIndirect2KHR, trace_indirect_2, kTouches | kWork);
}

}  // namespace rondo::model
