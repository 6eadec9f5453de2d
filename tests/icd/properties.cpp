// SPDX-License-Identifier: Apache-2.0
// The limits and properties of the fake device: those of a middling desktop GPU,
// except where larger ones find more mistakes.
#include <cstring>

#include "format/codec/schema.h"
#include "tests/icd/fake.h"
#include "tests/icd/physical_device.h"

namespace fake {

namespace {

constexpr VkSampleCountFlags kSamples =
    VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT;
constexpr std::uint32_t kMany = 1u << 20;
constexpr VkSubgroupFeatureFlags kSubgroup =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
    VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
constexpr VkResolveModeFlags kResolve =
    VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
constexpr const char* kName = "Rondo's fake driver";

// The members that VkPhysicalDeviceVulkan1xProperties shares with the structures
// that it took them from have the same names: one assignment fills both.
template <class P>
void identity(P& p, std::uint32_t index) {
  std::memset(p.deviceUUID, 0xfa, VK_UUID_SIZE);
  std::memset(p.driverUUID, 0xfd, VK_UUID_SIZE);
  std::memset(p.deviceLUID, 0, VK_LUID_SIZE);
  p.deviceUUID[0] = static_cast<std::uint8_t>(index);
  p.deviceNodeMask = 0;
  p.deviceLUIDValid = VK_FALSE;
}
template <class P>
void multiview(P& p) {
  p.maxMultiviewViewCount = 6;
  p.maxMultiviewInstanceIndex = (1u << 27) - 1;
}
template <class P>
void maintenance3(P& p) {
  p.maxPerSetDescriptors = kMany;
  p.maxMemoryAllocationSize = 1ull << 33;
}
template <class P>
void driver(P& p) {
  p.driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
  std::memset(p.driverName, 0, sizeof p.driverName);
  std::memset(p.driverInfo, 0, sizeof p.driverInfo);
  std::strncpy(p.driverName, kName, sizeof p.driverName - 1);
  p.conformanceVersion = {1, 3, 0, 0};
}
template <class P>
void resolve(P& p) {
  p.supportedDepthResolveModes = kResolve;
  p.supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
  p.independentResolveNone = p.independentResolve = VK_TRUE;
}
template <class P>
void indexing(P& p) {
  p.maxUpdateAfterBindDescriptorsInAllPools = kMany;
  p.maxPerStageDescriptorUpdateAfterBindSamplers = kMany;
  p.maxPerStageDescriptorUpdateAfterBindUniformBuffers = kMany;
  p.maxPerStageDescriptorUpdateAfterBindStorageBuffers = kMany;
  p.maxPerStageDescriptorUpdateAfterBindSampledImages = kMany;
  p.maxPerStageDescriptorUpdateAfterBindStorageImages = kMany;
  p.maxPerStageDescriptorUpdateAfterBindInputAttachments = kMany;
  p.maxPerStageUpdateAfterBindResources = kMany;
  p.maxDescriptorSetUpdateAfterBindSamplers = kMany;
  p.maxDescriptorSetUpdateAfterBindUniformBuffers = kMany;
  p.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = 8;
  p.maxDescriptorSetUpdateAfterBindStorageBuffers = kMany;
  p.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = 8;
  p.maxDescriptorSetUpdateAfterBindSampledImages = kMany;
  p.maxDescriptorSetUpdateAfterBindStorageImages = kMany;
  p.maxDescriptorSetUpdateAfterBindInputAttachments = kMany;
}
template <class P>
void inline_blocks(P& p) {
  p.maxInlineUniformBlockSize = 256;
  p.maxPerStageDescriptorInlineUniformBlocks = 4;
  p.maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 4;
  p.maxDescriptorSetInlineUniformBlocks = 4;
  p.maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 4;
}
template <class P>
void subgroup_sizes(P& p) {
  p.minSubgroupSize = 4;
  p.maxSubgroupSize = 64;
  p.maxComputeWorkgroupSubgroups = 64;
  p.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
}
template <class P>
void texel_alignment(P& p) {
  p.storageTexelBufferOffsetAlignmentBytes = p.uniformTexelBufferOffsetAlignmentBytes = 16;
  p.storageTexelBufferOffsetSingleTexelAlignment = p.uniformTexelBufferOffsetSingleTexelAlignment = VK_TRUE;
}

void vulkan11(VkPhysicalDeviceVulkan11Properties& p, std::uint32_t index) {
  identity(p, index);
  multiview(p);
  maintenance3(p);
  p.subgroupSize = 32;
  p.subgroupSupportedStages = VK_SHADER_STAGE_ALL;
  p.subgroupSupportedOperations = kSubgroup;
  p.pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
}

void vulkan12(VkPhysicalDeviceVulkan12Properties& p) {
  driver(p);
  resolve(p);
  indexing(p);
  p.denormBehaviorIndependence = p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  p.filterMinmaxSingleComponentFormats = VK_TRUE;
  p.maxTimelineSemaphoreValueDifference = UINT64_MAX;
  p.framebufferIntegerColorSampleCounts = kSamples;
}

void vulkan13(VkPhysicalDeviceVulkan13Properties& p) {
  subgroup_sizes(p);
  inline_blocks(p);
  texel_alignment(p);
  p.maxInlineUniformTotalSize = 1024;
  p.maxBufferSize = 1ull << 40;
}

void meshes(VkPhysicalDeviceMeshShaderPropertiesEXT& p) {
  for (std::uint32_t* each : {p.maxTaskWorkGroupCount, p.maxMeshWorkGroupCount})
    for (std::uint32_t i = 0; i < 3; ++i) each[i] = 65535;
  for (std::uint32_t* each : {p.maxTaskWorkGroupSize, p.maxMeshWorkGroupSize})
    for (std::uint32_t i = 0; i < 3; ++i) each[i] = 128;
  p.maxTaskWorkGroupTotalCount = p.maxMeshWorkGroupTotalCount = 1u << 22;
  p.maxTaskWorkGroupInvocations = p.maxMeshWorkGroupInvocations = 128;
  p.maxTaskPayloadSize = 16384;
  p.maxTaskSharedMemorySize = p.maxTaskPayloadAndSharedMemorySize = 32768;
  p.maxMeshSharedMemorySize = p.maxMeshPayloadAndSharedMemorySize = 28672;
  p.maxMeshOutputMemorySize = p.maxMeshPayloadAndOutputMemorySize = 32768;
  p.maxMeshOutputComponents = 128;
  p.maxMeshOutputVertices = p.maxMeshOutputPrimitives = 256;
  p.maxMeshOutputLayers = 8;
  p.maxMeshMultiviewViewCount = 1;
  p.meshOutputPerVertexGranularity = p.meshOutputPerPrimitiveGranularity = 32;
  p.maxPreferredTaskWorkGroupInvocations = p.maxPreferredMeshWorkGroupInvocations = 32;
}

template <class T>
T& as(VkBaseOutStructure* s) {
  return *reinterpret_cast<T*>(s);
}

}  // namespace

VkPhysicalDeviceLimits limits() {
  VkPhysicalDeviceLimits l{};
  l.maxImageDimension1D = l.maxImageDimension2D = l.maxImageDimensionCube = 16384;
  l.maxImageDimension3D = l.maxImageArrayLayers = 2048;
  l.maxTexelBufferElements = 1u << 27;
  l.maxUniformBufferRange = 65536;
  l.maxStorageBufferRange = 1u << 30;
  l.maxPushConstantsSize = 256;
  l.maxMemoryAllocationCount = 4096;
  l.maxSamplerAllocationCount = 4000;
  l.bufferImageGranularity = settings().buffer_alignment;
  l.maxBoundDescriptorSets = 8;
  l.maxPerStageDescriptorSamplers = l.maxPerStageDescriptorUniformBuffers = l.maxPerStageDescriptorStorageBuffers =
      l.maxPerStageDescriptorSampledImages = l.maxPerStageDescriptorStorageImages =
          l.maxPerStageDescriptorInputAttachments = l.maxPerStageResources = kMany;
  l.maxDescriptorSetSamplers = l.maxDescriptorSetUniformBuffers = l.maxDescriptorSetStorageBuffers =
      l.maxDescriptorSetSampledImages = l.maxDescriptorSetStorageImages = l.maxDescriptorSetInputAttachments = kMany;
  l.maxDescriptorSetUniformBuffersDynamic = l.maxDescriptorSetStorageBuffersDynamic = 8;
  l.maxVertexInputAttributes = l.maxVertexInputBindings = 32;
  l.maxVertexInputAttributeOffset = 2047;
  l.maxVertexInputBindingStride = 2048;
  l.maxVertexOutputComponents = 128;
  l.maxTessellationGenerationLevel = 64;
  l.maxTessellationPatchSize = 32;
  l.maxTessellationControlPerVertexInputComponents = l.maxTessellationControlPerVertexOutputComponents = 128;
  l.maxTessellationControlPerPatchOutputComponents = 120;
  l.maxTessellationControlTotalOutputComponents = 4096;
  l.maxTessellationEvaluationInputComponents = l.maxTessellationEvaluationOutputComponents = 128;
  l.maxGeometryShaderInvocations = 32;
  l.maxGeometryInputComponents = 64;
  l.maxGeometryOutputComponents = 128;
  l.maxGeometryOutputVertices = 256;
  l.maxGeometryTotalOutputComponents = 1024;
  l.maxFragmentInputComponents = 128;
  l.maxFragmentOutputAttachments = 8;
  l.maxFragmentDualSrcAttachments = 1;
  l.maxFragmentCombinedOutputResources = 72;
  l.maxComputeSharedMemorySize = 32768;
  for (std::uint32_t& n : l.maxComputeWorkGroupCount) n = 65535;
  l.maxComputeWorkGroupInvocations = 1024;
  l.maxComputeWorkGroupSize[0] = l.maxComputeWorkGroupSize[1] = 1024;
  l.maxComputeWorkGroupSize[2] = 64;
  l.subPixelPrecisionBits = l.subTexelPrecisionBits = l.mipmapPrecisionBits = 8;
  l.maxDrawIndexedIndexValue = l.maxDrawIndirectCount = UINT32_MAX;
  l.maxSamplerLodBias = 16;
  l.maxSamplerAnisotropy = 16;
  l.maxViewports = 16;
  l.maxViewportDimensions[0] = l.maxViewportDimensions[1] = 16384;
  l.viewportBoundsRange[0] = -32768;
  l.viewportBoundsRange[1] = 32767;
  l.viewportSubPixelBits = 8;
  l.minMemoryMapAlignment = 64;
  l.minTexelBufferOffsetAlignment = 16;
  l.minUniformBufferOffsetAlignment = l.minStorageBufferOffsetAlignment = 64;
  l.minTexelOffset = l.minTexelGatherOffset = -8;
  l.maxTexelOffset = l.maxTexelGatherOffset = 7;
  l.minInterpolationOffset = -0.5f;
  l.maxInterpolationOffset = 0.4375f;
  l.subPixelInterpolationOffsetBits = 4;
  l.maxFramebufferWidth = l.maxFramebufferHeight = 16384;
  l.maxFramebufferLayers = 2048;
  l.framebufferColorSampleCounts = l.framebufferDepthSampleCounts = l.framebufferStencilSampleCounts =
      l.framebufferNoAttachmentsSampleCounts = kSamples;
  l.maxColorAttachments = 8;
  l.sampledImageColorSampleCounts = l.sampledImageIntegerSampleCounts = l.sampledImageDepthSampleCounts =
      l.sampledImageStencilSampleCounts = l.storageImageSampleCounts = kSamples;
  l.maxSampleMaskWords = 1;
  l.timestampComputeAndGraphics = VK_TRUE;
  l.timestampPeriod = 1;
  l.maxClipDistances = l.maxCullDistances = l.maxCombinedClipAndCullDistances = 8;
  l.discreteQueuePriorities = 2;
  l.pointSizeRange[0] = l.lineWidthRange[0] = 1;
  l.pointSizeRange[1] = 255;
  l.lineWidthRange[1] = 8;
  l.pointSizeGranularity = l.lineWidthGranularity = 1.0f / 8;
  l.strictLines = l.standardSampleLocations = VK_TRUE;
  l.optimalBufferCopyOffsetAlignment = l.optimalBufferCopyRowPitchAlignment = 64;
  l.nonCoherentAtomSize = settings().atom;
  return l;
}

VkPhysicalDeviceProperties properties(const PhysicalDevice& device) {
  VkPhysicalDeviceProperties p{};
  p.apiVersion = api_version();
  p.driverVersion = 1;
  p.vendorID = 0x10005;  // Mesa's, as software rasterizers have
  p.deviceID = 0xfa4e;
  p.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::strncpy(p.deviceName, device.index == 0 ? "Fake GPU" : "Fake GPU, another", sizeof p.deviceName - 1);
  // Another driver where resources need other memory: the player goes by this.
  std::memset(p.pipelineCacheUUID, 0xfc, VK_UUID_SIZE);
  const VkDeviceSize layout[2] = {settings().buffer_alignment, settings().image_padding};
  std::memcpy(p.pipelineCacheUUID, layout, sizeof layout);
  p.limits = limits();
  return p;
}

void fill_properties(const PhysicalDevice& device, VkBaseOutStructure* s) {
  const rondo::StructId id = rondo::codec::structure_by_stype(static_cast<std::uint32_t>(s->sType));
  if (id == rondo::StructId::none) return;
  auto* const next = s->pNext;
  const VkStructureType type = s->sType;
  std::memset(static_cast<void*>(s), 0, rondo::codec::info(id).size);
  s->sType = type;
  s->pNext = next;
  switch (type) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
      return vulkan11(as<VkPhysicalDeviceVulkan11Properties>(s), device.index);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES:
      return vulkan12(as<VkPhysicalDeviceVulkan12Properties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES:
      return vulkan13(as<VkPhysicalDeviceVulkan13Properties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
      return identity(as<VkPhysicalDeviceIDProperties>(s), device.index);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES:
      return multiview(as<VkPhysicalDeviceMultiviewProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES:
      return maintenance3(as<VkPhysicalDeviceMaintenance3Properties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES:
      as<VkPhysicalDeviceMaintenance4Properties>(s).maxBufferSize = 1ull << 40;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
      return driver(as<VkPhysicalDeviceDriverProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES:
      return resolve(as<VkPhysicalDeviceDepthStencilResolveProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES:
      return indexing(as<VkPhysicalDeviceDescriptorIndexingProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES:
      return inline_blocks(as<VkPhysicalDeviceInlineUniformBlockProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
      return subgroup_sizes(as<VkPhysicalDeviceSubgroupSizeControlProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES:
      return texel_alignment(as<VkPhysicalDeviceTexelBufferAlignmentProperties>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES: {
      auto& p = as<VkPhysicalDeviceSubgroupProperties>(s);
      p.subgroupSize = 32;
      p.supportedStages = VK_SHADER_STAGE_ALL;
      p.supportedOperations = kSubgroup;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES:
      as<VkPhysicalDeviceTimelineSemaphoreProperties>(s).maxTimelineSemaphoreValueDifference = UINT64_MAX;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR:
      as<VkPhysicalDevicePushDescriptorPropertiesKHR>(s).maxPushDescriptors = kMaxPushDescriptors;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
      as<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(s).minImportedHostPointerAlignment =
          settings().import_alignment;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT: {
      auto& p = as<VkPhysicalDeviceTransformFeedbackPropertiesEXT>(s);
      p.maxTransformFeedbackStreams = 4;
      p.maxTransformFeedbackBuffers = 4;
      p.maxTransformFeedbackBufferSize = UINT32_MAX;
      p.maxTransformFeedbackStreamDataSize = p.maxTransformFeedbackBufferDataSize =
          p.maxTransformFeedbackBufferDataStride = 512;
      p.transformFeedbackQueries = p.transformFeedbackDraw = p.transformFeedbackRasterizationStreamSelect = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT:
      as<VkPhysicalDeviceCustomBorderColorPropertiesEXT>(s).maxCustomBorderColorSamplers = 32;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_PROPERTIES_EXT:
      as<VkPhysicalDeviceMultiDrawPropertiesEXT>(s).maxMultiDrawCount = 2048;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT:
      as<VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT>(s).maxVertexAttribDivisor = UINT32_MAX;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DISCARD_RECTANGLE_PROPERTIES_EXT:
      as<VkPhysicalDeviceDiscardRectanglePropertiesEXT>(s).maxDiscardRectangles = 8;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT: {
      auto& p = as<VkPhysicalDeviceSampleLocationsPropertiesEXT>(s);
      p.sampleLocationSampleCounts = kSamples;
      p.maxSampleLocationGridSize = {1, 1};
      p.sampleLocationCoordinateRange[1] = 0.9375f;
      p.sampleLocationSubPixelBits = 4;
      p.variableSampleLocations = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT: {
      auto& p = as<VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT>(s);
      p.advancedBlendMaxColorAttachments = 8;
      p.advancedBlendNonPremultipliedSrcColor = p.advancedBlendNonPremultipliedDstColor = VK_TRUE;
      p.advancedBlendCorrelatedOverlap = p.advancedBlendAllOperations = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADING_RATE_IMAGE_PROPERTIES_NV: {
      auto& p = as<VkPhysicalDeviceShadingRateImagePropertiesNV>(s);
      p.shadingRateTexelSize = {16, 16};
      p.shadingRatePaletteSize = 4;
      p.shadingRateMaxCoarseSamples = 16;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR: {
      auto& p = as<VkPhysicalDeviceFragmentShadingRatePropertiesKHR>(s);
      p.maxFragmentSize = {2, 2};
      p.maxFragmentSizeAspectRatio = 2;
      p.maxFragmentShadingRateCoverageSamples = 4;
      p.maxFragmentShadingRateRasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
      p.fragmentShadingRateNonTrivialCombinerOps = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT:
      return meshes(as<VkPhysicalDeviceMeshShaderPropertiesEXT>(s));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT:
      as<VkPhysicalDeviceLineRasterizationPropertiesEXT>(s).lineSubPixelPrecisionBits = 8;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT: {
      auto& p = as<VkPhysicalDeviceRobustness2PropertiesEXT>(s);
      p.robustStorageBufferAccessSizeAlignment = 4;
      p.robustUniformBufferAccessSizeAlignment = 16;
      return;
    }
    default:
      return;
  }
}

}  // namespace fake
