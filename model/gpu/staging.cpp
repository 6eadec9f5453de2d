// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/staging.h"

#include "model/gpu/one_shot.h"

namespace rondo::gpu {

tl::unexpected<Error> Staging::failed(const char* command, VkResult result) const {
  return fail(Status::failed, describe(command, result) + " for " + purpose_);
}

void Staging::release() {
  const Dispatch& vk = *access_.dispatch;
  if (buffer_ != VK_NULL_HANDLE) vk.vkDestroyBuffer(access_.device, buffer_, nullptr);
  if (memory_ != VK_NULL_HANDLE) vk.vkFreeMemory(access_.device, memory_, nullptr);
  buffer_ = VK_NULL_HANDLE;
  memory_ = VK_NULL_HANDLE;
  mapped_ = nullptr;
  capacity_ = 0;
}

Result<void> Staging::grow(VkDeviceSize bytes) {
  if (bytes <= capacity_) return {};
  release();
  auto made = make(bytes);
  if (made) {
    capacity_ = bytes;
  } else {
    release();
  }
  return made;
}

Result<void> Staging::make(VkDeviceSize bytes) {
  const Dispatch& vk = *access_.dispatch;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage_;
  if (VkResult r = vk.vkCreateBuffer(access_.device, &info, nullptr, &buffer_); r != VK_SUCCESS)
    return failed("vkCreateBuffer", r);
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(access_.device, buffer_, &needs);
  constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  std::uint32_t type = find_memory_type(access_.memory, needs.memoryTypeBits, visible | preferred_);
  if (type == UINT32_MAX) type = find_memory_type(access_.memory, needs.memoryTypeBits, visible);
  if (type == UINT32_MAX) return fail(Status::device, std::string("no host-visible memory type for ") + purpose_);
  coherent_ = (access_.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  if (VkResult r = vk.vkAllocateMemory(access_.device, &allocate, nullptr, &memory_); r != VK_SUCCESS)
    return failed("vkAllocateMemory", r);
  if (VkResult r = vk.vkBindBufferMemory(access_.device, buffer_, memory_, 0); r != VK_SUCCESS)
    return failed("vkBindBufferMemory", r);
  void* mapped = nullptr;
  if (VkResult r = vk.vkMapMemory(access_.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped); r != VK_SUCCESS)
    return failed("vkMapMemory", r);
  mapped_ = static_cast<std::byte*>(mapped);
  return {};
}

Result<void> Staging::flush() const {
  return sync(access_.dispatch->vkFlushMappedMemoryRanges, "vkFlushMappedMemoryRanges");
}

Result<void> Staging::invalidate() const {
  return sync(access_.dispatch->vkInvalidateMappedMemoryRanges, "vkInvalidateMappedMemoryRanges");
}

Result<void> Staging::sync(PFN_vkFlushMappedMemoryRanges call, const char* name) const {
  if (coherent_) return {};
  const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
  if (VkResult r = call(access_.device, 1, &all); r != VK_SUCCESS) return failed(name, r);
  return {};
}

}  // namespace rondo::gpu
