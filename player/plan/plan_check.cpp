// SPDX-License-Identifier: Apache-2.0
// The decoder makes sure that an array is as long as its count says, but a
// null pointer may stand where the specification asks for one. What the player
// itself follows is checked here, once; a driver would not survive it either.
#include "generated/args.h"
#include "player/plan/plan_builder.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

bool there(std::uint64_t count, const void* array) { return count == 0 || array != nullptr; }

bool whole(const VkInstanceCreateInfo* info) {
  return info != nullptr && there(info->enabledExtensionCount, info->ppEnabledExtensionNames);
}

bool whole(const VkDeviceCreateInfo* info) {
  return info != nullptr && there(info->enabledExtensionCount, info->ppEnabledExtensionNames) &&
         info->queueCreateInfoCount != 0 && info->pQueueCreateInfos != nullptr;
}

bool whole(const VkPresentInfoKHR* info) {
  return info != nullptr && there(info->waitSemaphoreCount, info->pWaitSemaphores) &&
         there(info->swapchainCount, info->pSwapchains) && there(info->swapchainCount, info->pImageIndices);
}

bool names_are_there(const char* const* names, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (names[i] == nullptr) return false;
  return true;
}

bool whole(std::uint32_t count, const VkSubmitInfo* submits) {
  if (!there(count, submits)) return false;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!there(submits[i].waitSemaphoreCount, submits[i].pWaitSemaphores) ||
        !there(submits[i].waitSemaphoreCount, submits[i].pWaitDstStageMask) ||
        !there(submits[i].commandBufferCount, submits[i].pCommandBuffers) ||
        !there(submits[i].signalSemaphoreCount, submits[i].pSignalSemaphores))
      return false;
  return true;
}

bool whole(std::uint32_t count, const VkSubmitInfo2* submits) {
  if (!there(count, submits)) return false;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!there(submits[i].waitSemaphoreInfoCount, submits[i].pWaitSemaphoreInfos) ||
        !there(submits[i].commandBufferInfoCount, submits[i].pCommandBufferInfos) ||
        !there(submits[i].signalSemaphoreInfoCount, submits[i].pSignalSemaphoreInfos))
      return false;
  return true;
}

template <class Info>
bool whole_binds(std::uint32_t count, const Info* infos) {
  if (!there(count, infos)) return false;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!there(infos[i].bindCount, infos[i].pBinds)) return false;
  return true;
}

bool whole(std::uint32_t count, const VkBindSparseInfo* batches) {
  if (!there(count, batches)) return false;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!there(batches[i].waitSemaphoreCount, batches[i].pWaitSemaphores) ||
        !whole_binds(batches[i].bufferBindCount, batches[i].pBufferBinds) ||
        !whole_binds(batches[i].imageOpaqueBindCount, batches[i].pImageOpaqueBinds) ||
        !whole_binds(batches[i].imageBindCount, batches[i].pImageBinds) ||
        !there(batches[i].signalSemaphoreCount, batches[i].pSignalSemaphores))
      return false;
  return true;
}

}  // namespace

