// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/one_shot.h"

#include <vector>

#include "format/check.h"
#include "format/codec/schema.h"

namespace rondo::gpu {

std::uint32_t find_memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type_bits,
                               VkMemoryPropertyFlags flags) {
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((type_bits >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  return UINT32_MAX;
}

std::string describe(const char* command, VkResult result) {
  const std::string_view name = codec::enumerant_name(EnumId::VkResult, result);
  return std::string(command) + " returned " +
         (name.empty() ? std::to_string(static_cast<int>(result)) : std::string(name));
}

Result<VkCommandBuffer> OneShot::begin() {
  const Dispatch& vk = *access_.dispatch;
  if (pending_) {
    if (vk.vkWaitForFences(access_.device, 1, &fence_, VK_TRUE, 0) != VK_SUCCESS)
      return fail(Status::failed, "an earlier submission of ours has not finished");
    if (VkResult r = vk.vkResetFences(access_.device, 1, &fence_); r != VK_SUCCESS)
      return fail(Status::failed, describe("vkResetFences", r));
    pending_ = false;
  }
  if (pool_ == VK_NULL_HANDLE) {
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family_};
    if (VkResult r = vk.vkCreateCommandPool(access_.device, &info, nullptr, &pool_); r != VK_SUCCESS)
      return fail(Status::failed, describe("vkCreateCommandPool", r));
    const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                               VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    if (VkResult r = vk.vkAllocateCommandBuffers(access_.device, &allocate, &commands_); r != VK_SUCCESS) {
      commands_ = VK_NULL_HANDLE;
      destroy();
      return fail(Status::failed, describe("vkAllocateCommandBuffers", r));
    }
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkResult r = vk.vkCreateFence(access_.device, &fence, nullptr, &fence_);
    if (r == VK_SUCCESS && access_.set_loader_data != nullptr) r = access_.set_loader_data(access_.device, commands_);
    if (r != VK_SUCCESS) {
      destroy();
      return fail(Status::failed, describe("vkCreateFence", r));
    }
  }
  if (VkResult r = vk.vkResetCommandPool(access_.device, pool_, 0); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkResetCommandPool", r));
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                      VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
  if (VkResult r = vk.vkBeginCommandBuffer(commands_, &info); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkBeginCommandBuffer", r));
  return commands_;
}

Result<void> OneShot::submit_and_wait(VkQueue queue, std::span<const VkSemaphore> wait,
                                      std::span<const VkSemaphore> signal) {
  RONDO_CHECK(commands_ != VK_NULL_HANDLE);  // after begin()
  const Dispatch& vk = *access_.dispatch;
  if (VkResult r = vk.vkEndCommandBuffer(commands_); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkEndCommandBuffer", r));
  const std::vector<VkPipelineStageFlags> stages(wait.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.waitSemaphoreCount = static_cast<std::uint32_t>(wait.size());
  submit.pWaitSemaphores = wait.data();
  submit.pWaitDstStageMask = stages.data();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  submit.signalSemaphoreCount = static_cast<std::uint32_t>(signal.size());
  submit.pSignalSemaphores = signal.data();
  if (VkResult r = vk.vkQueueSubmit(queue, 1, &submit, fence_); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkQueueSubmit", r));
  if (VkResult r = vk.vkWaitForFences(access_.device, 1, &fence_, VK_TRUE, access_.timeout_ns); r != VK_SUCCESS) {
    pending_ = true;
    return fail(r == VK_TIMEOUT ? Status::timeout : Status::failed, describe("vkWaitForFences", r));
  }
  if (VkResult r = vk.vkResetFences(access_.device, 1, &fence_); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkResetFences", r));
  return {};
}

void OneShot::destroy() {
  const Dispatch& vk = *access_.dispatch;
  if (pending_) {  // a timed-out wait: give it one more, bounded chance before objects in use are freed
    // A lost device answers at once, before it has dropped what it works on.
    if (vk.vkWaitForFences(access_.device, 1, &fence_, VK_TRUE, 1'000'000'000) == VK_ERROR_DEVICE_LOST)
      vk.vkDeviceWaitIdle(access_.device);
    pending_ = false;
  }
  if (fence_ != VK_NULL_HANDLE) vk.vkDestroyFence(access_.device, fence_, nullptr);
  if (pool_ != VK_NULL_HANDLE) vk.vkDestroyCommandPool(access_.device, pool_, nullptr);
  fence_ = VK_NULL_HANDLE;
  pool_ = VK_NULL_HANDLE;
  commands_ = VK_NULL_HANDLE;
}

}  // namespace rondo::gpu
