// SPDX-License-Identifier: Apache-2.0
// Acceleration structures built, updated, copied, compacted, serialized and
// asked by ray queries. Top-level ones refer to others by addresses that the
// host wrote into a buffer.
#include "rays.h"

#include "query.comp.h"

using namespace program;

namespace {

constexpr std::uint32_t kSide = 16;

const float kShapes[3][9] = {
    {-1, -1, 0, 1, -1, 0, -1, 1, 0}, {-1, -1, 0.5f, 1, -1, 0.5f, 1, 1, 0.5f}, {0, 0, 1, 1, 0, 1, 0, 1, 1}};

struct Question {
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSet set;
  MappedBuffer hits;
};

Question create_question(Session& s, const Accelerated& scene) {
  Question q;
  const VkDescriptorSetLayout set =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  q.layout = create_layout(s, {set});
  q.pipeline = create_compute(s, q.layout, shader(s, query_comp_spv));
  q.set = create_set(s, set, {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  q.hits = buffer(s, kSide * kSide * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  write_accelerated(s, q.set, 0, scene);
  write_buffer(s, q.set, 1, q.hits);
  return q;
}

// How many rays met what `custom` names.
std::uint32_t ask(Session& s, const Question& q, std::uint32_t custom) {
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, q.pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, q.layout, 0, 1, &q.set, 0, nullptr);
  vkCmdDispatch(s.cmd, kSide / 8, kSide / 8, 1);
  run(s);
  add(s, q.hits);
  std::uint32_t met = 0;
  for (std::uint32_t i = 0; i < kSide * kSide; ++i)
    met += q.hits.words[4 * i] != 0 && q.hits.words[4 * i + 1] == custom ? 1 : 0;
  return met;
}

// What a property of a structure is, by way of a query pool.
VkDeviceSize property(Session& s, const Accelerated& a, VkQueryType type) {
  LOAD(s, vkCmdWriteAccelerationStructuresPropertiesKHR);
  const VkQueryPoolCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type, .queryCount = 1};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  vkCmdResetQueryPool(s.cmd, pool, 0, 1);
  vkCmdWriteAccelerationStructuresPropertiesKHR(s.cmd, 1, &a.handle, type, pool, 0);
  run(s);
  VkDeviceSize value = 0;
  CHECK(vkGetQueryPoolResults(s.device, pool, 0, 1, sizeof value, &value, sizeof value,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  return value;
}

Accelerated copy(Session& s, const Accelerated& from, VkDeviceSize bytes, VkCopyAccelerationStructureModeKHR mode) {
  LOAD(s, vkCmdCopyAccelerationStructureKHR);
  const Accelerated to = create_accelerated(s, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, bytes, 256);
  const VkCopyAccelerationStructureInfoKHR info{VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR, nullptr,
                                                from.handle, to.handle, mode};
  vkCmdCopyAccelerationStructureKHR(s.cmd, &info);
  barrier(s.cmd);
  return to;
}

// Written out by the device and read in again.
Accelerated serialize(Session& s, const Accelerated& from, VkDeviceSize bytes) {
  LOAD(s, vkCmdCopyAccelerationStructureToMemoryKHR);
  LOAD(s, vkCmdCopyMemoryToAccelerationStructureKHR);
  LOAD(s, vkGetDeviceAccelerationStructureCompatibilityKHR);
  const VkDeviceSize needed = property(s, from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
  const Addressed stream = create_addressed(s, needed + 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDeviceAddress at = (stream.address + 255) / 256 * 256;
  VkCopyAccelerationStructureToMemoryInfoKHR out{
      .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR, .src = from.handle};
  out.dst.deviceAddress = at;
  out.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR;
  vkCmdCopyAccelerationStructureToMemoryKHR(s.cmd, &out);
  run(s);
  const auto* head = reinterpret_cast<const std::uint8_t*>(stream.words) + (at - stream.address);
  const VkAccelerationStructureVersionInfoKHR version{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
                                                      nullptr, head};
  VkAccelerationStructureCompatibilityKHR compatible;
  vkGetDeviceAccelerationStructureCompatibilityKHR(s.device, &version, &compatible);
  EXPECT(s, compatible == VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR);
  const Accelerated to = create_accelerated(s, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, bytes);
  VkCopyMemoryToAccelerationStructureInfoKHR in{.sType =
                                                    VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR};
  in.src.deviceAddress = at;
  in.dst = to.handle;
  in.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR;
  vkCmdCopyMemoryToAccelerationStructureKHR(s.cmd, &in);
  barrier(s.cmd);
  return to;
}

}  // namespace

int main() {
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .accelerationStructure = VK_TRUE};
  VkPhysicalDeviceRayQueryFeaturesKHR queries{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR, &structures,
                                              VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &queries,
                                       .bufferDeviceAddress = VK_TRUE};
  Wanted wanted;
  wanted.features = &v12;
  wanted.extensions = kRayExtensions;
  Session s = open("rays", wanted);

  // Two triangles, one of which a transform moves up, and a box.
  const Addressed first = addressed_of(s, kBuildInput, kShapes[0]), second = addressed_of(s, kBuildInput, kShapes[1]);
  const VkTransformMatrixKHR up[1] = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0.25f}}}};
  const Addressed transform = addressed_of(s, kBuildInput, up);
  const VkAabbPositionsKHR bounds[2] = {{-1, -1, 0, 0, 1, 1}, {0.5f, -1, 0, 1, 1, 1}};
  const Addressed box = addressed_of(s, kBuildInput, bounds);
  const Build shapes{.flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR |
                              VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
                     .geometries = {triangles(first, 3), triangles(second, 3, transform.address)},
                     .counts = {1, 1}};
  const Build boxed{.geometries = {boxes(box)}, .counts = {2}, .by_pointers = true};
  Accelerated solid, hollow;
  build(s, shapes, solid);
  build(s, boxed, hollow);
  run(s);