bool PlanBuilder::has_its_parameters(const codec::CommandInfo& command) const {
  switch (command.canonical) {
    case CommandId::vkCreateInstance: {
      const auto& a = view_.as<args_vkCreateInstance>();
      return whole(a.pCreateInfo) && a.pInstance != nullptr &&
             names_are_there(a.pCreateInfo->ppEnabledExtensionNames, a.pCreateInfo->enabledExtensionCount);
    }
    case CommandId::vkCreateDevice: {
      const auto& a = view_.as<args_vkCreateDevice>();
      return whole(a.pCreateInfo) && a.pDevice != nullptr &&
             names_are_there(a.pCreateInfo->ppEnabledExtensionNames, a.pCreateInfo->enabledExtensionCount);
    }
    case CommandId::vkGetDeviceQueue:
      return view_.as<args_vkGetDeviceQueue>().pQueue != nullptr;
    case CommandId::vkGetDeviceQueue2: {
      const auto& a = view_.as<args_vkGetDeviceQueue2>();
      return a.pQueue != nullptr && a.pQueueInfo != nullptr;
    }
    case CommandId::vkAllocateMemory: {
      const auto& a = view_.as<args_vkAllocateMemory>();
      return a.pAllocateInfo != nullptr && a.pMemory != nullptr;
    }
    case CommandId::vkCreateBuffer: {
      const auto& a = view_.as<args_vkCreateBuffer>();
      return a.pCreateInfo != nullptr && a.pBuffer != nullptr;
    }
    case CommandId::vkCreateImage: {
      const auto& a = view_.as<args_vkCreateImage>();
      return a.pCreateInfo != nullptr && a.pImage != nullptr;
    }
    case CommandId::vkBindBufferMemory2: {
      const auto& a = view_.as<args_vkBindBufferMemory2>();
      return there(a.bindInfoCount, a.pBindInfos);
    }
    case CommandId::vkBindImageMemory2: {
      const auto& a = view_.as<args_vkBindImageMemory2>();
      return there(a.bindInfoCount, a.pBindInfos);
    }
    case CommandId::vkCreateSwapchainKHR: {
      const auto& a = view_.as<args_vkCreateSwapchainKHR>();
      return a.pCreateInfo != nullptr && a.pSwapchain != nullptr;
    }
    case CommandId::vkAcquireNextImage2KHR:
      return view_.as<args_vkAcquireNextImage2KHR>().pAcquireInfo != nullptr;
    case CommandId::vkQueuePresentKHR:
      return whole(view_.as<args_vkQueuePresentKHR>().pPresentInfo);
    case CommandId::vkQueueSubmit: {
      const auto& a = view_.as<args_vkQueueSubmit>();
      return whole(a.submitCount, a.pSubmits);
    }
    case CommandId::vkQueueSubmit2: {
      const auto& a = view_.as<args_vkQueueSubmit2>();
      return whole(a.submitCount, a.pSubmits);
    }
    case CommandId::vkQueueBindSparse: {
      const auto& a = view_.as<args_vkQueueBindSparse>();
      return whole(a.bindInfoCount, a.pBindInfo);
    }
    case CommandId::vkWaitForFences: {
      const auto& a = view_.as<args_vkWaitForFences>();
      return there(a.fenceCount, a.pFences);
    }
    case CommandId::vkWaitSemaphores: {
      const auto* info = view_.as<args_vkWaitSemaphores>().pWaitInfo;
      return info != nullptr && there(info->semaphoreCount, info->pSemaphores) &&
             there(info->semaphoreCount, info->pValues);
    }
    case CommandId::vkAllocateDescriptorSets: {
      const auto& a = view_.as<args_vkAllocateDescriptorSets>();
      return a.pAllocateInfo != nullptr && there(a.pAllocateInfo->descriptorSetCount, a.pDescriptorSets) &&
             there(a.pAllocateInfo->descriptorSetCount, a.pAllocateInfo->pSetLayouts);
    }
    case CommandId::vkFreeDescriptorSets: {
      const auto& a = view_.as<args_vkFreeDescriptorSets>();
      return there(a.descriptorSetCount, a.pDescriptorSets);
    }
    case CommandId::vkCreatePipelineCache:
      return view_.as<args_vkCreatePipelineCache>().pCreateInfo != nullptr;
    case CommandId::vkCreateGraphicsPipelines: {
      const auto& a = view_.as<args_vkCreateGraphicsPipelines>();
      return there(a.createInfoCount, a.pCreateInfos);  // null outputs: the call failed
    }
    case CommandId::vkCreateComputePipelines: {
      const auto& a = view_.as<args_vkCreateComputePipelines>();
      return there(a.createInfoCount, a.pCreateInfos);
    }
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT: {
      const auto& a = view_.as<args_vkCreateShadersEXT>();
      return there(a.createInfoCount, a.pCreateInfos) && there(a.createInfoCount, a.pShaders);
    }
#endif
    default:
      return true;
  }
}

// Swapchains are the player's own here: no driver may be given one.
Result<void> PlanBuilder::check_swapchains(const Record& record, const codec::CommandInfo& command) const {
  if (executors()[static_cast<std::size_t>(command.canonical)] != nullptr) return {};
  for (const codec::HandleRef& ref : lowered_.handles)
    if (ref.type == HandleType::VkSwapchainKHR && ref.captured != 0)
      return tl::unexpected<Error>(
          at(record, Status::failed,
             std::string(command.name) + " names a swapchain, whose images are the player's own: it is not replayed"));
  return {};
}

}  // namespace rondo::player
