// SPDX-License-Identifier: Apache-2.0
#include "player/legal/workgroup_limits.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace rondo::player {

namespace {

using Meshes = VkPhysicalDeviceMeshShaderPropertiesEXT;
using shaders::Needs;

constexpr VkShaderStageFlagBits kCompute = VK_SHADER_STAGE_COMPUTE_BIT, kTask = VK_SHADER_STAGE_TASK_BIT_EXT,
                                kMesh = VK_SHADER_STAGE_MESH_BIT_EXT;

template <std::size_t I>
std::uint64_t side(const Needs& needs) {
  return needs.local_size ? (*needs.local_size)[I] : 0;
}
std::uint64_t invocations(const Needs& needs) { return needs.local_size ? product(*needs.local_size) : 0; }
std::uint64_t shared(const Needs& needs) { return needs.shared_bytes; }
std::uint64_t payload(const Needs& needs) { return needs.payload_bytes; }
std::uint64_t payload_and_shared(const Needs& needs) { return needs.payload_bytes + needs.shared_bytes; }
std::uint64_t vertices(const Needs& needs) { return needs.output_vertices; }
std::uint64_t primitives(const Needs& needs) { return needs.output_primitives; }

template <auto Member>
std::uint64_t of_all(const WorkgroupLimits& limits) {
  return limits.all != nullptr ? limits.all->*Member : UINT64_MAX;
}
template <auto Member, std::size_t I>
std::uint64_t of_all_at(const WorkgroupLimits& limits) {
  return limits.all != nullptr ? (limits.all->*Member)[I] : UINT64_MAX;
}
template <auto Member>
std::uint64_t of_meshes(const WorkgroupLimits& limits) {
  return limits.meshes != nullptr ? limits.meshes->*Member : UINT64_MAX;
}
template <auto Member, std::size_t I>
std::uint64_t of_meshes_at(const WorkgroupLimits& limits) {
  return limits.meshes != nullptr ? (limits.meshes->*Member)[I] : UINT64_MAX;
}

struct Row {
  const char* name;
  VkShaderStageFlagBits stage;
  std::uint64_t (*asks)(const Needs&);
  std::uint64_t (*has)(const WorkgroupLimits&);
};
using Limits = VkPhysicalDeviceLimits;
constexpr Row kRows[] = {
    {"maxComputeWorkGroupSize[0]", kCompute, side<0>, of_all_at<&Limits::maxComputeWorkGroupSize, 0>},
    {"maxComputeWorkGroupSize[1]", kCompute, side<1>, of_all_at<&Limits::maxComputeWorkGroupSize, 1>},
    {"maxComputeWorkGroupSize[2]", kCompute, side<2>, of_all_at<&Limits::maxComputeWorkGroupSize, 2>},
    {"maxComputeWorkGroupInvocations", kCompute, invocations, of_all<&Limits::maxComputeWorkGroupInvocations>},
    {"maxComputeSharedMemorySize", kCompute, shared, of_all<&Limits::maxComputeSharedMemorySize>},
    {"maxTaskWorkGroupSize[0]", kTask, side<0>, of_meshes_at<&Meshes::maxTaskWorkGroupSize, 0>},
    {"maxTaskWorkGroupSize[1]", kTask, side<1>, of_meshes_at<&Meshes::maxTaskWorkGroupSize, 1>},
    {"maxTaskWorkGroupSize[2]", kTask, side<2>, of_meshes_at<&Meshes::maxTaskWorkGroupSize, 2>},
    {"maxTaskWorkGroupInvocations", kTask, invocations, of_meshes<&Meshes::maxTaskWorkGroupInvocations>},
    {"maxTaskPayloadSize", kTask, payload, of_meshes<&Meshes::maxTaskPayloadSize>},
    {"maxTaskPayloadAndSharedMemorySize", kTask, payload_and_shared,
     of_meshes<&Meshes::maxTaskPayloadAndSharedMemorySize>},
    {"maxMeshWorkGroupSize[0]", kMesh, side<0>, of_meshes_at<&Meshes::maxMeshWorkGroupSize, 0>},
    {"maxMeshWorkGroupSize[1]", kMesh, side<1>, of_meshes_at<&Meshes::maxMeshWorkGroupSize, 1>},
    {"maxMeshWorkGroupSize[2]", kMesh, side<2>, of_meshes_at<&Meshes::maxMeshWorkGroupSize, 2>},
    {"maxMeshWorkGroupInvocations", kMesh, invocations, of_meshes<&Meshes::maxMeshWorkGroupInvocations>},
    {"maxMeshPayloadAndSharedMemorySize", kMesh, payload_and_shared,
     of_meshes<&Meshes::maxMeshPayloadAndSharedMemorySize>},
    {"maxMeshOutputVertices", kMesh, vertices, of_meshes<&Meshes::maxMeshOutputVertices>},
    {"maxMeshOutputPrimitives", kMesh, primitives, of_meshes<&Meshes::maxMeshOutputPrimitives>},
};
static_assert(std::size(kRows) == kWorkgroupLimits);

}  // namespace

std::uint64_t product(const std::array<std::uint64_t, 3>& size) {
  std::uint64_t all = 1;
  for (const std::uint64_t one : size) all = one != 0 && all > UINT64_MAX / one ? UINT64_MAX : all * one;
  return all;
}

void WorkgroupNeeds::add(const Needs& needs, VkShaderStageFlagBits stage, std::uint64_t sequence) {
  for (std::size_t i = 0; i < kWorkgroupLimits; ++i)
    if (kRows[i].stage == stage)
      if (const std::uint64_t asked = kRows[i].asks(needs); asked > most_[i].value) most_[i] = {asked, sequence};
}

void WorkgroupNeeds::add(const WorkgroupNeeds& other) {
  for (std::size_t i = 0; i < kWorkgroupLimits; ++i)
    if (other.most_[i].value > most_[i].value) most_[i] = other.most_[i];
}

std::uint64_t WorkgroupNeeds::value(const char* limit) const {
  for (std::size_t i = 0; i < kWorkgroupLimits; ++i)
    if (std::strcmp(kRows[i].name, limit) == 0) return most_[i].value;
  return 0;
}

const char* WorkgroupNeeds::name_of(std::size_t row) { return kRows[row].name; }
std::uint64_t WorkgroupNeeds::limit_of(std::size_t row, const WorkgroupLimits& limits) {
  return kRows[row].has(limits);
}

std::string check_workgroup(const Needs& needs, VkShaderStageFlagBits stage, const WorkgroupLimits& limits) {
  WorkgroupNeeds own;
  own.add(needs, stage, 0);
  std::string first;
  own.each_beyond(limits, [&](const char* name, std::uint64_t asked, std::uint64_t has, std::uint64_t) {
    if (first.empty())
      first =
          "asks for " + std::to_string(asked) + ", and " + name + " of the captured device is " + std::to_string(has);
  });
  return first;
}

}  // namespace rondo::player
