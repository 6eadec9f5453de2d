// SPDX-License-Identifier: Apache-2.0
// Regular commands that also feed a side table, and the two kinds of object
// whose record is not simply what the program passed.
#include <algorithm>
#include <array>
#include <cstring>

#include "generated/hooks.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"
#include "layer/recorder/side_tables.h"

namespace rondo::layer {

VKAPI_ATTR VkResult VKAPI_CALL hook_vkAllocateCommandBuffers(VkDevice device,
                                                             const VkCommandBufferAllocateInfo* pAllocateInfo,
                                                             VkCommandBuffer* pCommandBuffers) {
  const VkResult result = regular<CommandId::vkAllocateCommandBuffers>(device, pAllocateInfo, pCommandBuffers);
  if (DeviceEntry& entry = entry_of(device); result == VK_SUCCESS && entry.state->at_driver)
    guarded([&] {
      for (std::uint32_t i = 0; i < pAllocateInfo->commandBufferCount; ++i) know_by_handle(pCommandBuffers[i], entry);
    });
  if (result == VK_SUCCESS && recording())
    guarded([&] {
      side_tables().command_buffers({pCommandBuffers, pAllocateInfo->commandBufferCount}, pAllocateInfo->level);
    });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateRenderPass(VkDevice device, const VkRenderPassCreateInfo* pCreateInfo,
                                                       const VkAllocationCallbacks* pAllocator,
                                                       VkRenderPass* pRenderPass) {
  const VkResult result = regular<CommandId::vkCreateRenderPass>(device, pCreateInfo, pAllocator, pRenderPass);
  if (result == VK_SUCCESS && recording()) guarded([&] { side_tables().render_pass(*pRenderPass, *pCreateInfo); });
  return result;
}

namespace {

template <CommandId C>
VkResult create_render_pass2(VkDevice device, const VkRenderPassCreateInfo2* info,
                             const VkAllocationCallbacks* allocator, VkRenderPass* render_pass) {
  const VkResult result = regular<C>(device, info, allocator, render_pass);
  if (result == VK_SUCCESS && recording()) guarded([&] { side_tables().render_pass(*render_pass, *info); });
  return result;
}

template <CommandId C>
VkResult create_update_template(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo* info,
                                const VkAllocationCallbacks* allocator, VkDescriptorUpdateTemplate* handle) {
  const VkResult result = regular<C>(device, info, allocator, handle);
  if (result == VK_SUCCESS && recording()) guarded([&] { side_tables().update_template(*handle, *info); });
  return result;
}

// A failed call may still publish some pipelines: what the driver did not
// write has to be null.
template <CommandId C, class Info>
VkResult create_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count, const Info* infos,
                          const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const auto next = next_of(device).*CommandTraits<C>::pfn;
  ThreadState* const state = recording() ? thread_state() : nullptr;
  if (state == nullptr) return next(device, cache, count, infos, allocator, pipelines);
  std::fill_n(pipelines, count, VkPipeline{VK_NULL_HANDLE});
  const VkResult result = next(device, cache, count, infos, allocator, pipelines);
  const typename CommandTraits<C>::Args args{device, cache, count, infos, allocator, pipelines};
  if (encode_payload(*state, C, &args, true)) commit_call(*state, C, 0, outcome_of(result, nullptr));
  return result;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* pCreateInfo,
                                                        const VkAllocationCallbacks* pAllocator,
                                                        VkRenderPass* pRenderPass) {
  return create_render_pass2<CommandId::vkCreateRenderPass2>(device, pCreateInfo, pAllocator, pRenderPass);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateRenderPass2KHR(VkDevice device, const VkRenderPassCreateInfo2* pCreateInfo,
                                                           const VkAllocationCallbacks* pAllocator,
                                                           VkRenderPass* pRenderPass) {
  return create_render_pass2<CommandId::vkCreateRenderPass2KHR>(device, pCreateInfo, pAllocator, pRenderPass);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateDescriptorUpdateTemplate(
    VkDevice device, const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo, const VkAllocationCallbacks* pAllocator,
    VkDescriptorUpdateTemplate* pDescriptorUpdateTemplate) {
  return create_update_template<CommandId::vkCreateDescriptorUpdateTemplate>(device, pCreateInfo, pAllocator,
                                                                             pDescriptorUpdateTemplate);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateDescriptorUpdateTemplateKHR(
    VkDevice device, const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo, const VkAllocationCallbacks* pAllocator,
    VkDescriptorUpdateTemplate* pDescriptorUpdateTemplate) {
  return create_update_template<CommandId::vkCreateDescriptorUpdateTemplateKHR>(device, pCreateInfo, pAllocator,
                                                                                pDescriptorUpdateTemplate);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateGraphicsPipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                              std::uint32_t createInfoCount,
                                                              const VkGraphicsPipelineCreateInfo* pCreateInfos,
                                                              const VkAllocationCallbacks* pAllocator,
                                                              VkPipeline* pPipelines) {
  return create_pipelines<CommandId::vkCreateGraphicsPipelines>(device, pipelineCache, createInfoCount, pCreateInfos,
                                                                pAllocator, pPipelines);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateComputePipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                             std::uint32_t createInfoCount,
                                                             const VkComputePipelineCreateInfo* pCreateInfos,
                                                             const VkAllocationCallbacks* pAllocator,
                                                             VkPipeline* pPipelines) {
  return create_pipelines<CommandId::vkCreateComputePipelines>(device, pipelineCache, createInfoCount, pCreateInfos,
                                                               pAllocator, pPipelines);
}

// Compiled here and now, so that the pipelines are there when the record is written.
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateRayTracingPipelinesKHR(
    VkDevice device, VkDeferredOperationKHR deferredOperation, VkPipelineCache pipelineCache,
    std::uint32_t createInfoCount, const VkRayTracingPipelineCreateInfoKHR* pCreateInfos,
    const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  constexpr CommandId id = CommandId::vkCreateRayTracingPipelinesKHR;
  const auto next = next_of(device).vkCreateRayTracingPipelinesKHR;
  ThreadState* const state = recording() ? thread_state() : nullptr;
  if (state == nullptr)
    return next(device, deferredOperation, pipelineCache, createInfoCount, pCreateInfos, pAllocator, pPipelines);
  std::fill_n(pPipelines, createInfoCount, VkPipeline{VK_NULL_HANDLE});
  VkResult result = next(device, VK_NULL_HANDLE, pipelineCache, createInfoCount, pCreateInfos, pAllocator, pPipelines);
  if (result == VK_SUCCESS && deferredOperation != VK_NULL_HANDLE) result = VK_OPERATION_NOT_DEFERRED_KHR;
  const CommandTraits<id>::Args args{device,       deferredOperation, pipelineCache, createInfoCount,
                                     pCreateInfos, pAllocator,        pPipelines};
  if (encode_payload(*state, id, &args, true)) commit_call(*state, id, 0, outcome_of(result, nullptr));
  return result;
}

// A cache's contents are the driver's own: the record says that there is one.
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreatePipelineCache(VkDevice device, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                          const VkAllocationCallbacks* pAllocator,
                                                          VkPipelineCache* pPipelineCache) {
  VkPipelineCacheCreateInfo recorded = *pCreateInfo;
  recorded.initialDataSize = 0;
  recorded.pInitialData = nullptr;
  const VkPipelineCacheCreateInfo* const empty = &recorded;
  return record_with<CommandId::vkCreatePipelineCache>(
      [&] { return next_of(device).vkCreatePipelineCache(device, pCreateInfo, pAllocator, pPipelineCache); }, device,
      empty, pAllocator, pPipelineCache);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetPipelineCacheData(VkDevice device, VkPipelineCache pipelineCache,
                                                           std::size_t* pDataSize, void* pData) {
  void* const none = nullptr;
  return record_with<CommandId::vkGetPipelineCacheData>(
      [&] { return next_of(device).vkGetPipelineCacheData(device, pipelineCache, pDataSize, pData); }, device,
      pipelineCache, pDataSize, none);
}

// The program may want it in mapped memory, where a submit of another thread finds and
// records it: it gets there once this record has its number.
VKAPI_ATTR void VKAPI_CALL hook_vkGetDescriptorEXT(VkDevice device, const VkDescriptorGetInfoEXT* pDescriptorInfo,
                                                   std::size_t dataSize, void* pDescriptor) {
  constexpr CommandId id = CommandId::vkGetDescriptorEXT;
  const auto next = next_of(device).vkGetDescriptorEXT;
  std::array<std::byte, 1024> bytes;  // drivers' are of 4 to 256
  if (!recording() || dataSize > bytes.size()) return regular<id>(device, pDescriptorInfo, dataSize, pDescriptor);
  std::memcpy(bytes.data(), pDescriptor, dataSize);  // drivers may leave some as they were
  void* const answer = bytes.data();
  record_with<id>([&] { next(device, pDescriptorInfo, dataSize, answer); }, device, pDescriptorInfo, dataSize, answer);
  std::memcpy(pDescriptor, answer, dataSize);
}

}  // namespace rondo::layer
