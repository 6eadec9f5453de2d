// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines (VK_EXT_shader_object). Their binaries are the
// driver's own: another run could not make shaders of them.
#include <algorithm>
#include <vector>

#include "generated/hooks.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"

#ifdef VK_EXT_shader_object

namespace rondo::layer {

namespace {

bool is_binary(const VkShaderCreateInfoEXT& info) { return info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT; }

// What is recorded: that there was a binary.
std::vector<VkShaderCreateInfoEXT> without_binaries(std::uint32_t count, const VkShaderCreateInfoEXT* infos) {
  std::vector<VkShaderCreateInfoEXT> recorded(infos, infos + count);
  for (VkShaderCreateInfoEXT& info : recorded) {
    if (!is_binary(info)) continue;
    info.codeSize = 0;
    info.pCode = nullptr;
  }
  return recorded;
}

}  // namespace

// None behind the first binary is made, and none of it: the driver may always say
// that it cannot use one. A failed call may publish those before.
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateShadersEXT(VkDevice device, std::uint32_t createInfoCount,
                                                       const VkShaderCreateInfoEXT* pCreateInfos,
                                                       const VkAllocationCallbacks* pAllocator, VkShaderEXT* pShaders) {
  constexpr CommandId id = CommandId::vkCreateShadersEXT;
  const auto next = next_of(device).vkCreateShadersEXT;
  ThreadState* const state = recording() ? thread_state() : nullptr;
  if (state == nullptr) return next(device, createInfoCount, pCreateInfos, pAllocator, pShaders);
  std::fill_n(pShaders, createInfoCount, VkShaderEXT{VK_NULL_HANDLE});
  const auto count =
      static_cast<std::uint32_t>(std::find_if(pCreateInfos, pCreateInfos + createInfoCount, is_binary) - pCreateInfos);
  VkResult result = count != 0 ? next(device, count, pCreateInfos, pAllocator, pShaders) : VK_SUCCESS;
  if (result == VK_SUCCESS && count != createInfoCount) result = VK_INCOMPATIBLE_SHADER_BINARY_EXT;
  guarded([&] {
    const std::vector<VkShaderCreateInfoEXT> recorded = without_binaries(createInfoCount, pCreateInfos);
    const CommandTraits<id>::Args args{device, createInfoCount, recorded.data(), pAllocator, pShaders};
    if (encode_payload(*state, id, &args, true)) commit_call(*state, id, 0, outcome_of(result, nullptr));
  });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetShaderBinaryDataEXT(VkDevice device, VkShaderEXT shader,
                                                             std::size_t* pDataSize, void* pData) {
  void* const none = nullptr;
  return record_with<CommandId::vkGetShaderBinaryDataEXT>(
      [&] { return next_of(device).vkGetShaderBinaryDataEXT(device, shader, pDataSize, pData); }, device, shader,
      pDataSize, none);
}

}  // namespace rondo::layer

#endif
