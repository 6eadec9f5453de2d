// SPDX-License-Identifier: Apache-2.0
// Acceleration structures: what programs that trace rays share.
#pragma once

#include "addressed.h"
#include "kernel.h"

namespace program {

constexpr VkBufferUsageFlags kBuildInput = VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;

inline const std::vector<const char*> kRayExtensions = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                                        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
                                                        VK_KHR_RAY_QUERY_EXTENSION_NAME};

// No structure's handle, where a handle is ignored.
inline const VkAccelerationStructureKHR kGarbage = reinterpret_cast<VkAccelerationStructureKHR>(0xdeadbeefdeadbeef);

struct Accelerated {
  VkAccelerationStructureKHR handle = VK_NULL_HANDLE;
  Addressed storage;
  VkDeviceAddress address = 0;
};

inline Accelerated create_accelerated(Session& s, VkAccelerationStructureTypeKHR type, VkDeviceSize bytes,
                                      VkDeviceSize offset = 0) {
  LOAD(s, vkCreateAccelerationStructureKHR);
  LOAD(s, vkDestroyAccelerationStructureKHR);
  LOAD(s, vkGetAccelerationStructureDeviceAddressKHR);
  Accelerated a;
  a.storage = create_addressed(s, offset + bytes, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
  const VkAccelerationStructureCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
                                                  .buffer = a.storage.buffer,
                                                  .offset = offset,
                                                  .size = bytes,
                                                  .type = type};
  CHECK(vkCreateAccelerationStructureKHR(s.device, &info, nullptr, &a.handle));
  keep(s, vkDestroyAccelerationStructureKHR, a.handle);
  const VkAccelerationStructureDeviceAddressInfoKHR asked{
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR, nullptr, a.handle};
  a.address = vkGetAccelerationStructureDeviceAddressKHR(s.device, &asked);
  return a;
}

// What is built, by whatever way: geometries and how many primitives each has.
struct Build {
  VkAccelerationStructureTypeKHR type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
  VkBuildAccelerationStructureFlagsKHR flags = 0;
  std::vector<VkAccelerationStructureGeometryKHR> geometries;
  std::vector<std::uint32_t> counts;
  bool by_pointers = false;  // ppGeometries instead of pGeometries
};

inline VkAccelerationStructureGeometryKHR triangles(const Addressed& vertices, std::uint32_t count,
                                                    VkDeviceAddress transform = 0) {
  VkAccelerationStructureGeometryKHR g{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
  g.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
  g.geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                          .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                          .vertexData = {.deviceAddress = vertices.address},
                          .vertexStride = 12,
                          .maxVertex = count - 1,
                          .indexType = VK_INDEX_TYPE_NONE_KHR,
                          .transformData = {.deviceAddress = transform}};
  g.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
  return g;
}

inline VkAccelerationStructureGeometryKHR boxes(const Addressed& bounds) {
  VkAccelerationStructureGeometryKHR g{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
  g.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
  g.geometry.aabbs = {VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                      nullptr,
                      {.deviceAddress = bounds.address},
                      sizeof(VkAabbPositionsKHR)};
  return g;
}

inline VkAccelerationStructureGeometryKHR instances(const Addressed& buffer, bool pointers = false) {
  VkAccelerationStructureGeometryKHR g{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
  g.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  g.geometry.instances = {VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                          nullptr,
                          pointers ? VK_TRUE : VK_FALSE,
                          {.deviceAddress = buffer.address}};
  return g;
}

// Where `structure` stands, moved by `x`.
inline VkAccelerationStructureInstanceKHR instance_of(const Accelerated& structure, float x, std::uint32_t custom) {
  VkAccelerationStructureInstanceKHR i{};
  i.transform = {{{1, 0, 0, x}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  i.instanceCustomIndex = custom & 0xffffff;
  i.mask = 0xff;
  i.accelerationStructureReference = structure.address;
  return i;
}

// Records the build of `b` into `to`, which is made large enough if it has no handle yet; an
// update of `from` if that has one.
inline void build(Session& s, const Build& b, Accelerated& to, VkAccelerationStructureKHR from = VK_NULL_HANDLE) {
  LOAD(s, vkGetAccelerationStructureBuildSizesKHR);
  LOAD(s, vkCmdBuildAccelerationStructuresKHR);
  std::vector<const VkAccelerationStructureGeometryKHR*> pointers;
  for (const auto& geometry : b.geometries) pointers.push_back(&geometry);
  VkAccelerationStructureBuildGeometryInfoKHR info{
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
      .type = b.type,
      .flags = b.flags,
      .geometryCount = static_cast<std::uint32_t>(b.geometries.size()),
      .pGeometries = b.by_pointers ? nullptr : b.geometries.data(),
      .ppGeometries = b.by_pointers ? pointers.data() : nullptr};
  // Ignored by this question, and by builds that are no updates: not followed.
  info.srcAccelerationStructure = kGarbage;
  info.dstAccelerationStructure = kGarbage;
  VkAccelerationStructureBuildSizesInfoKHR sizes{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
  vkGetAccelerationStructureBuildSizesKHR(s.device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info,
                                          b.counts.data(), &sizes);
  if (to.handle == VK_NULL_HANDLE) to = create_accelerated(s, b.type, sizes.accelerationStructureSize);
  const Addressed scratch =
      create_addressed(s, sizes.buildScratchSize + sizes.updateScratchSize + 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  info.dstAccelerationStructure = to.handle;
  info.scratchData.deviceAddress = (scratch.address + 255) / 256 * 256;
  if (from != VK_NULL_HANDLE) {
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    info.srcAccelerationStructure = from;
  }
  std::vector<VkAccelerationStructureBuildRangeInfoKHR> ranges;
  for (const std::uint32_t count : b.counts) ranges.push_back({count, 0, 0, 0});
  const VkAccelerationStructureBuildRangeInfoKHR* const all = ranges.data();
  vkCmdBuildAccelerationStructuresKHR(s.cmd, 1, &info, &all);
  barrier(s.cmd);
}

inline void write_accelerated(Session& s, VkDescriptorSet set, std::uint32_t binding, const Accelerated& a) {
  const VkWriteDescriptorSetAccelerationStructureKHR which{
      VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR, nullptr, 1, &a.handle};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = &which,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

}  // namespace program
