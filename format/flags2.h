// SPDX-License-Identifier: Apache-2.0
// Flags that outgrew their member: a structure in the chain (VK_KHR_maintenance5) takes its
// place, and the member is ignored. Native structures, of the program's or of a decoded record.
#pragma once

#include "format/vulkan.h"

namespace rondo {

#ifdef VK_KHR_maintenance5
using BufferUsage2 = VkBufferUsageFlags2CreateInfoKHR;
using PipelineFlags2 = VkPipelineCreateFlags2CreateInfoKHR;
inline constexpr VkStructureType kBufferUsage2 = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR;
inline constexpr VkStructureType kPipelineFlags2 = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
#else
// As the registry of Vulkan 1.4 has them: no chain holds one here.
struct BufferUsage2 {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 usage;
};
struct PipelineFlags2 {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 flags;
};
inline constexpr auto kBufferUsage2 = static_cast<VkStructureType>(1000470006);
inline constexpr auto kPipelineFlags2 = static_cast<VkStructureType>(1000470005);
#endif

template <class T>
const T* flags2_in(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

// Of a buffer, a view of one or a question about one.
template <class Info>
VkFlags64 usage_of(const Info& info) {
  if (const auto* wide = flags2_in<BufferUsage2>(info.pNext, kBufferUsage2); wide != nullptr) return wide->usage;
  return info.usage;
}

// Of a pipeline of any kind.
template <class Info>
VkFlags64 pipeline_flags(const Info& info) {
  if (const auto* wide = flags2_in<PipelineFlags2>(info.pNext, kPipelineFlags2); wide != nullptr) return wide->flags;
  return info.flags;
}

// What a driver itself writes there, nobody else understands (VK_EXT_device_generated_commands).
inline constexpr VkFlags64 kPreprocessUsage = VkFlags64{1} << 31;
#ifdef VK_EXT_device_generated_commands
static_assert(kPreprocessUsage == VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT);
#endif

}  // namespace rondo
