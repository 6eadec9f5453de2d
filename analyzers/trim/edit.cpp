// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/edit.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "generated/args.h"

namespace rondo::trim {

namespace {

// Of an array, the elements that are wanted, in the array's own place.
template <class T>
void compact(const T* array, const std::vector<bool>& wanted) {
  if (array == nullptr) return;
  auto* to = const_cast<T*>(array);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) std::memmove(static_cast<void*>(to++), static_cast<const void*>(&array[i]), sizeof(T));
}

class Editor {
 public:
  Editor(const NativeView& view, const std::function<bool(ObjectId)>& keeps) : view_(view), keeps_(keeps) {}

  template <class Args, class Infos, class Made>
  void pipelines(std::uint32_t Args::*count, Infos Args::*infos, Made Args::*made) {
    auto& a = args<Args>();
    if constexpr (requires { a.pipelineCache; }) a.pipelineCache = VK_NULL_HANDLE;
    // Some name others of the same call, by their place.
    for (std::uint32_t i = 0; i < a.*count; ++i) {
      if constexpr (requires { (a.*infos)[i].basePipelineIndex; })
        if (((a.*infos)[i].flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT) != 0 && (a.*infos)[i].basePipelineIndex >= 0)
          return;
#ifdef VK_EXT_shader_object
      if constexpr (requires { (a.*infos)[i].codeType; })
        if (((a.*infos)[i].flags & VK_SHADER_CREATE_LINK_STAGE_BIT_EXT) != 0) return;
#endif
    }
    const std::vector<bool> wanted = find(a.*made, a.*count);
    compact(a.*infos, wanted);
    compact(a.*made, wanted);
    a.*count = counted(wanted);
  }

  void command_buffers() {
    auto& a = args<args_vkAllocateCommandBuffers>();
    const std::vector<bool> wanted = find(a.pCommandBuffers, a.pAllocateInfo->commandBufferCount);
    compact(a.pCommandBuffers, wanted);
    const_cast<VkCommandBufferAllocateInfo*>(a.pAllocateInfo)->commandBufferCount = counted(wanted);
  }

  void descriptor_sets() {
    auto& a = args<args_vkAllocateDescriptorSets>();
    auto& info = *const_cast<VkDescriptorSetAllocateInfo*>(a.pAllocateInfo);
    const std::vector<bool> wanted = find(a.pDescriptorSets, info.descriptorSetCount);
    if (auto* counts = const_cast<VkDescriptorSetVariableDescriptorCountAllocateInfo*>(
            find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
                info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO));
        counts != nullptr && counts->descriptorSetCount == info.descriptorSetCount) {
      compact(counts->pDescriptorCounts, wanted);
      counts->descriptorSetCount = counted(wanted);
    }
    compact(info.pSetLayouts, wanted);
    compact(a.pDescriptorSets, wanted);
    info.descriptorSetCount = counted(wanted);
  }

  template <class Args, class Resource, class Info>
  void binds(Resource Info::*resource) {
    auto& a = args<Args>();
    std::vector<bool> wanted;
    for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
      wanted.push_back(keeps_(view_.id(&(a.pBindInfos[i].*resource))));
    compact(a.pBindInfos, wanted);
    a.bindInfoCount = counted(wanted);
  }

