// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/capabilities.h"

#include <algorithm>
#include <iterator>

#include "model/shaders/spirv.h"

namespace rondo::shaders {

const Capability* find_capability(std::uint32_t value) {
  const auto all = tables::capabilities();
  const auto at = std::lower_bound(all.begin(), all.end(), value,
                                   [](const Capability& one, std::uint32_t v) { return one.value < v; });
  return at != all.end() && at->value == value ? &*at : nullptr;
}

const SpirvExtension* find_spirv_extension(std::string_view name) {
  const auto all = tables::spirv_extensions();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const SpirvExtension& one, std::string_view n) { return one.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

std::string capability_name(std::uint32_t value) {
  const Capability* known = find_capability(value);
  return known != nullptr ? known->name : "capability " + std::to_string(value);
}

std::string text_of(std::span<const Requirement> enabled_by) {
  std::string text;
  for (const Requirement& one : enabled_by) {
    const std::string name =
        one.kind == Requirement::Kind::version
            ? "Vulkan " + std::to_string(one.version >> 22) + "." + std::to_string(one.version >> 12 & 0x3ff)
            : one.name;
    text += (text.empty() ? "" : " or ") + name;
  }
  return text;
}

// An older header lacks it.
constexpr std::uint32_t kCooperativeMatrixKhr = 6022;

bool is_relied_on(std::uint32_t capability) {
  static constexpr std::uint32_t kAll[] = {
      SpvCapabilityTessellation,
      SpvCapabilityFloat64,
      SpvCapabilityInt64,
      SpvCapabilityInt64Atomics,
      SpvCapabilityInt64ImageEXT,
      SpvCapabilitySparseResidency,
      SpvCapabilityTransformFeedback,
      SpvCapabilityGeometryStreams,
      SpvCapabilityPhysicalStorageBufferAddresses,
      SpvCapabilityRayQueryKHR,
      SpvCapabilityRayTracingKHR,
      SpvCapabilityRayTracingNV,
      SpvCapabilityRayTraversalPrimitiveCullingKHR,
      SpvCapabilityMeshShadingEXT,
      SpvCapabilityMeshShadingNV,
      SpvCapabilityFragmentShadingRateKHR,
      SpvCapabilityFragmentShaderSampleInterlockEXT,
      SpvCapabilityFragmentShaderPixelInterlockEXT,
      SpvCapabilityFragmentShaderShadingRateInterlockEXT,
      SpvCapabilityAtomicFloat16AddEXT,
      SpvCapabilityAtomicFloat32AddEXT,
      SpvCapabilityAtomicFloat64AddEXT,
      SpvCapabilityAtomicFloat16MinMaxEXT,
      SpvCapabilityAtomicFloat32MinMaxEXT,
      SpvCapabilityAtomicFloat64MinMaxEXT,
      SpvCapabilityCooperativeMatrixNV,
      kCooperativeMatrixKhr,
  };
  return std::find(std::begin(kAll), std::end(kAll), capability) != std::end(kAll);
}

}  // namespace rondo::shaders
