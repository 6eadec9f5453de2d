// SPDX-License-Identifier: Apache-2.0
#include "player/contents.h"

#include <algorithm>
#include <cstring>

#include "format/native_view.h"
#include "generated/args.h"
#include "gpu/one_shot.h"

namespace rondo::player {

namespace {

constexpr VkDeviceSize kBlock = 4096;                    // what is compared and kept at once
constexpr VkDeviceSize kStaging = VkDeviceSize{8} << 20;  // what is copied at once

}  // namespace

Contents::~Contents() {
  for (const Kept& kept : kept_) {
    const auto& device = run_.device_at(kept.device);
    if (device != nullptr && kept.whole != VK_NULL_HANDLE)
      device->dispatch.vkDestroyBuffer(device->handle, kept.whole, nullptr);
  }
  for (std::uint32_t i = 0; i < staging_.size(); ++i) {
    const auto& device = run_.device_at(i);
    if (device == nullptr) continue;
    device->dispatch.vkDestroyBuffer(device->handle, staging_[i].buffer, nullptr);
    device->dispatch.vkFreeMemory(device->handle, staging_[i].memory, nullptr);
  }
}

std::uint64_t Contents::bytes_kept() const {
  std::uint64_t sum = 0;
  for (const Kept& kept : kept_) sum += kept.data.size();
  return sum;
}

Result<void> Contents::keep() {
  const Plan& plan = run_.plan();
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < plan.memories.size(); ++i) {
    const MemoryState& memory = run_.memory_at(i);
    if (memory.handle == VK_NULL_HANDLE) continue;
    total += memory.bytes;
    RONDO_TRY(add(plan.memories[i].device, plan.full_name(plan.memories[i].id), memory.handle, memory.bytes,
                  run_.placements().of[i].type, memory.mapped, plan.memories[i].dedicated ? plan.memories[i].id : 0));
  }
  for (const auto& swapchain : run_.swapchains()) {
    if (swapchain == nullptr) continue;
    const CapturedSwapchain& captured = plan.swapchains[swapchain->place];
    for (std::size_t i = 0; i < swapchain->memories.size(); ++i) {
      total += swapchain->memory_bytes;
      RONDO_TRY(add(captured.device, plan.name(captured.id) + " image " + std::to_string(i), swapchain->memories[i],
                    swapchain->memory_bytes, swapchain->memory_type, nullptr, 0));
    }
  }
  if (total > budget_)
    return fail(Status::failed, plan.path + ": the span cannot be looped: what it begins with is " +
                                    std::to_string(total >> 20) + " MiB, more than the " +
                                    std::to_string(budget_ >> 20) + " MiB of --memory-budget");
  for (Kept& kept : kept_) {
    kept.data.reserve(kept.bytes);
    kept.blocks.push_back({0, kept.bytes, 0});
    RONDO_TRY(read(kept, [&](VkDeviceSize, std::span<const std::byte> bytes) {
      kept.data.insert(kept.data.end(), bytes.begin(), bytes.end());
    }));
    const auto now = digest(kept);
    if (!now) return tl::unexpected<Error>(now.error());
    kept.digest = *now;
  }
  return {};
}

Result<void> Contents::add(std::uint32_t index, const std::string& name, VkDeviceMemory memory, VkDeviceSize bytes,
                           std::uint32_t type, std::byte* mapped, ObjectId dedicated) {
  DeviceState& device = *run_.device_at(index);
  const VkMemoryPropertyFlags flags = device.access.memory.memoryTypes[type].propertyFlags;
  Kept kept;
  kept.device = index;
  kept.name = name;
  kept.memory = memory;
  kept.bytes = bytes;
  kept.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  kept.mapped = mapped;
  if (mapped == nullptr && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* here = nullptr;
    if (const VkResult r = device.dispatch.vkMapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0, &here); r < 0)
      return fail(Status::failed, run_.plan().path + ": " + gpu::describe("vkMapMemory", r) + " for " + name);
    kept.mapped = static_cast<std::byte*>(here);
  }
  if (kept.mapped == nullptr) {
    if (dedicated != 0)
      return fail(Status::failed, run_.plan().path + ": the span cannot be looped: " + name +
                                      " belongs to one image or buffer alone and the host cannot see it; --fresh plays "
                                      "each iteration from nothing");
    RONDO_TRY(cover(kept, type));
  }
  kept_.push_back(std::move(kept));
  return {};
}