  // Of pages; for themselves, without what they wait for and signal.
  void sparse_binds() {
    auto& a = args<args_vkQueueBindSparse>();
    a.fence = VK_NULL_HANDLE;
    const auto pages = [&](const auto& resources, std::uint32_t& count, auto resource) {
      std::vector<bool> wanted;
      for (std::uint32_t i = 0; i < count; ++i) {
        auto& one = const_cast<std::remove_cvref_t<decltype(resources[i])>&>(resources[i]);
        std::vector<bool> there;
        for (std::uint32_t k = 0; k < one.bindCount; ++k)
          there.push_back(one.pBinds[k].memory == VK_NULL_HANDLE || keeps_(view_.id(&one.pBinds[k].memory)));
        wanted.push_back(keeps_(view_.id(&(one.*resource))) && counted(there) != 0);
        compact(one.pBinds, there);
        one.bindCount = counted(there);
      }
      compact(resources, wanted);
      count = counted(wanted);
    };
    for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
      auto& info = const_cast<VkBindSparseInfo&>(a.pBindInfo[i]);
      info.pNext = nullptr;
      info.waitSemaphoreCount = info.signalSemaphoreCount = 0;
      pages(info.pBufferBinds, info.bufferBindCount, &VkSparseBufferMemoryBindInfo::buffer);
      pages(info.pImageOpaqueBinds, info.imageOpaqueBindCount, &VkSparseImageOpaqueMemoryBindInfo::image);
      pages(info.pImageBinds, info.imageBindCount, &VkSparseImageMemoryBindInfo::image);
    }
  }

  template <class Args, class Handle>
  void frees(std::uint32_t Args::*count, const Handle* Args::*handles) {
    auto& a = args<Args>();
    const std::vector<bool> wanted = find(a.*handles, a.*count);
    compact(a.*handles, wanted);
    a.*count = counted(wanted);
  }

  template <class Args>
  Args& args() const {
    return const_cast<Args&>(view_.as<Args>());
  }

 private:
  template <class Handle>
  std::vector<bool> find(const Handle* handles, std::uint32_t count) const {
    std::vector<bool> wanted;
    for (std::uint32_t i = 0; handles != nullptr && i < count; ++i) {
      const ObjectId id = view_.id(&handles[i]);
      wanted.push_back(id != ObjectId::null && keeps_(id));
    }
    return wanted;
  }
  static std::uint32_t counted(const std::vector<bool>& wanted) {
    return static_cast<std::uint32_t>(std::count(wanted.begin(), wanted.end(), true));
  }

  const NativeView& view_;
  const std::function<bool(ObjectId)>& keeps_;
};

}  // namespace

bool can_edit(CommandId canonical) {
  switch (canonical) {
    case CommandId::vkCreateGraphicsPipelines:
    case CommandId::vkCreateComputePipelines:
    case CommandId::vkCreateRayTracingPipelinesKHR:
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
#endif
    case CommandId::vkCreateSwapchainKHR:
    case CommandId::vkAllocateCommandBuffers:
    case CommandId::vkAllocateDescriptorSets:
    case CommandId::vkBindBufferMemory2:
    case CommandId::vkBindImageMemory2:
    case CommandId::vkFreeCommandBuffers:
    case CommandId::vkFreeDescriptorSets:
    case CommandId::vkQueueBindSparse:
      return true;
    default:
      return false;
  }
}

void edit(CommandId canonical, const NativeView& view, const std::function<bool(ObjectId)>& keeps) {
  Editor editor(view, keeps);
  switch (canonical) {
    case CommandId::vkCreateGraphicsPipelines: {
      using Args = args_vkCreateGraphicsPipelines;
      return editor.pipelines(&Args::createInfoCount, &Args::pCreateInfos, &Args::pPipelines);
    }
    case CommandId::vkCreateComputePipelines: {
      using Args = args_vkCreateComputePipelines;
      return editor.pipelines(&Args::createInfoCount, &Args::pCreateInfos, &Args::pPipelines);
    }
    case CommandId::vkCreateRayTracingPipelinesKHR: {
      using Args = args_vkCreateRayTracingPipelinesKHR;
      return editor.pipelines(&Args::createInfoCount, &Args::pCreateInfos, &Args::pPipelines);
    }
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT: {
      using Args = args_vkCreateShadersEXT;
      return editor.pipelines(&Args::createInfoCount, &Args::pCreateInfos, &Args::pShaders);
    }
#endif
    case CommandId::vkCreateSwapchainKHR: {
      auto& args = editor.args<args_vkCreateSwapchainKHR>();
      const_cast<VkSwapchainCreateInfoKHR*>(args.pCreateInfo)->oldSwapchain = VK_NULL_HANDLE;
      return;
    }
    case CommandId::vkAllocateCommandBuffers:
      return editor.command_buffers();
    case CommandId::vkAllocateDescriptorSets:
      return editor.descriptor_sets();
    case CommandId::vkBindBufferMemory2:
      return editor.binds<args_vkBindBufferMemory2>(&VkBindBufferMemoryInfo::buffer);
    case CommandId::vkBindImageMemory2:
      return editor.binds<args_vkBindImageMemory2>(&VkBindImageMemoryInfo::image);
    case CommandId::vkFreeCommandBuffers: {
      using Args = args_vkFreeCommandBuffers;
      return editor.frees(&Args::commandBufferCount, &Args::pCommandBuffers);
    }
    case CommandId::vkFreeDescriptorSets: {
      using Args = args_vkFreeDescriptorSets;
      return editor.frees(&Args::descriptorSetCount, &Args::pDescriptorSets);
    }
    case CommandId::vkQueueBindSparse:
      return editor.sparse_binds();
    default:
      return;
  }
}

}  // namespace rondo::trim
