// SPDX-License-Identifier: Apache-2.0
// Swapchains without a window: acquire and present become empty submits that
// signal and wait for what the program gave them.
#include <algorithm>
#include <array>
#include <cstdio>

#include "format/native_view.h"
#include "format/unverified.h"
#include "generated/args.h"
#include "player/show/presenter.h"

namespace rondo::player {

Result<std::unique_ptr<VirtualSwapchain>> create_virtual_swapchain(Run& run, const Op& op,
                                                                   const VkSwapchainCreateInfoKHR& info) {
  const std::uint32_t place = run.plan().place_of(op.subject);
  const CapturedSwapchain& captured = run.plan().swapchains[place];
  DeviceState& device = run.device(op);
  const Dispatch& vk = device.dispatch;
  auto swapchain = std::make_unique<VirtualSwapchain>();
  swapchain->place = place;
  swapchain->present_mode = info.presentMode;
  VkImageCreateInfo& image_info = swapchain->info;
  image_info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  if ((info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0)
    image_info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  image_info.imageType = VK_IMAGE_TYPE_2D;
  image_info.format = info.imageFormat;
  image_info.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image_info.mipLevels = 1;
  image_info.arrayLayers = info.imageArrayLayers;
  image_info.samples = VK_SAMPLE_COUNT_1_BIT;
  image_info.tiling = VK_IMAGE_TILING_OPTIMAL;
  image_info.usage = info.imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;  // to read it back
  image_info.sharingMode = info.imageSharingMode;
  image_info.queueFamilyIndexCount = info.queueFamilyIndexCount;
  image_info.pQueueFamilyIndices = info.pQueueFamilyIndices;
  image_info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;

  for (std::size_t i = 0; i < captured.images.size(); ++i) {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const char* command = "vkCreateImage";
    VkResult r = vk.vkCreateImage(device.handle, &image_info, nullptr, &image);
    if (r >= 0) {
      VkMemoryRequirements needs;
      vk.vkGetImageMemoryRequirements(device.handle, image, &needs);
      std::uint32_t type =
          gpu::find_memory_type(device.access.memory, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
      if (type == UINT32_MAX) type = gpu::find_memory_type(device.access.memory, needs.memoryTypeBits, 0);
      const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
      swapchain->memory_bytes = needs.size;
      swapchain->memory_type = type;
      command = "vkAllocateMemory";
      r = vk.vkAllocateMemory(device.handle, &allocate, nullptr, &memory);
      // As a window system's are: else they hold what an earlier one left.
      if (r >= 0 && run.plan().has_checkpoints) {
        MemoryState fresh;
        fresh.handle = memory;
        fresh.bytes = needs.size;
        if (const auto zeroed = run.zero(device, fresh, type); !zeroed) {
          vk.vkDestroyImage(device.handle, image, nullptr);
          vk.vkFreeMemory(device.handle, memory, nullptr);
          destroy_virtual_swapchain(device, *swapchain);
          return tl::unexpected<Error>(
              run.refuse(op, zeroed.error().status, "zeroing its images: " + zeroed.error().message));
        }
      }
    }
    if (r >= 0) {
      command = "vkBindImageMemory";
      r = vk.vkBindImageMemory(device.handle, image, memory, 0);
    }
    if (image != VK_NULL_HANDLE) swapchain->images.push_back(image);
    if (memory != VK_NULL_HANDLE) swapchain->memories.push_back(memory);
    if (r < 0) {
      destroy_virtual_swapchain(device, *swapchain);
      return tl::unexpected<Error>(run.failure(op, r, command));
    }
    if (captured.images[i] != ObjectId::null) run.slot(captured.images[i]) = reinterpret_cast<std::uint64_t>(image);
  }
  // They belonged to the create's parameters.
  image_info.queueFamilyIndexCount = 0;
  image_info.pQueueFamilyIndices = nullptr;
  return swapchain;
}

void destroy_virtual_swapchain(DeviceState& device, VirtualSwapchain& swapchain) {
  for (const VirtualSwapchain::Present& present : swapchain.presents)
    if (device.dispatch.vkGetFenceStatus(device.handle, present.done) == VK_NOT_READY)
      device.pending_fences.push_back(present.done);
    else
      device.dispatch.vkDestroyFence(device.handle, present.done, nullptr);
  swapchain.presents.clear();
  for (VkImage image : swapchain.images) device.dispatch.vkDestroyImage(device.handle, image, nullptr);
  for (VkDeviceMemory memory : swapchain.memories) device.dispatch.vkFreeMemory(device.handle, memory, nullptr);
  swapchain.images.clear();
  swapchain.memories.clear();
}

namespace {

// The slot of a swapchain holds its VirtualSwapchain.
VirtualSwapchain* from_handle(VkSwapchainKHR handle) { return reinterpret_cast<VirtualSwapchain*>(handle); }

Result<void> create_swapchain(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateSwapchainKHR>(args);
  auto swapchain = create_virtual_swapchain(run, op, *a.pCreateInfo);
  if (!swapchain) return tl::unexpected<Error>(swapchain.error());
  *a.pSwapchain = reinterpret_cast<VkSwapchainKHR>(swapchain->get());
  if (Presenter* presenter = run.presenter(); presenter != nullptr) presenter->opened(**swapchain);
  run.swapchains()[run.plan().place_of(op.subject)] = std::move(*swapchain);
  return {};
}

Result<void> destroy_swapchain(Run& run, const Op& op, std::byte*) {
  if (op.subject == ObjectId::null) return {};
  std::unique_ptr<VirtualSwapchain>& swapchain = run.swapchains()[run.plan().place_of(op.subject)];
  if (swapchain != nullptr) {
    if (Presenter* presenter = run.presenter(); presenter != nullptr) presenter->closing(*swapchain);
    destroy_virtual_swapchain(run.device(op), *swapchain);
    std::erase_if(run.image_checks(), [&](const ImageCheck& check) {
      if (check.swapchain != swapchain.get()) return false;
      run.observer().skip(run.observer().verification.images, "record " + std::to_string(check.op->sequence),
                          text_of(Unverified::not_presented));
      return true;
    });
  }
  swapchain.reset();
  return {};
}

Result<void> signal_acquired(Run& run, const Op& op, VkSwapchainKHR handle, VkSemaphore semaphore, VkFence fence) {
  VirtualSwapchain* swapchain = from_handle(handle);
  if (swapchain == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the swapchain does not exist here"));
  DeviceState& device = run.device(op);
  // In the presenting queue's own order nothing can wait for itself.
  const ObjectId presents = run.plan().swapchains[swapchain->place].present_queue;
  VkQueue queue = presents != ObjectId::null ? reinterpret_cast<VkQueue>(run.slot(presents)) : VK_NULL_HANDLE;
  if (queue == VK_NULL_HANDLE) queue = device.service_queue;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.signalSemaphoreCount = semaphore != VK_NULL_HANDLE ? 1 : 0;
  submit.pSignalSemaphores = &semaphore;
  if (VkResult r = device.dispatch.vkQueueSubmit(queue, 1, &submit, fence); r < 0)
    return tl::unexpected<Error>(run.failure(op, r, "the submit that stands for an acquire"));
  return {};
}

Result<void> acquire(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkAcquireNextImageKHR>(args);
  return signal_acquired(run, op, a.swapchain, a.semaphore, a.fence);
}

Result<void> acquire2(Run& run, const Op& op, std::byte* args) {
  const auto& info = *as<args_vkAcquireNextImage2KHR>(args).pAcquireInfo;
  return signal_acquired(run, op, info.swapchain, info.semaphore, info.fence);
}

Result<void> screenshot(Run& run, const Op& op, DeviceState& device, const LiveQueue& queue,
                        const VirtualSwapchain& swapchain, std::uint32_t image, std::uint32_t of_present) {
  Observer& observer = run.observer();
  if (observer.wants_picture && (of_present != 0 || !observer.wants_picture(run.frame()))) return {};
  gpu::ImageSource source;
  source.image = swapchain.images[image];
  source.format = swapchain.info.format;
  source.extent = swapchain.info.extent;
  source.layout = VK_IMAGE_LAYOUT_GENERAL;
  auto texels = run.readback(device, queue.family).read(queue.handle, source);
  if (!texels)
    return tl::unexpected<Error>(run.refuse(
        op, texels.error().status, "reading the image back: " + texels.error().message + run.behind_last_submit()));
  if (observer.take_picture) {
    const auto picture = screenshot_of(source.format, source.extent, *texels);
    if (picture) observer.take_picture(run.frame(), *picture);
    return {};
  }
  char name[48];
  if (of_present == 0)
    std::snprintf(name, sizeof name, "/frame-%06llu.png", static_cast<unsigned long long>(run.frame()));
  else
    std::snprintf(name, sizeof name, "/frame-%06llu-%u.png", static_cast<unsigned long long>(run.frame()), of_present);
  ++observer.screenshots;
  return write_png(observer.screenshot_directory + name, source.format, source.extent, *texels);
}

// Behind the submits that stand for the present: what a wait for it waits for.
Result<void> mark_present(Run& run, const Op& op, VkQueue queue, VirtualSwapchain& swapchain, std::uint64_t id) {
  DeviceState& device = run.device(op);
  const Dispatch& vk = device.dispatch;
  VirtualSwapchain::Present mark{id, VK_NULL_HANDLE, queue};
  auto& presents = swapchain.presents;
  if (!presents.empty() && vk.vkGetFenceStatus(device.handle, presents.front().done) == VK_SUCCESS &&
      vk.vkResetFences(device.handle, 1, &presents.front().done) == VK_SUCCESS) {
    mark.done = presents.front().done;
    swapchain.presented_id = std::max(swapchain.presented_id, presents.front().id);
    presents.erase(presents.begin());
  } else {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    if (VkResult r = vk.vkCreateFence(device.handle, &info, nullptr, &mark.done); r < 0)
      return tl::unexpected<Error>(run.failure(op, r, "vkCreateFence for the present's id"));
  }
  if (VkResult r = vk.vkQueueSubmit(queue, 0, nullptr, mark.done); r < 0) {
    vk.vkDestroyFence(device.handle, mark.done, nullptr);
    return tl::unexpected<Error>(run.failure(op, r, "the submit that stands for a present's id"));
  }
  presents.push_back(mark);
  return {};
}

Result<void> present(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkQueuePresentKHR>(args);
  const VkPresentInfoKHR& info = *a.pPresentInfo;
  DeviceState& device = run.device(op);
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    const VirtualSwapchain* swapchain = from_handle(info.pSwapchains[i]);
    if (swapchain == nullptr || info.pImageIndices[i] >= swapchain->images.size())
      return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the presented image does not exist here"));
  }
  static constexpr std::size_t kBatch = 16;
  static constexpr std::array<VkPipelineStageFlags, kBatch> stages = [] {
    std::array<VkPipelineStageFlags, kBatch> all{};
    all.fill(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    return all;
  }();
  for (std::uint32_t first = 0; first < info.waitSemaphoreCount; first += kBatch) {
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = std::min<std::uint32_t>(kBatch, info.waitSemaphoreCount - first);
    submit.pWaitSemaphores = info.pWaitSemaphores + first;
    submit.pWaitDstStageMask = stages.data();
    if (VkResult r = device.dispatch.vkQueueSubmit(a.queue, 1, &submit, VK_NULL_HANDLE); r < 0)
      return tl::unexpected<Error>(run.failure(op, r, "the submit that stands for a present"));
  }
  if (const auto* fences =
          find_chained<VkSwapchainPresentFenceInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
      fences != nullptr && fences->pFences != nullptr)
    for (std::uint32_t i = 0; i < fences->swapchainCount; ++i)
      if (fences->pFences[i] != VK_NULL_HANDLE)
        if (VkResult r = device.dispatch.vkQueueSubmit(a.queue, 0, nullptr, fences->pFences[i]); r < 0)
          return tl::unexpected<Error>(run.failure(op, r, "the submit that stands for a present's fence"));
  if (const auto* ids = find_chained<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
      ids != nullptr && ids->pPresentIds != nullptr)
    for (std::uint32_t i = 0; i < std::min(info.swapchainCount, ids->swapchainCount); ++i)
      if (ids->pPresentIds[i] != 0)
        RONDO_TRY(mark_present(run, op, a.queue, *from_handle(info.pSwapchains[i]), ids->pPresentIds[i]));
  // Behind the waits, in the queue's own order: no other queue is waited for.
  const auto is_ours = [&](const LiveQueue& known) { return known.handle == a.queue; };
  const auto queue = std::find_if(device.queues.begin(), device.queues.end(), is_ours);
  const bool shown = !op.returned || op.captured >= 0;
  for (std::uint32_t i = 0; i < info.swapchainCount && queue != device.queues.end(); ++i) {
    const VirtualSwapchain& swapchain = *from_handle(info.pSwapchains[i]);
    RONDO_TRY(compare_images(run, device, *queue, swapchain, info.pImageIndices[i]));
    if (run.options().screenshots && shown && op.sequence > run.plan().begins) {
      const TimingPause pause(run);
      RONDO_TRY(screenshot(run, op, device, *queue, swapchain, info.pImageIndices[i], i));
    }
    if (Presenter* presenter = run.presenter(); presenter != nullptr && shown)
      RONDO_TRY(presenter->show(op, *queue, swapchain, info.pImageIndices[i]));
  }
  run.presented();
  return {};
}

// The program's own data, which no replay reads. A swapchain of the player's is no object of the target's.
Result<void> set_private_data(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkSetPrivateData>(args);
  if (a.objectType == VK_OBJECT_TYPE_SWAPCHAIN_KHR || a.objectHandle == 0) return {};
  return run.call_checked(op, args);
}

}  // namespace

void add_swapchain_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateSwapchainKHR)] = create_swapchain;
  table[static_cast<std::size_t>(CommandId::vkDestroySwapchainKHR)] = destroy_swapchain;
  table[static_cast<std::size_t>(CommandId::vkAcquireNextImageKHR)] = acquire;
  table[static_cast<std::size_t>(CommandId::vkAcquireNextImage2KHR)] = acquire2;
  table[static_cast<std::size_t>(CommandId::vkQueuePresentKHR)] = present;
  table[static_cast<std::size_t>(CommandId::vkSetPrivateData)] = set_private_data;
}

}  // namespace rondo::player