// A buffer over the whole allocation.
Result<void> Contents::cover(Kept& kept, std::uint32_t type) {
  DeviceState& device = *run_.device_at(kept.device);
  const Dispatch& vk = device.dispatch;
  const auto failed = [&](const std::string& why) {
    return fail(Status::failed, run_.plan().path + ": the span cannot be looped: " + kept.name +
                                    ", which the host cannot see, cannot be copied: " + why);
  };
  RONDO_TRY(make_staging(kept.device));
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = kept.bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkResult r = vk.vkCreateBuffer(device.handle, &info, nullptr, &kept.whole);
  if (r < 0) return failed(gpu::describe("vkCreateBuffer", r));
  VkMemoryRequirements needs{};
  vk.vkGetBufferMemoryRequirements(device.handle, kept.whole, &needs);
  const bool fits = (needs.memoryTypeBits >> type & 1) != 0 && needs.size <= kept.bytes;
  if (fits) r = vk.vkBindBufferMemory(device.handle, kept.whole, kept.memory, 0);
  if (fits && r >= 0) return {};
  vk.vkDestroyBuffer(device.handle, kept.whole, nullptr);
  kept.whole = VK_NULL_HANDLE;
  return failed(fits ? gpu::describe("vkBindBufferMemory", r) : "no buffer can have memory of its type");
}

