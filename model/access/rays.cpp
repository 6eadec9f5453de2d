// SPDX-License-Identifier: Apache-2.0
// Acceleration structures and rays (specification, "Acceleration Structures", "Ray Tracing"). Structures refer to
// others by address, and so do the tables that name shaders: what is behind those is unknown.
#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

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

void take_geometry(Tracker& t, const Call& c, const VkAccelerationStructureGeometryKHR& geometry) {
  const auto input = [&](VkDeviceOrHostAddressConstKHR address) {
    t.touch_address(c, address.deviceAddress, 0, kBuild, VK_ACCESS_2_SHADER_READ_BIT);
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
      t.record(c).reach.add(kStructures, true, false, kBuild);
      return;
    default:
      t.record(c).reach.add(kStructures, true, true, kBuild);
      return;
  }
}

void take_build(Tracker& t, const Call& c, const VkAccelerationStructureBuildGeometryInfoKHR& info) {
  for (std::uint32_t i = 0; i < info.geometryCount; ++i) {
    const VkAccelerationStructureGeometryKHR* geometry = geometry_of(info, i);
    if (geometry == nullptr) break;
    take_geometry(t, c, *geometry);
  }
  if (info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR)
    t.touch_structure(c, c.id(&info.srcAccelerationStructure), kBuild, kStructureRead);
  t.touch_structure(c, c.id(&info.dstAccelerationStructure), kBuild, kStructureWrite);
  t.touch_address(c, info.scratchData.deviceAddress, 0, kBuild, kStructureRead | kStructureWrite);
}

void build(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) take_build(t, c, a.pInfos[i]);
}

void build_indirect(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBuildAccelerationStructuresIndirectKHR>();
  for (std::uint32_t i = 0; i < a.infoCount; ++i) {
    take_build(t, c, a.pInfos[i]);
    const std::uint32_t count = a.pInfos[i].geometryCount;
    if (count != 0)
      t.touch_address(
          c, a.pIndirectDeviceAddresses[i],
          std::uint64_t{count - 1} * a.pIndirectStrides[i] + sizeof(VkAccelerationStructureBuildRangeInfoKHR), kBuild,
          VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  }
}

void copy(Tracker& t, const Call& c) {
  const VkCopyAccelerationStructureInfoKHR& info = *c.as<args_vkCmdCopyAccelerationStructureKHR>().pInfo;
  t.touch_structure(c, c.id(&info.src), kBuild, kStructureRead);
  t.touch_structure(c, c.id(&info.dst), kBuild, kStructureWrite);
}

void copy_out(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCmdCopyAccelerationStructureToMemoryKHR>().pInfo;
  t.touch_structure(c, c.id(&info.src), kBuild, kStructureRead);
  t.touch_address(c, info.dst.deviceAddress, 0, kBuild, VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

void copy_in(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCmdCopyMemoryToAccelerationStructureKHR>().pInfo;
  t.touch_address(c, info.src.deviceAddress, 0, kBuild, VK_ACCESS_2_TRANSFER_READ_BIT);
  t.touch_structure(c, c.id(&info.dst), kBuild, kStructureWrite);
}

void touch_table(Tracker& t, const Call& c, const VkStridedDeviceAddressRegionKHR* table) {
  if (table != nullptr && table->size != 0)
    t.touch_address(c, table->deviceAddress, table->size, kTrace, VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR);
}

void trace_with(Tracker& t, const Call& c) {
  t.record_bound(c, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
  t.record(c).reach.add(kStructures, true, false, kTrace);
}

template <class Args>
void touch_tables(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  for (const auto* table : {a.pRaygenShaderBindingTable, a.pMissShaderBindingTable, a.pHitShaderBindingTable,
                            a.pCallableShaderBindingTable})
    touch_table(t, c, table);
}

void trace(Tracker& t, const Call& c) {
  trace_with(t, c);
  touch_tables<args_vkCmdTraceRaysKHR>(t, c);
}

void trace_indirect(Tracker& t, const Call& c) {
  trace_with(t, c);
  touch_tables<args_vkCmdTraceRaysIndirectKHR>(t, c);
  t.touch_address(c, c.as<args_vkCmdTraceRaysIndirectKHR>().indirectDeviceAddress,
                  sizeof(VkTraceRaysIndirectCommandKHR), VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                  VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

// Where the tables lie is in the parameters.
void trace_indirect_2(Tracker& t, const Call& c) {
  trace_with(t, c);
  t.record(c).reach.add(kGenerated, true, false, kTrace);
  t.touch_address(c, c.as<args_vkCmdTraceRaysIndirect2KHR>().indirectDeviceAddress,
                  sizeof(VkTraceRaysIndirectCommand2KHR), VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                  VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

}  // namespace

void add_rays(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdBuildAccelerationStructuresKHR, build);
  add(CommandId::vkCmdBuildAccelerationStructuresIndirectKHR, build_indirect);
  add(CommandId::vkCmdCopyAccelerationStructureKHR, copy);
  add(CommandId::vkCmdCopyAccelerationStructureToMemoryKHR, copy_out);
  add(CommandId::vkCmdCopyMemoryToAccelerationStructureKHR, copy_in);
  add(CommandId::vkCmdTraceRaysKHR, trace);
  add(CommandId::vkCmdTraceRaysIndirectKHR, trace_indirect);
  add(CommandId::vkCmdTraceRaysIndirect2KHR, trace_indirect_2);
}

}  // namespace rondo::access