  const VkDeviceSize compact = property(s, solid, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR);
  EXPECT(s, compact > 0 && compact <= solid.storage.bytes);
  const Accelerated compacted = copy(s, solid, compact, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
  const Accelerated cloned = copy(s, hollow, hollow.storage.bytes, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
  const Accelerated read = serialize(s, solid, solid.storage.bytes);

  const VkAccelerationStructureInstanceKHR placed[4] = {instance_of(compacted, -3, 11), instance_of(cloned, -1, 12),
                                                        instance_of(read, 1, 13), instance_of(solid, 3, 14)};
  const Addressed in_place = addressed_of(s, kBuildInput, placed);
  Build scene{.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
              .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
              .geometries = {instances(in_place)},
              .counts = {4}};
  Accelerated top;
  build(s, scene, top);
  const Question asked = create_question(s, top);
  for (const std::uint32_t custom : {11u, 12u, 13u, 14u}) EXPECT(s, ask(s, asked, custom) > 0);

  // Moved by the host, and built anew in place and from another.
  auto* moved = reinterpret_cast<VkAccelerationStructureInstanceKHR*>(in_place.words);
  moved[0].transform.matrix[1][3] = 100;  // away
  build(s, scene, top, top.handle);
  EXPECT(s, ask(s, asked, 11) == 0);

  // By pointers to instances, which the host writes as well.
  VkDeviceAddress each[4];
  for (std::size_t i = 0; i < 4; ++i) each[i] = in_place.address + i * sizeof(VkAccelerationStructureInstanceKHR);
  moved[0].transform.matrix[1][3] = 0;
  const Addressed pointers = addressed_of(s, kBuildInput, each);
  scene.geometries = {instances(pointers, true)};
  Accelerated other;
  build(s, scene, other);
  const Question again = create_question(s, other);
  EXPECT(s, ask(s, again, 11) > 0);
  EXPECT(s, ask(s, again, 12) > 0);

  // A shape that changes where it is.
  std::memcpy(first.words, kShapes[2], sizeof kShapes[2]);
  build(s, shapes, solid, solid.handle);
  build(s, scene, other);
  EXPECT(s, ask(s, again, 14) > 0);
  return finish(s);
}
