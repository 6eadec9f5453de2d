// SPDX-License-Identifier: Apache-2.0
#include "player/run/memory_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/gpu/one_shot.h"

namespace rondo::player {

namespace {

constexpr VkDeviceSize kStaging = VkDeviceSize{8} << 20;  // what is copied at once
constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

}  // namespace

MemoryBytes::~MemoryBytes() {
  for (const auto& [index, buffer] : covers_) {
    const DeviceState& device = *run_.device_at(index);
    device.dispatch.vkDestroyBuffer(device.handle, buffer, nullptr);
  }
}

tl::unexpected<Error> MemoryBytes::failed(const std::string& sentence) const {
  return fail(Status::failed, run_.plan().path + ": " + purpose_ + ": " + sentence);
}

Result<MemoryBytes::Allocation> MemoryBytes::open(std::uint32_t index, std::string name, VkDeviceMemory memory,
                                                  VkDeviceSize bytes, std::uint32_t type, std::byte* mapped,
                                                  bool dedicated) {
  DeviceState& device = *run_.device_at(index);
  const VkMemoryPropertyFlags flags = device.access.memory.memoryTypes[type].propertyFlags;
  Allocation made;
  made.device = index;
  made.name = std::move(name);
  made.memory = memory;
  made.bytes = bytes;
  made.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  made.mapped = mapped;
  if (mapped == nullptr && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* here = nullptr;
    if (const VkResult r = device.dispatch.vkMapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0, &here); r < 0)
      return failed(gpu::describe("vkMapMemory", r) + " for " + made.name);
    made.mapped = static_cast<std::byte*>(here);
  }
  if (made.mapped != nullptr) return made;
  if (dedicated) return failed(made.name + " belongs to one image or buffer alone and the host cannot see it");
  RONDO_TRY(cover(made, type));
  return made;
}

Result<MemoryBytes::Allocation> MemoryBytes::open(std::uint32_t place) {
  const CapturedMemory& captured = run_.plan().memories[place];
  MemoryState& memory = run_.memory_at(place);
  auto made = open(captured.device, run_.plan().full_name(captured.id), memory.handle, memory.bytes,
                   run_.placements().of[place].type, memory.mapped, captured.dedicated);
  if (made) memory.mapped = made->mapped;
  return made;
}

// A buffer over the whole allocation.
Result<void> MemoryBytes::cover(Allocation& allocation, std::uint32_t type) {
  DeviceState& device = *run_.device_at(allocation.device);
  const Dispatch& vk = device.dispatch;
  const auto cannot = [&](const std::string& why) {
    return failed(allocation.name + ", which the host cannot see, cannot be copied: " + why);
  };
  gpu::Staging& staging =
      staging_.try_emplace(allocation.device, device.access, kCopies, 0, "copies of what the host cannot see")
          .first->second;
  if (const auto grown = staging.grow(kStaging); !grown) return failed(grown.error().message);
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = allocation.bytes;
  info.usage = kCopies;
  VkResult r = vk.vkCreateBuffer(device.handle, &info, nullptr, &allocation.whole);
  if (r < 0) return cannot(gpu::describe("vkCreateBuffer", r));
  VkMemoryRequirements needs{};
  vk.vkGetBufferMemoryRequirements(device.handle, allocation.whole, &needs);
  const bool fits = (needs.memoryTypeBits >> type & 1) != 0 && needs.size <= allocation.bytes;
  if (fits) r = vk.vkBindBufferMemory(device.handle, allocation.whole, allocation.memory, 0);
  if (fits && r >= 0) {
    covers_.emplace_back(allocation.device, allocation.whole);
    return {};
  }
  vk.vkDestroyBuffer(device.handle, allocation.whole, nullptr);
  allocation.whole = VK_NULL_HANDLE;
  return cannot(fits ? gpu::describe("vkBindBufferMemory", r) : "no buffer can have memory of its type");
}

Result<void> MemoryBytes::copy(const Allocation& allocation, VkDeviceSize offset, VkDeviceSize bytes, bool to_device) {
  DeviceState& device = *run_.device_at(allocation.device);
  const Dispatch& vk = device.dispatch;
  const gpu::Staging& staging = staging_.at(allocation.device);
  if (to_device) RONDO_TRY(staging.flush());
  gpu::OneShot& commands = device.one_shot(device.service_family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  const VkBufferCopy region{to_device ? 0 : offset, to_device ? offset : 0, bytes};
  vk.vkCmdCopyBuffer(*begun, to_device ? staging.buffer() : allocation.whole,
                     to_device ? allocation.whole : staging.buffer(), 1, &region);
  const VkMemoryBarrier after{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vk.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &after, 0, nullptr, 0,
                          nullptr);
  RONDO_TRY(commands.submit_and_wait(device.service_queue, {}));
  return to_device ? Result<void>() : staging.invalidate();
}

Result<void> MemoryBytes::sync(const Allocation& allocation, VkDeviceSize offset, VkDeviceSize bytes, bool flush) {
  if (allocation.coherent) return {};
  DeviceState& device = *run_.device_at(allocation.device);
  const VkDeviceSize from = offset / device.atom * device.atom;
  const VkDeviceSize end = (offset + bytes + device.atom - 1) / device.atom * device.atom;
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, allocation.memory, from,
                                  end >= allocation.bytes ? VK_WHOLE_SIZE : end - from};
  const VkResult r = flush ? device.dispatch.vkFlushMappedMemoryRanges(device.handle, 1, &range)
                           : device.dispatch.vkInvalidateMappedMemoryRanges(device.handle, 1, &range);
  if (r >= 0) return {};
  return failed(gpu::describe(flush ? "vkFlushMappedMemoryRanges" : "vkInvalidateMappedMemoryRanges", r) + " for " +
                allocation.name);
}

Result<void> MemoryBytes::read(const Allocation& from, VkDeviceSize offset, VkDeviceSize bytes, const Visit& visit) {
  if (from.mapped != nullptr) {
    RONDO_TRY(sync(from, offset, bytes, false));
    visit(offset, std::span<const std::byte>(from.mapped + offset, bytes));
    return {};
  }
  for (VkDeviceSize done = 0; done < bytes; done += kStaging) {
    const VkDeviceSize now = std::min(kStaging, bytes - done);
    RONDO_TRY(copy(from, offset + done, now, false));
    visit(offset + done, std::span<const std::byte>(staging_.at(from.device).mapped(), now));
  }
  return {};
}

Result<void> MemoryBytes::write(const Allocation& to, VkDeviceSize offset, std::span<const std::byte> bytes) {
  if (to.mapped != nullptr) {
    std::memcpy(to.mapped + offset, bytes.data(), bytes.size());
    return sync(to, offset, bytes.size(), true);
  }
  for (VkDeviceSize done = 0; done < bytes.size(); done += kStaging) {
    const std::span<const std::byte> now = bytes.subspan(done, std::min<std::size_t>(kStaging, bytes.size() - done));
    std::memcpy(staging_.at(to.device).mapped(), now.data(), now.size());
    RONDO_TRY(copy(to, offset + done, now.size(), true));
  }
  return {};
}

}  // namespace rondo::player
