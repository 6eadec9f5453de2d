// SPDX-License-Identifier: Apache-2.0
#include "model/submits.h"

#include <algorithm>
#include <span>

#include "format/check.h"
#include "format/codec/schema.h"
#include "format/native_view.h"

namespace rondo::model {

namespace {

using Kind = HostSync::Kind;

VkResult result_of(const Call& c) {
  if (c.command.returns != codec::Returns::result) return VK_SUCCESS;
  return static_cast<VkResult>(static_cast<std::int32_t>(c.returned));
}

ObjectId device_of(const Call& c) {
  const Object& object = c.objects.objects()[c.dispatch];
  return object.type == HandleType::VkDevice ? c.dispatch : object.device;
}

// Arrays of values may be shorter than the array of semaphores, or not there.
std::uint64_t value_at(const std::uint64_t* values, std::uint32_t count, std::uint32_t i) {
  return values != nullptr && i < count ? values[i] : 0;
}

// What each command of the host says. The caller of these has set kind, record, device, result and succeeded. Timeline
// semaphores are told apart afterwards.
using Fill = void (*)(const Call& c, HostSync& to);

void add_fences(const Call& c, const VkFence* fences, std::uint32_t count, HostSync& to) {
  for (std::uint32_t i = 0; i < count; ++i) to.fences.push_back(c.id(&fences[i]));
}

void wait_fences(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkWaitForFences>();
  add_fences(c, a.pFences, a.fenceCount, to);
  to.all = a.waitAll != VK_FALSE || a.fenceCount == 1;
  to.timeout = a.timeout;
}

void poll_fence(const Call& c, HostSync& to) { add_fences(c, &c.as<args_vkGetFenceStatus>().fence, 1, to); }

void reset_fences(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkResetFences>();
  add_fences(c, a.pFences, a.fenceCount, to);
}

// The driver gives -1 in place of the sync fd of a payload that is signalled.
void export_fence(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkGetFenceFdKHR>();
  add_fences(c, &a.pGetFdInfo->fence, 1, to);
  to.is_shared = a.pGetFdInfo->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  to.was_signalled = !to.is_shared && a.pFd != nullptr && *a.pFd == -1;
}

void import_fence(const Call& c, HostSync& to) {
  const VkImportFenceFdInfoKHR& info = *c.as<args_vkImportFenceFdKHR>().pImportFenceFdInfo;
  add_fences(c, &info.fence, 1, to);
  to.is_shared = info.handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  to.was_signalled = !to.is_shared && info.fd == -1;
}

void add_semaphore(const Call& c, const VkSemaphore& semaphore, std::uint64_t value, HostSync& to) {
  to.semaphores.push_back({.semaphore = c.id(&semaphore), .value = value});
}

void wait_semaphores(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkWaitSemaphores>();
  const VkSemaphoreWaitInfo& info = *a.pWaitInfo;
  for (std::uint32_t i = 0; i < info.semaphoreCount; ++i)
    add_semaphore(c, info.pSemaphores[i], value_at(info.pValues, info.semaphoreCount, i), to);
  to.all = (info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) == 0 || info.semaphoreCount == 1;
  to.timeout = a.timeout;
}

void poll_semaphore(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkGetSemaphoreCounterValue>();
  add_semaphore(c, a.semaphore, a.pValue != nullptr ? *a.pValue : 0, to);
  to.succeeded = to.succeeded && a.pValue != nullptr;
}

void signal_semaphore(const Call& c, HostSync& to) {
  const VkSemaphoreSignalInfo& info = *c.as<args_vkSignalSemaphore>().pSignalInfo;
  add_semaphore(c, info.semaphore, info.value, to);
}

void export_semaphore(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkGetSemaphoreFdKHR>();
  add_semaphore(c, a.pGetFdInfo->semaphore, 0, to);
  to.is_shared = a.pGetFdInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  to.was_signalled = !to.is_shared && a.pFd != nullptr && *a.pFd == -1;
}

void import_semaphore(const Call& c, HostSync& to) {
  const VkImportSemaphoreFdInfoKHR& info = *c.as<args_vkImportSemaphoreFdKHR>().pImportSemaphoreFdInfo;
  add_semaphore(c, info.semaphore, 0, to);
  to.is_shared = info.handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  to.was_signalled = !to.is_shared && info.fd == -1;
}

void wait_queue(const Call& c, HostSync& to) { to.queue = c.dispatch; }

void wait_device(const Call&, HostSync&) {}

void set_event(const Call& c, HostSync& to) {
  to.event = c.id(&c.as<args_vkSetEvent>().event);
  to.is_set = true;
}

void reset_event(const Call& c, HostSync& to) { to.event = c.id(&c.as<args_vkResetEvent>().event); }

void poll_event(const Call& c, HostSync& to) {
  to.event = c.id(&c.as<args_vkGetEventStatus>().event);
  to.succeeded = c.succeeded && (to.result == VK_EVENT_SET || to.result == VK_EVENT_RESET);
  to.is_set = to.succeeded && to.result == VK_EVENT_SET;
}

// With VK_QUERY_RESULT_PARTIAL_BIT alone, VK_SUCCESS does not say that the results are there.
void query_results(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkGetQueryPoolResults>();
  to.query_pool = c.id(&a.queryPool);
  to.first_query = a.firstQuery;
  to.query_count = a.queryCount;
  to.waits_for_queries = (a.flags & VK_QUERY_RESULT_WAIT_BIT) != 0;
  to.succeeded = to.succeeded && (to.waits_for_queries || (a.flags & VK_QUERY_RESULT_PARTIAL_BIT) == 0);
}

void acquire(const Call& c, HostSync& to, const VkSwapchainKHR& swapchain, const VkSemaphore& semaphore,
             const VkFence& fence, const std::uint32_t* image) {
  to.swapchain = c.id(&swapchain);
  to.succeeded = c.succeeded && (to.result == VK_SUCCESS || to.result == VK_SUBOPTIMAL_KHR);
  if (to.succeeded && image != nullptr) to.image = *image;
  if (semaphore != VK_NULL_HANDLE) add_semaphore(c, semaphore, 0, to);
  if (fence != VK_NULL_HANDLE) add_fences(c, &fence, 1, to);
}

void acquire_image(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkAcquireNextImageKHR>();
  to.timeout = a.timeout;
  acquire(c, to, a.swapchain, a.semaphore, a.fence, a.pImageIndex);
}

void acquire_image_2(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkAcquireNextImage2KHR>();
  const VkAcquireNextImageInfoKHR& info = *a.pAcquireInfo;
  to.timeout = info.timeout;
  acquire(c, to, info.swapchain, info.semaphore, info.fence, a.pImageIndex);
}

void wait_present(const Call& c, HostSync& to) {
  const auto& a = c.as<args_vkWaitForPresentKHR>();
  to.swapchain = c.id(&a.swapchain);
  to.present_id = a.presentId;
  to.timeout = a.timeout;
  to.succeeded = c.succeeded && (to.result == VK_SUCCESS || to.result == VK_SUBOPTIMAL_KHR);
}

void found_work_ended(const Call& c, HostSync& to) {
  const auto& a = c.as<args_rondoWorkEnded>();
  to.queue = c.dispatch;
  to.ended = a.ended;
  to.pending = a.pending;
  to.is_unsure = a.unsure != VK_FALSE;
}

void found_event_set(const Call& c, HostSync& to) {
  to.queue = c.dispatch;
  to.event = c.id(&c.as<args_rondoEventSet>().event);
  to.is_set = true;
}

struct Row {
  CommandId command;
  Kind kind;
  Fill fill;
};
constexpr Row kRows[] = {
    {CommandId::vkWaitForFences, Kind::wait_fences, wait_fences},
    {CommandId::vkGetFenceStatus, Kind::poll_fence, poll_fence},
    {CommandId::vkResetFences, Kind::reset_fences, reset_fences},
    {CommandId::vkGetFenceFdKHR, Kind::export_fence, export_fence},
    {CommandId::vkImportFenceFdKHR, Kind::import_fence, import_fence},
    {CommandId::vkWaitSemaphores, Kind::wait_semaphores, wait_semaphores},
    {CommandId::vkGetSemaphoreCounterValue, Kind::poll_semaphore, poll_semaphore},
    {CommandId::vkSignalSemaphore, Kind::signal_semaphore, signal_semaphore},
    {CommandId::vkGetSemaphoreFdKHR, Kind::export_semaphore, export_semaphore},
    {CommandId::vkImportSemaphoreFdKHR, Kind::import_semaphore, import_semaphore},
    {CommandId::vkQueueWaitIdle, Kind::wait_queue, wait_queue},
    {CommandId::vkDeviceWaitIdle, Kind::wait_device, wait_device},
    {CommandId::vkSetEvent, Kind::set_event, set_event},
    {CommandId::vkResetEvent, Kind::reset_event, reset_event},
    {CommandId::vkGetEventStatus, Kind::poll_event, poll_event},
    {CommandId::vkGetQueryPoolResults, Kind::query_results, query_results},
    {CommandId::vkAcquireNextImageKHR, Kind::acquire_image, acquire_image},
    {CommandId::vkAcquireNextImage2KHR, Kind::acquire_image, acquire_image_2},
    {CommandId::vkWaitForPresentKHR, Kind::wait_present, wait_present},
    {CommandId::rondoDeviceIdle, Kind::found_device_idle, wait_device},
    {CommandId::rondoWorkEnded, Kind::found_work_ended, found_work_ended},
    {CommandId::rondoEventSet, Kind::found_event_set, found_event_set},
};

// Null: the command is none of these.
const Row* row_of(CommandId canonical) {
  static const std::vector<const Row*> by_command = [] {
    std::vector<const Row*> table(codec::commands().size(), nullptr);
    for (const Row& row : kRows) table[static_cast<std::size_t>(row.command)] = &row;
    return table;
  }();
  const auto index = static_cast<std::size_t>(canonical);
  RONDO_CHECK(index < by_command.size());
  return by_command[index];
}

// The presentation engine rejected the present. Its waits for semaphores are made all the same ("vkQueuePresentKHR").
bool waits_though_rejected(VkResult result) {
  return result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_ERROR_SURFACE_LOST_KHR ||
         result == VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT;
}

PresentedImage image_of(const Call& c, const VkPresentInfoKHR& info, std::uint32_t i) {
  PresentedImage to;
  to.swapchain = c.id(&info.pSwapchains[i]);
  if (info.pImageIndices != nullptr) to.image = info.pImageIndices[i];
  if (info.pResults != nullptr)
    to.result = info.pResults[i];
  else if (info.swapchainCount == 1)
    to.result = result_of(c);
  const auto* fences =
      find_chained<VkSwapchainPresentFenceInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  if (fences != nullptr && fences->pFences != nullptr && i < fences->swapchainCount)
    to.fence = c.id(&fences->pFences[i]);
  const auto* ids = find_chained<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
  if (ids != nullptr) to.present_id = value_at(ids->pPresentIds, ids->swapchainCount, i);
  return to;
}

}  // namespace

bool Submits::reads(CommandId canonical) {
  switch (canonical) {
    case CommandId::vkQueueSubmit:
    case CommandId::vkQueueSubmit2:
    case CommandId::vkQueueBindSparse:
    case CommandId::vkQueuePresentKHR:
    case CommandId::vkCreateSemaphore:
      return true;
    default:
      return row_of(canonical) != nullptr;
  }
}

void Submits::take(const Call& c) {
  RONDO_CHECK(c.sequence > last_record_);
  last_record_ = c.sequence;
  switch (c.command.canonical) {
    case CommandId::vkQueueSubmit:
      if (c.second == nullptr) {
        Call second(c);
        RONDO_CHECK(second_.take(c.command.canonical, c.args));
        second.second = &second_;
        submit(second);
        break;
      }
      [[fallthrough]];
    case CommandId::vkQueueSubmit2:
      submit(c);
      break;
    case CommandId::vkQueueBindSparse:
      if (c.succeeded) bind_sparse(c);
      break;
    case CommandId::vkQueuePresentKHR:
      if (c.succeeded || waits_though_rejected(result_of(c))) present(c);
      break;
    case CommandId::vkCreateSemaphore:
      make_semaphore(c);
      break;
    case CommandId::rondoCut:
      submits_ = 0;
      is_in_front_ = false;
      break;
    default:
      if (const Row* const row = row_of(c.command.canonical); row != nullptr) {
        HostSync sync;
        sync.kind = row->kind;
        sync.record = c.sequence;
        sync.device = device_of(c);
        sync.result = result_of(c);
        sync.succeeded = c.succeeded && sync.result == VK_SUCCESS;
        row->fill(c, sync);
        host(sync);
      }
      break;
  }
  for (const ObjectId id : c.ended) {
    timelines_.erase(id);
    sink_.ended(id);
  }
}

void Submits::submit(const Call& c) {
  const auto& a = c.as<args_vkQueueSubmit2>();
  const ObjectId fence = c.id(&a.fence);
  for (std::uint32_t i = 0; c.succeeded && i < a.submitCount; ++i) {
    const VkSubmitInfo2& info = a.pSubmits[i];
    begin(c, Batch::Kind::commands, i);
    if (!is_in_front_) batch_.submit = submits_ + i;
    for (std::uint32_t k = 0; k < info.waitSemaphoreInfoCount; ++k) {
      const VkSemaphoreSubmitInfo& one = info.pWaitSemaphoreInfos[k];
      batch_.waits.push_back(use(c, one.semaphore, one.value, one.stageMask));
    }
    for (std::uint32_t k = 0; k < info.commandBufferInfoCount; ++k)
      batch_.command_buffers.push_back(c.id(&info.pCommandBufferInfos[k].commandBuffer));
    for (std::uint32_t k = 0; k < info.signalSemaphoreInfoCount; ++k) {
      const VkSemaphoreSubmitInfo& one = info.pSignalSemaphoreInfos[k];
      batch_.signals.push_back(use(c, one.semaphore, one.value, one.stageMask));
    }
    if (i + 1 == a.submitCount) batch_.fence = fence;
    give();
  }
  submits_ += a.submitCount;
  if (c.succeeded && a.submitCount == 0) give_fence(c, Batch::Kind::commands, fence);
}

void Submits::bind_sparse(const Call& c) {
  const auto& a = c.as<args_vkQueueBindSparse>();
  const ObjectId fence = c.id(&a.fence);
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    const VkBindSparseInfo& info = a.pBindInfo[i];
    const auto* chained =
        find_chained<VkTimelineSemaphoreSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkTimelineSemaphoreSubmitInfo none{};
    const VkTimelineSemaphoreSubmitInfo& values = chained != nullptr ? *chained : none;
    begin(c, Batch::Kind::sparse_bind, i);
    for (std::uint32_t k = 0; k < info.waitSemaphoreCount; ++k)
      batch_.waits.push_back(use(c, info.pWaitSemaphores[k],
                                 value_at(values.pWaitSemaphoreValues, values.waitSemaphoreValueCount, k),
                                 VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
    for (std::uint32_t k = 0; k < info.signalSemaphoreCount; ++k)
      batch_.signals.push_back(use(c, info.pSignalSemaphores[k],
                                   value_at(values.pSignalSemaphoreValues, values.signalSemaphoreValueCount, k),
                                   VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
    if (i + 1 == a.bindInfoCount) batch_.fence = fence;
    give();
  }
  if (a.bindInfoCount == 0) give_fence(c, Batch::Kind::sparse_bind, fence);
}

void Submits::present(const Call& c) {
  const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
  begin(c, Batch::Kind::present, 0);
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    batch_.waits.push_back(use(c, info.pWaitSemaphores[i], 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) batch_.images.push_back(image_of(c, info, i));
  give();
}

void Submits::make_semaphore(const Call& c) {
  const ObjectId id = c.created();
  if (!c.succeeded || id == ObjectId::null) return;
  const auto* type = find_chained<VkSemaphoreTypeCreateInfo>(c.as<args_vkCreateSemaphore>().pCreateInfo->pNext,
                                                             VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) {
    timelines_.erase(id);  // a file may say that a live handle was made again
    return;
  }
  timelines_.insert(id);
  HostSync sync;
  sync.kind = Kind::make_semaphore;
  sync.record = c.sequence;
  sync.device = device_of(c);
  sync.succeeded = true;
  sync.semaphores.push_back({.semaphore = id, .value = type->initialValue});
  host(sync);
}

void Submits::host(HostSync& sync) {
  for (SemaphoreUse& one : sync.semaphores) {
    one.timeline = is_timeline(one.semaphore);
    if (!one.timeline) one.value = 0;
  }
  sink_.host(sync);
}

void Submits::begin(const Call& c, Batch::Kind kind, std::uint32_t index) {
  RONDO_CHECK(index == 0 || (batch_.record == c.sequence && batch_.index + 1 == index));
  batch_.kind = kind;
  batch_.record = c.sequence;
  batch_.index = index;
  batch_.number = batches_;
  batch_.submit = Batch::kNoSubmit;
  batch_.queue = c.dispatch;
  batch_.device = device_of(c);
  batch_.waits.clear();
  batch_.signals.clear();
  batch_.command_buffers.clear();
  batch_.images.clear();
  batch_.fence = ObjectId::null;
}

void Submits::give() {
  RONDO_CHECK(batch_.number == batches_);
  ++batches_;
  sink_.batch(batch_);
}

void Submits::give_fence(const Call& c, Batch::Kind kind, ObjectId fence) {
  if (fence == ObjectId::null) return;
  begin(c, kind, 0);
  batch_.fence = fence;
  give();
}

SemaphoreUse Submits::use(const Call& c, const VkSemaphore& semaphore, std::uint64_t value,
                          VkPipelineStageFlags2 stages) const {
  const ObjectId id = c.id(&semaphore);
  const bool timeline = is_timeline(id);
  return {id, timeline, timeline ? value : 0, stages};
}

}  // namespace rondo::model
