// SPDX-License-Identifier: Apache-2.0
#include "layer/checkpoint.h"

#include <algorithm>

#include "gpu/zero_fill.h"
#include "layer/log.h"
#include "layer/state.h"

namespace rondo::layer {

namespace {

constexpr std::uint64_t kIdleTimeout = 1'000'000'000;    // ns; then a memory checkpoint is unverified
constexpr std::uint64_t kImageTimeout = 60'000'000'000;  // ns

// The queue's family, if it can copy images.
std::optional<std::uint32_t> copying_family(const DeviceState& device, VkQueue queue) {
  for (const Queue& known : device.queues)
    if (known.handle == queue && known.family < device.families.size()) {
      // Graphics and compute queues can, whether they say so or not.
      constexpr VkFlags copies = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
      if ((device.families[known.family].queueFlags & copies) != 0) return known.family;
    }
  return std::nullopt;
}

}  // namespace

Checkpointer::Checkpointer(DeviceState& device) : device_(device) {}

Checkpointer::~Checkpointer() {
  for (VkFence fence : stuck_) device_.next->vkDestroyFence(device_.device, fence, nullptr);
  for (VkFence fence : unused_) device_.next->vkDestroyFence(device_.device, fence, nullptr);
}

gpu::Access Checkpointer::access(std::uint64_t timeout_ns) const {
  return {device_.next, device_.device, device_.memory, device_.set_loader_data, timeout_ns};
}

gpu::ImageReadback& Checkpointer::readback(std::uint32_t family) {
  auto& slot = readbacks_[family];
  if (slot == nullptr) slot = std::make_unique<gpu::ImageReadback>(access(kImageTimeout), family);
  return *slot;
}

bool Checkpointer::zero(const Memory& memory) {
  const Lock lock = enter_queues();
  const bool visible =
      (device_.memory.memoryTypes[memory.type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  if (!visible && zeroing_ == nullptr) {
    // A queue of the first family that the program asked for and that can fill.
    for (std::uint32_t family : device_.created_families) {
      constexpr VkFlags fills = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
      if (family >= device_.families.size() || (device_.families[family].queueFlags & fills) == 0) continue;
      device_.next->vkGetDeviceQueue(device_.device, family, 0, &zeroing_queue_);
      if (device_.set_loader_data != nullptr) device_.set_loader_data(device_.device, zeroing_queue_);
      zeroing_ = std::make_unique<gpu::OneShot>(access(kImageTimeout), family);
      break;
    }
  }
  const auto done = gpu::zero_fill(access(kImageTimeout), memory.handle, memory.size, memory.type,
                                   zeroing_queue_, zeroing_.get());
  if (!done) note("an allocation could not be zeroed: " + done.error().message);
  return done.has_value();
}

std::vector<Checkpointer::Presented> Checkpointer::read(VkQueue queue, const VkPresentInfoKHR& info,
                                                        bool& consumed) {
  std::vector<Presented> images(info.swapchainCount);
  std::string reason;
  const auto family = [&] {
    const auto lock = host_memory().enter();
    return copying_family(device_, queue);
  }();
  if (!family) reason = "the presenting queue cannot copy images";
  consumed = false;
  if (reason.empty() && info.waitSemaphoreCount != 0) {
    const std::vector<VkPipelineStageFlags> stages(info.waitSemaphoreCount,
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkSubmitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    wait.waitSemaphoreCount = info.waitSemaphoreCount;
    wait.pWaitSemaphores = info.pWaitSemaphores;
    wait.pWaitDstStageMask = stages.data();
    const VkResult result = device_.next->vkQueueSubmit(queue, 1, &wait, VK_NULL_HANDLE);
    consumed = result == VK_SUCCESS;
    if (!consumed) reason = gpu::describe("vkQueueSubmit", result);
  }
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    Presented& image = images[i];
    image.swapchain = info.pSwapchains[i];
    image.index = info.pImageIndices[i];
    image.unverified = reason;
    {
      const std::lock_guard guard(device_.swapchain_lock);
      const auto found = device_.swapchains.find(image.swapchain);
      if (found == device_.swapchains.end() || image.index >= found->second.images.size()) {
        image.unverified = "the swapchain is not known";
        continue;
      }
      const Swapchain& swapchain = found->second;
      image.image = swapchain.images[image.index];
      image.format = swapchain.format;
      image.extent = {swapchain.extent.width, swapchain.extent.height, 1};
      if (!swapchain.readable) image.unverified = swapchain.reason;
    }
    if (!image.unverified.empty()) continue;
    gpu::ImageSource source;
    source.image = image.image;
    source.format = image.format;
    source.extent = image.extent;
    source.layout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    const auto bytes = readback(*family).read(queue, source);
    if (bytes)
      image.digest = digest_of(*bytes);
    else
      image.unverified = bytes.error().message;
  }
  return images;
}

void Checkpointer::write(ThreadState& state, const std::vector<Presented>& images) {
  for (const Presented& image : images) {
    const args_rondoCheckpointImage args{device_.device,
                                         image.swapchain,
                                         image.index,
                                         image.image,
                                         image.format,
                                         image.extent,
                                         {image.digest.low, image.digest.high},
                                         image.unverified.empty() ? nullptr : image.unverified.c_str()};
    if (!encode_payload(state, state.host_writes, CommandId::rondoCheckpointImage, &args, true)) return;
    write_call(state, CommandId::rondoCheckpointImage, 0, g_hot.writer->take_sequence(), {},
               state.host_writes.bytes());
  }
}

VkResult Checkpointer::submit_fence(VkQueue queue, VkFence& fence) {
  if (unused_.empty()) {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    if (const VkResult result = device_.next->vkCreateFence(device_.device, &info, nullptr, &fence);
        result != VK_SUCCESS)
      return result;
  } else {
    fence = unused_.back();
    unused_.pop_back();
  }
  const VkResult result = device_.next->vkQueueSubmit(queue, 0, nullptr, fence);
  if (result != VK_SUCCESS) unused_.push_back(fence);
  return result;
}

VkResult Checkpointer::begin_wait(VkQueue queue, VkFence& fence) { return submit_fence(queue, fence); }

void Checkpointer::end_wait(VkFence fence) {
  if (device_.next->vkResetFences(device_.device, 1, &fence) == VK_SUCCESS)
    unused_.push_back(fence);
  else
    stuck_.push_back(fence);
}

std::string Checkpointer::idle() {
  std::vector<VkQueue> queues;
  {
    const auto lock = host_memory().enter();
    for (const auto& [queue, progress] : device_.memories.queues) queues.push_back(queue);
  }
  std::vector<VkFence> fences;
  std::string reason;
  for (VkQueue queue : queues) {
    VkFence fence = VK_NULL_HANDLE;
    if (const VkResult result = submit_fence(queue, fence); result != VK_SUCCESS) {
      reason = gpu::describe("vkQueueSubmit", result);
      break;
    }
    fences.push_back(fence);
  }
  if (fences.empty()) return reason;
  const VkResult result = device_.next->vkWaitForFences(
      device_.device, static_cast<std::uint32_t>(fences.size()), fences.data(), VK_TRUE, kIdleTimeout);
  if (result == VK_SUCCESS &&
      device_.next->vkResetFences(device_.device, static_cast<std::uint32_t>(fences.size()), fences.data()) ==
          VK_SUCCESS) {
    unused_.insert(unused_.end(), fences.begin(), fences.end());
    return reason;
  }
  stuck_.insert(stuck_.end(), fences.begin(), fences.end());
  return result == VK_TIMEOUT ? "the queues were not idle within a second"
                              : gpu::describe("vkWaitForFences", result);
}

void Checkpointer::memory(ThreadState& state) {
  {
    const auto lock = host_memory().enter();
    if (checked_ == device_.memories.epoch) return;  // nothing submitted since
    checked_ = device_.memories.epoch;
  }
  const std::string reason = idle();
  const auto lock = host_memory().enter();
  host_memory().record_all(&state);
  if (reason.empty()) HostMemory::finished(device_);
  std::vector<RondoRange> ranges, unclear;
  std::vector<Digest> digests;
  for (auto& [handle, known] : device_.memories.memories) {
    Memory& memory = *known;
    if (memory.tracked == nullptr || !memory.device_writable) continue;
    // One range for all of it: what cannot be compared is counted, too.
    const std::vector<RondoRange> whole = {{0, memory.size}};
    if (!reason.empty()) {
      if (memory.mapped) write(state, memory, whole, {Digest{}}, reason.c_str());
      continue;
    }
    if (memory.tracked->mechanism() != memory::Mechanism::alias) {
      memory.tracked->refresh(0, memory::whole, memory::Refresh::everything);
      memory.refreshed = device_.memories.epoch;
      if (memory.mapped)
        write(state, memory, whole, {Digest{}},
              "host writes to this memory are found by a means that cannot tell them from the device's");
      continue;
    }
    ranges.clear();
    unclear.clear();
    digests.clear();
    for (const memory::Range& range :
         memory.tracked->refresh(0, memory::whole, memory::Refresh::everything)) {
      const std::uint64_t offset = memory.map_offset + range.offset;
      if (offset >= memory.size) continue;
      const RondoRange part{offset, std::min(range.size, memory.size - offset)};
      if (range.ambiguous) {
        unclear.push_back(part);
        continue;
      }
      ranges.push_back(part);
      digests.push_back(digest_of({range.bytes, static_cast<std::size_t>(part.size)}));
    }
    memory.refreshed = device_.memories.epoch;
    if (!memory.mapped) continue;
    if (!ranges.empty()) write(state, memory, ranges, digests, nullptr);
    if (!unclear.empty())
      write(state, memory, unclear, std::vector<Digest>(unclear.size()),
            "host and device wrote the same page: nothing tells their bytes apart");
  }
}

void Checkpointer::write(ThreadState& state, const Memory& memory, const std::vector<RondoRange>& ranges,
                         const std::vector<Digest>& digests, const char* unverified) {
  std::vector<RondoDigest> values;
  for (const Digest& digest : digests) values.push_back({digest.low, digest.high});
  const args_rondoCheckpointMemory args{
      device_.device, memory.handle, static_cast<std::uint32_t>(ranges.size()),
      ranges.data(),  values.data(), unverified};
  if (!encode_payload(state, state.host_writes, CommandId::rondoCheckpointMemory, &args, true)) return;
  write_call(state, CommandId::rondoCheckpointMemory, 0, g_hot.writer->take_sequence(), {},
             state.host_writes.bytes());
}

}  // namespace rondo::layer
