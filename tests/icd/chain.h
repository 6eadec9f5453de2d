// SPDX-License-Identifier: Apache-2.0
// pNext chains. Private to tests/icd.
#pragma once

#include "format/codec/schema.h"
#include "format/vulkan.h"

namespace fake {

// The structure of the type `T` behind `first`; null: none. Its sType comes
// from the registry.
template <class T>
struct TypeOf;
#define FAKE_CHAINED(T, S)                      \
  template <>                                   \
  struct TypeOf<T> {                            \
    static constexpr VkStructureType value = S; \
  }
FAKE_CHAINED(VkMemoryDedicatedAllocateInfo, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
FAKE_CHAINED(VkMemoryAllocateFlagsInfo, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
FAKE_CHAINED(VkImportMemoryHostPointerInfoEXT, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
FAKE_CHAINED(VkMemoryOpaqueCaptureAddressAllocateInfo, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
FAKE_CHAINED(VkBufferOpaqueCaptureAddressCreateInfo, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
FAKE_CHAINED(VkBindImagePlaneMemoryInfo, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
FAKE_CHAINED(VkImagePlaneMemoryRequirementsInfo, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
FAKE_CHAINED(VkBindImageMemorySwapchainInfoKHR, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
FAKE_CHAINED(VkMemoryDedicatedRequirements, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
FAKE_CHAINED(VkDescriptorSetLayoutBindingFlagsCreateInfo,
             VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
FAKE_CHAINED(VkDescriptorSetVariableDescriptorCountAllocateInfo,
             VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
FAKE_CHAINED(VkWriteDescriptorSetInlineUniformBlock, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
FAKE_CHAINED(VkMutableDescriptorTypeCreateInfoEXT, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
FAKE_CHAINED(VkShaderModuleCreateInfo, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
FAKE_CHAINED(VkPipelineLibraryCreateInfoKHR, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
FAKE_CHAINED(VkGraphicsPipelineLibraryCreateInfoEXT, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
FAKE_CHAINED(VkRenderPassMultiviewCreateInfo, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
FAKE_CHAINED(VkFramebufferAttachmentsCreateInfo, VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO);
FAKE_CHAINED(VkRenderPassAttachmentBeginInfo, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
FAKE_CHAINED(VkCommandBufferInheritanceRenderingInfo, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
FAKE_CHAINED(VkPhysicalDeviceFeatures2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
FAKE_CHAINED(VkPhysicalDeviceVulkan12Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
FAKE_CHAINED(VkPhysicalDeviceBufferDeviceAddressFeatures,
             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
FAKE_CHAINED(VkSamplerYcbcrConversionInfo, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
FAKE_CHAINED(VkImageSwapchainCreateInfoKHR, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
FAKE_CHAINED(VkPresentIdKHR, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
FAKE_CHAINED(VkImageViewUsageCreateInfo, VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO);
FAKE_CHAINED(VkMultisampledRenderToSingleSampledInfoEXT,
             VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
FAKE_CHAINED(VkExternalMemoryBufferCreateInfo, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
FAKE_CHAINED(VkQueryPoolPerformanceCreateInfoKHR, VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR);
FAKE_CHAINED(VkPhysicalDevicePerformanceQueryFeaturesKHR,
             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
FAKE_CHAINED(VkMemoryBarrier2, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
#undef FAKE_CHAINED

template <class T, class First>
const T* chained(const First& first) {
  for (auto* s = static_cast<const VkBaseInStructure*>(first.pNext); s != nullptr; s = s->pNext)
    if (s->sType == TypeOf<T>::value) return reinterpret_cast<const T*>(s);
  return nullptr;
}
template <class T, class First>
T* chained_output(const First& first) {
  return const_cast<T*>(chained<T>(first));
}

}  // namespace fake
