// SPDX-License-Identifier: Apache-2.0
// What a device has to offer for each capability: the Vulkan specification, "Capabilities". Capabilities
// that follow from a property or an extension alone are not here, but those that every device has.
#include <spirv_cross/spirv.h>

#include "shaders/reflect.h"

namespace rondo::shaders {

namespace {

const std::vector<Capability>& table() {
#define RONDO_CAPABILITY(name, ...) {SpvCapability##name, #name, {__VA_ARGS__}}
  static const std::vector<Capability> all = {
      RONDO_CAPABILITY(Matrix, ""),
      RONDO_CAPABILITY(Shader, ""),
      RONDO_CAPABILITY(InputAttachment, ""),
      RONDO_CAPABILITY(Sampled1D, ""),
      RONDO_CAPABILITY(Image1D, ""),
      RONDO_CAPABILITY(SampledBuffer, ""),
      RONDO_CAPABILITY(ImageBuffer, ""),
      RONDO_CAPABILITY(ImageQuery, ""),
      RONDO_CAPABILITY(DerivativeControl, ""),
      RONDO_CAPABILITY(Geometry, "geometryShader"),
      RONDO_CAPABILITY(Tessellation, "tessellationShader"),
      RONDO_CAPABILITY(Float16, "shaderFloat16"),
      RONDO_CAPABILITY(Float64, "shaderFloat64"),
      RONDO_CAPABILITY(Int8, "shaderInt8"),
      RONDO_CAPABILITY(Int16, "shaderInt16"),
      RONDO_CAPABILITY(Int64, "shaderInt64"),
      RONDO_CAPABILITY(Int64Atomics, "shaderBufferInt64Atomics", "shaderSharedInt64Atomics"),
      RONDO_CAPABILITY(Int64ImageEXT, "shaderImageInt64Atomics"),
      RONDO_CAPABILITY(AtomicFloat16AddEXT, "shaderBufferFloat16AtomicAdd", "shaderSharedFloat16AtomicAdd"),
      RONDO_CAPABILITY(AtomicFloat32AddEXT, "shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd",
                       "shaderImageFloat32AtomicAdd"),
      RONDO_CAPABILITY(AtomicFloat64AddEXT, "shaderBufferFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"),
      RONDO_CAPABILITY(AtomicFloat16MinMaxEXT, "shaderBufferFloat16AtomicMinMax", "shaderSharedFloat16AtomicMinMax"),
      RONDO_CAPABILITY(AtomicFloat32MinMaxEXT, "shaderBufferFloat32AtomicMinMax", "shaderSharedFloat32AtomicMinMax",
                       "shaderImageFloat32AtomicMinMax"),
      RONDO_CAPABILITY(AtomicFloat64MinMaxEXT, "shaderBufferFloat64AtomicMinMax", "shaderSharedFloat64AtomicMinMax"),
      RONDO_CAPABILITY(TessellationPointSize, "shaderTessellationAndGeometryPointSize"),
      RONDO_CAPABILITY(GeometryPointSize, "shaderTessellationAndGeometryPointSize"),
      RONDO_CAPABILITY(ImageGatherExtended, "shaderImageGatherExtended"),
      RONDO_CAPABILITY(StorageImageMultisample, "shaderStorageImageMultisample"),
      RONDO_CAPABILITY(ImageMSArray, "shaderStorageImageMultisample"),
      RONDO_CAPABILITY(UniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing"),
      RONDO_CAPABILITY(SampledImageArrayDynamicIndexing, "shaderSampledImageArrayDynamicIndexing"),
      RONDO_CAPABILITY(StorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing"),
      RONDO_CAPABILITY(StorageImageArrayDynamicIndexing, "shaderStorageImageArrayDynamicIndexing"),
      RONDO_CAPABILITY(InputAttachmentArrayDynamicIndexing, "shaderInputAttachmentArrayDynamicIndexing"),
      RONDO_CAPABILITY(UniformTexelBufferArrayDynamicIndexing, "shaderUniformTexelBufferArrayDynamicIndexing"),
      RONDO_CAPABILITY(StorageTexelBufferArrayDynamicIndexing, "shaderStorageTexelBufferArrayDynamicIndexing"),
      RONDO_CAPABILITY(UniformBufferArrayNonUniformIndexing, "shaderUniformBufferArrayNonUniformIndexing"),
      RONDO_CAPABILITY(SampledImageArrayNonUniformIndexing, "shaderSampledImageArrayNonUniformIndexing"),
      RONDO_CAPABILITY(StorageBufferArrayNonUniformIndexing, "shaderStorageBufferArrayNonUniformIndexing"),
      RONDO_CAPABILITY(StorageImageArrayNonUniformIndexing, "shaderStorageImageArrayNonUniformIndexing"),
      RONDO_CAPABILITY(InputAttachmentArrayNonUniformIndexing, "shaderInputAttachmentArrayNonUniformIndexing"),
      RONDO_CAPABILITY(UniformTexelBufferArrayNonUniformIndexing, "shaderUniformTexelBufferArrayNonUniformIndexing"),
      RONDO_CAPABILITY(StorageTexelBufferArrayNonUniformIndexing, "shaderStorageTexelBufferArrayNonUniformIndexing"),
      RONDO_CAPABILITY(ShaderNonUniform, "shaderUniformBufferArrayNonUniformIndexing",
                       "shaderSampledImageArrayNonUniformIndexing", "shaderStorageBufferArrayNonUniformIndexing",
                       "shaderStorageImageArrayNonUniformIndexing", "shaderInputAttachmentArrayNonUniformIndexing",
                       "shaderUniformTexelBufferArrayNonUniformIndexing",
                       "shaderStorageTexelBufferArrayNonUniformIndexing"),
      RONDO_CAPABILITY(RuntimeDescriptorArray, "runtimeDescriptorArray"),
      RONDO_CAPABILITY(ClipDistance, "shaderClipDistance"),
      RONDO_CAPABILITY(CullDistance, "shaderCullDistance"),
      RONDO_CAPABILITY(ImageCubeArray, "imageCubeArray"),
      RONDO_CAPABILITY(SampledCubeArray, "imageCubeArray"),
      RONDO_CAPABILITY(SampleRateShading, "sampleRateShading"),
      RONDO_CAPABILITY(InterpolationFunction, "sampleRateShading"),
      RONDO_CAPABILITY(SparseResidency, "shaderResourceResidency"),
      RONDO_CAPABILITY(MinLod, "shaderResourceMinLod"),
      RONDO_CAPABILITY(StorageImageExtendedFormats, "shaderStorageImageExtendedFormats"),
      RONDO_CAPABILITY(StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat"),
      RONDO_CAPABILITY(StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat"),
      RONDO_CAPABILITY(MultiViewport, "multiViewport"),
      RONDO_CAPABILITY(ShaderLayer, "shaderOutputLayer"),
      RONDO_CAPABILITY(ShaderViewportIndex, "shaderOutputViewportIndex"),
      RONDO_CAPABILITY(TransformFeedback, "transformFeedback"),
      RONDO_CAPABILITY(GeometryStreams, "geometryStreams"),
      RONDO_CAPABILITY(MultiView, "multiview"),
      RONDO_CAPABILITY(DrawParameters, "shaderDrawParameters"),
      RONDO_CAPABILITY(StorageBuffer16BitAccess, "storageBuffer16BitAccess"),
      RONDO_CAPABILITY(UniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"),
      RONDO_CAPABILITY(StoragePushConstant16, "storagePushConstant16"),
      RONDO_CAPABILITY(StorageInputOutput16, "storageInputOutput16"),
      RONDO_CAPABILITY(StorageBuffer8BitAccess, "storageBuffer8BitAccess"),
      RONDO_CAPABILITY(UniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"),
      RONDO_CAPABILITY(StoragePushConstant8, "storagePushConstant8"),
      RONDO_CAPABILITY(VariablePointersStorageBuffer, "variablePointersStorageBuffer"),
      RONDO_CAPABILITY(VariablePointers, "variablePointers"),
      RONDO_CAPABILITY(VulkanMemoryModel, "vulkanMemoryModel"),
      RONDO_CAPABILITY(VulkanMemoryModelDeviceScope, "vulkanMemoryModelDeviceScope"),
      RONDO_CAPABILITY(PhysicalStorageBufferAddresses, "bufferDeviceAddress"),
      RONDO_CAPABILITY(DemoteToHelperInvocation, "shaderDemoteToHelperInvocation"),
      RONDO_CAPABILITY(DotProduct, "shaderIntegerDotProduct"),
      RONDO_CAPABILITY(DotProductInputAll, "shaderIntegerDotProduct"),
      RONDO_CAPABILITY(DotProductInput4x8Bit, "shaderIntegerDotProduct"),
      RONDO_CAPABILITY(DotProductInput4x8BitPacked, "shaderIntegerDotProduct"),
      RONDO_CAPABILITY(RayQueryKHR, "rayQuery"),
      RONDO_CAPABILITY(RayTracingKHR, "rayTracingPipeline"),
      RONDO_CAPABILITY(RayTraversalPrimitiveCullingKHR, "rayTraversalPrimitiveCulling"),
      RONDO_CAPABILITY(MeshShadingEXT, "meshShader", "taskShader"),
      RONDO_CAPABILITY(ShaderClockKHR, "shaderSubgroupClock", "shaderDeviceClock"),
      RONDO_CAPABILITY(FragmentShaderSampleInterlockEXT, "fragmentShaderSampleInterlock"),
      RONDO_CAPABILITY(FragmentShaderPixelInterlockEXT, "fragmentShaderPixelInterlock"),
      RONDO_CAPABILITY(FragmentShadingRateKHR, "pipelineFragmentShadingRate", "primitiveFragmentShadingRate",
                       "attachmentFragmentShadingRate"),
      RONDO_CAPABILITY(WorkgroupMemoryExplicitLayoutKHR, "workgroupMemoryExplicitLayout"),
      RONDO_CAPABILITY(WorkgroupMemoryExplicitLayout8BitAccessKHR, "workgroupMemoryExplicitLayout8BitAccess"),
      RONDO_CAPABILITY(WorkgroupMemoryExplicitLayout16BitAccessKHR, "workgroupMemoryExplicitLayout16BitAccess"),
      // By a property or an extension alone: allowed where the old shader has them, too.
      RONDO_CAPABILITY(GroupNonUniform),
      RONDO_CAPABILITY(GroupNonUniformVote),
      RONDO_CAPABILITY(GroupNonUniformArithmetic),
      RONDO_CAPABILITY(GroupNonUniformBallot),
      RONDO_CAPABILITY(GroupNonUniformShuffle),
      RONDO_CAPABILITY(GroupNonUniformShuffleRelative),
      RONDO_CAPABILITY(GroupNonUniformClustered),
      RONDO_CAPABILITY(GroupNonUniformQuad),
      RONDO_CAPABILITY(SubgroupBallotKHR),
      RONDO_CAPABILITY(SubgroupVoteKHR),
      RONDO_CAPABILITY(ShaderViewportIndexLayerEXT),
      RONDO_CAPABILITY(StencilExportEXT),
      RONDO_CAPABILITY(DenormPreserve),
      RONDO_CAPABILITY(DenormFlushToZero),
      RONDO_CAPABILITY(SignedZeroInfNanPreserve),
      RONDO_CAPABILITY(RoundingModeRTE),
      RONDO_CAPABILITY(RoundingModeRTZ),
      RONDO_CAPABILITY(Kernel),
      RONDO_CAPABILITY(Linkage),
  };
#undef RONDO_CAPABILITY
  return all;
}

}  // namespace

const Capability* find_capability(std::uint32_t value) {
  for (const Capability& one : table())
    if (one.value == value) return &one;
  return nullptr;
}

std::string capability_name(std::uint32_t value) {
  const Capability* known = find_capability(value);
  return known != nullptr ? known->name : "capability " + std::to_string(value);
}

}  // namespace rondo::shaders
