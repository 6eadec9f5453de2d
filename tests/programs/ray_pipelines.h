// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines' groups, and the shader binding tables that hold their handles.
#pragma once

#include <array>

#include "rays.h"

namespace program {

constexpr std::uint32_t kGroups = 4;  // raygen, miss, two of hits
constexpr VkDeviceSize kRecord = 64;

struct Tables {
  Addressed memory;
  VkStridedDeviceAddressRegionKHR at[4];  // raygen, miss, hit, callable
};

inline VkRayTracingShaderGroupCreateInfoKHR group(VkRayTracingShaderGroupTypeKHR type, std::uint32_t stage) {
  VkRayTracingShaderGroupCreateInfoKHR g{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
                                         .type = type,
                                         .generalShader = VK_SHADER_UNUSED_KHR,
                                         .closestHitShader = VK_SHADER_UNUSED_KHR,
                                         .anyHitShader = VK_SHADER_UNUSED_KHR,
                                         .intersectionShader = VK_SHADER_UNUSED_KHR};
  (type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR ? g.generalShader : g.closestHitShader) = stage;
  return g;
}

inline VkPipelineShaderStageCreateInfo ray_stage(VkShaderStageFlagBits kind, VkShaderModule module) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, kind, module, "main", nullptr};
}

inline VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits_of(const Session& s) {
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits, {}};
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  return limits;
}

// The groups' handles, each with eight bytes behind it.
inline Tables create_tables(Session& s, VkPipeline pipeline, const std::array<std::uint64_t, kGroups>& records_hold) {
  LOAD(s, vkGetRayTracingShaderGroupHandlesKHR);
  const VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits = limits_of(s);
  const std::size_t size = limits.shaderGroupHandleSize;
  EXPECT(s, size + 8 <= kRecord && limits.shaderGroupBaseAlignment <= kRecord);
  std::vector<std::uint8_t> handles(kGroups * size);
  CHECK(vkGetRayTracingShaderGroupHandlesKHR(s.device, pipeline, 0, kGroups, handles.size(), handles.data()));
  Tables t;
  t.memory = create_addressed(s, kGroups * kRecord, VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR);
  auto* records = reinterpret_cast<std::uint8_t*>(t.memory.words);
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::memcpy(records + i * kRecord, handles.data() + i * size, size);
    std::memcpy(records + i * kRecord + size, &records_hold[i], sizeof records_hold[i]);
  }
  t.at[0] = {t.memory.address, kRecord, kRecord};
  t.at[1] = {t.memory.address + kRecord, kRecord, kRecord};
  t.at[2] = {t.memory.address + 2 * kRecord, kRecord, 2 * kRecord};
  t.at[3] = {};
  return t;
}

// What a device finds in memory where it traces so many rays with these tables.
inline VkTraceRaysIndirectCommand2KHR command_of(const Tables& tables, std::uint32_t width, std::uint32_t height) {
  const VkStridedDeviceAddressRegionKHR* t = tables.at;
  return {.raygenShaderRecordAddress = t[0].deviceAddress,
          .raygenShaderRecordSize = t[0].size,
          .missShaderBindingTableAddress = t[1].deviceAddress,
          .missShaderBindingTableSize = t[1].size,
          .missShaderBindingTableStride = t[1].stride,
          .hitShaderBindingTableAddress = t[2].deviceAddress,
          .hitShaderBindingTableSize = t[2].size,
          .hitShaderBindingTableStride = t[2].stride,
          .width = width,
          .height = height,
          .depth = 1};
}

}  // namespace program