Result<void> Contents::make_staging(std::uint32_t index) {
  staging_.resize(std::max<std::size_t>(staging_.size(), index + 1));
  Staging& staging = staging_[index];
  if (staging.buffer != VK_NULL_HANDLE) return {};
  DeviceState& device = *run_.device_at(index);
  const Dispatch& vk = device.dispatch;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = kStaging;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const char* command = "vkCreateBuffer";
  VkResult r = vk.vkCreateBuffer(device.handle, &info, nullptr, &staging.buffer);
  VkMemoryRequirements needs{};
  std::uint32_t type = UINT32_MAX;
  if (r >= 0) {
    vk.vkGetBufferMemoryRequirements(device.handle, staging.buffer, &needs);
    type = gpu::find_memory_type(device.access.memory, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    command = "vkAllocateMemory";
    r = type == UINT32_MAX ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                           : vk.vkAllocateMemory(device.handle, &allocate, nullptr, &staging.memory);
  }
  void* mapped = nullptr;
  if (r >= 0) {
    command = "vkBindBufferMemory";
    r = vk.vkBindBufferMemory(device.handle, staging.buffer, staging.memory, 0);
  }
  if (r >= 0) {
    command = "vkMapMemory";
    r = vk.vkMapMemory(device.handle, staging.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  }
  if (r < 0)
    return fail(Status::failed, run_.plan().path + ": " + gpu::describe(command, r) +
                                    " for copies of what the host cannot see");
  staging.mapped = static_cast<std::byte*>(mapped);
  staging.coherent =
      (device.access.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  return {};
}

Result<void> Contents::copy(const Kept& kept, VkDeviceSize offset, VkDeviceSize bytes, bool to_device) {
  DeviceState& device = *run_.device_at(kept.device);
  const Dispatch& vk = device.dispatch;
  const Staging& staging = staging_[kept.device];
  const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, staging.memory, 0, VK_WHOLE_SIZE};
  if (to_device && !staging.coherent) vk.vkFlushMappedMemoryRanges(device.handle, 1, &all);
  gpu::OneShot& commands = device.one_shot(device.service_family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  const VkBufferCopy region{to_device ? 0 : offset, to_device ? offset : 0, bytes};
  vk.vkCmdCopyBuffer(*begun, to_device ? staging.buffer : kept.whole, to_device ? kept.whole : staging.buffer, 1,
                     &region);
  const VkMemoryBarrier after{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vk.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &after, 0, nullptr, 0,
                          nullptr);
  RONDO_TRY(commands.submit_and_wait(device.service_queue, {}));
  if (!to_device && !staging.coherent) vk.vkInvalidateMappedMemoryRanges(device.handle, 1, &all);
  return {};
}

Result<void> Contents::sync(const Kept& kept, VkDeviceSize offset, VkDeviceSize bytes, bool flush) {
  if (kept.coherent) return {};
  DeviceState& device = *run_.device_at(kept.device);
  const VkDeviceSize from = offset / device.atom * device.atom;
  const VkDeviceSize end = (offset + bytes + device.atom - 1) / device.atom * device.atom;
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, kept.memory, from,
                                  end >= kept.bytes ? VK_WHOLE_SIZE : end - from};
  const VkResult r = flush ? device.dispatch.vkFlushMappedMemoryRanges(device.handle, 1, &range)
                           : device.dispatch.vkInvalidateMappedMemoryRanges(device.handle, 1, &range);
  if (r < 0)
    return fail(Status::failed, run_.plan().path + ": " +
                                    gpu::describe(flush ? "vkFlushMappedMemoryRanges" : "vkInvalidateMappedMemoryRanges", r) +
                                    " for " + kept.name);
  return {};
}

template <class Visit>
Result<void> Contents::read(const Kept& kept, Visit&& visit) {
  if (kept.mapped != nullptr) {
    RONDO_TRY(sync(kept, 0, kept.bytes, false));
    visit(VkDeviceSize{0}, std::span<const std::byte>(kept.mapped, kept.bytes));
    return {};
  }
  for (VkDeviceSize offset = 0; offset < kept.bytes; offset += kStaging) {
    const VkDeviceSize bytes = std::min(kStaging, kept.bytes - offset);
    RONDO_TRY(copy(kept, offset, bytes, false));
    visit(offset, std::span<const std::byte>(staging_[kept.device].mapped, bytes));
  }
  return {};
}

Result<void> Contents::narrow() {
  for (Kept& kept : kept_) {
    std::vector<Block> changed;
    RONDO_TRY(read(kept, [&](VkDeviceSize offset, std::span<const std::byte> now) {
      for (VkDeviceSize at = 0; at < now.size(); at += kBlock) {
        const VkDeviceSize bytes = std::min<VkDeviceSize>(kBlock, now.size() - at);
        if (std::memcmp(now.data() + at, kept.data.data() + offset + at, bytes) == 0) continue;
        if (!changed.empty() && changed.back().offset + changed.back().bytes == offset + at)
          changed.back().bytes += bytes;
        else
          changed.push_back({offset + at, bytes, 0});
      }
    }));
    std::vector<std::byte> data;
    for (Block& block : changed) {
      const auto from = kept.data.begin() + static_cast<std::ptrdiff_t>(block.offset);
      block.at = data.size();
      data.insert(data.end(), from, from + static_cast<std::ptrdiff_t>(block.bytes));
    }
    data.shrink_to_fit();
    kept.data = std::move(data);
    kept.blocks = std::move(changed);
  }
  return {};
}

Result<void> Contents::write(const Kept& kept) {
  for (const Block& block : kept.blocks) {
    if (kept.mapped != nullptr) {
      std::memcpy(kept.mapped + block.offset, kept.data.data() + block.at, block.bytes);
      RONDO_TRY(sync(kept, block.offset, block.bytes, true));
      continue;
    }
    for (VkDeviceSize done = 0; done < block.bytes; done += kStaging) {
      const VkDeviceSize bytes = std::min(kStaging, block.bytes - done);
      std::memcpy(staging_[kept.device].mapped, kept.data.data() + block.at + done, bytes);
      RONDO_TRY(copy(kept, block.offset + done, bytes, true));
    }
  }
  return {};
}

Result<void> Contents::restore() {
  for (const Kept& kept : kept_) RONDO_TRY(write(kept));
  return {};
}

// Of the digests of the pieces that it is read in.
Result<Digest> Contents::digest(const Kept& kept) {
  std::vector<Digest> pieces;
  RONDO_TRY(read(kept, [&](VkDeviceSize, std::span<const std::byte> bytes) { pieces.push_back(digest_of(bytes)); }));
  return digest_of(std::as_bytes(std::span(pieces)));
}

Result<void> Contents::check() {
  for (const Kept& kept : kept_) {
    const auto now = digest(kept);
    if (!now) return tl::unexpected<Error>(now.error());
    if (*now == kept.digest) continue;
    return fail(Status::failed, run_.plan().path + ": the iterations were not alike: " + kept.name +
                                    " holds bytes that a later one changed and the first did not, so they were "
                                    "not put back");
  }
  return {};
}

}  // namespace rondo::player
