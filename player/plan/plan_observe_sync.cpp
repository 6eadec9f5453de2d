// SPDX-License-Identifier: Apache-2.0
// The semaphores that submits, presents, acquires and the host wait for and
// signal: SyncModel's input.
#include <span>

#include "generated/args.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

SyncPoint PlanBuilder::sync_point(const VkSemaphore* semaphore, std::uint64_t value) {
  const ObjectId id = view_.id(semaphore);
  const bool timeline = timelines_.count(id) != 0;
  return {id, timeline ? value : 1, timeline};
}

namespace {

constexpr char kShared[] = " with a handle that is no sync fd: what others signal through it is not in the capture";
constexpr auto kSyncSemaphore = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
constexpr auto kSyncFence = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;

}  // namespace

const char* PlanBuilder::shared_payload(const codec::CommandInfo& command) const {
  bool shared = false;
  switch (command.canonical) {
    case CommandId::vkGetSemaphoreFdKHR:
      shared = view_.as<args_vkGetSemaphoreFdKHR>().pGetFdInfo->handleType != kSyncSemaphore;
      break;
    case CommandId::vkImportSemaphoreFdKHR:
      shared = view_.as<args_vkImportSemaphoreFdKHR>().pImportSemaphoreFdInfo->handleType != kSyncSemaphore;
      break;
    case CommandId::vkGetFenceFdKHR:
      shared = view_.as<args_vkGetFenceFdKHR>().pGetFdInfo->handleType != kSyncFence;
      break;
    case CommandId::vkImportFenceFdKHR:
      shared = view_.as<args_vkImportFenceFdKHR>().pImportFenceFdInfo->handleType != kSyncFence;
      break;
    default:
      break;
  }
  return shared ? kShared : nullptr;
}

// What is put in front of the op. An export is of the queue that gives the signal, as if
// that waited for it.
void PlanBuilder::note_payloads() {
  Plan& plan = *plan_;
  const auto at = static_cast<std::uint32_t>(plan.ops.size() - 1);
  for (const Settle& settle : validity_.settles()) {
    if (settle.payload == Settle::Payload::none || settle.queue == ObjectId::null) continue;
    SyncStep step;
    step.op = at;
    step.queue = settle.queue;
    step.first_wait = static_cast<std::uint32_t>(plan.sync_points.size());
    if (settle.payload == Settle::Payload::is_due) {
      plan.sync_points.push_back(payload_of(settle.exported));
    } else if (settle.payload == Settle::Payload::leaves && settle.semaphore != ObjectId::null) {
      plan.sync_points.push_back({settle.semaphore, 1, false});
    }
    step.waits = static_cast<std::uint32_t>(plan.sync_points.size()) - step.first_wait;
    step.first_signal = static_cast<std::uint32_t>(plan.sync_points.size());
    if (settle.payload == Settle::Payload::leaves) plan.sync_points.push_back(payload_of(at));
    if (settle.payload == Settle::Payload::comes) plan.sync_points.push_back({settle.semaphore, 1, false});
    step.signals = static_cast<std::uint32_t>(plan.sync_points.size()) - step.first_signal;
    plan.sync.push_back(step);
  }
}

// The op is the last one.
void PlanBuilder::note_observation() {
  Plan& plan = *plan_;
  const auto at = static_cast<std::uint32_t>(plan.ops.size() - 1);
  for (const std::uint32_t submit : validity_.seen.done_by) {
    plan.observations.push_back({at, submit, true});
    plan.ops[submit].watched = true;
  }
  for (const std::uint32_t submit : validity_.seen.undone_by) plan.observations.push_back({at, submit, false});
}

// Called behind emit(): the op is the last one.
void PlanBuilder::note_sync(const codec::CommandInfo& command, const Op& op) {
  Plan& plan = *plan_;
  note_payloads();
  std::vector<SyncPoint> waits, signals;
  const auto add = [&](std::vector<SyncPoint>& to, const VkSemaphore* semaphore, std::uint64_t value) {
    if (const SyncPoint point = sync_point(semaphore, value); point.semaphore != ObjectId::null) to.push_back(point);
  };
  const auto step = [&](ObjectId queue) {
    SyncStep s;
    s.op = static_cast<std::uint32_t>(plan.ops.size() - 1);
    s.queue = queue;
    s.first_wait = static_cast<std::uint32_t>(plan.sync_points.size());
    s.waits = static_cast<std::uint32_t>(waits.size());
    plan.sync_points.insert(plan.sync_points.end(), waits.begin(), waits.end());
    s.first_signal = static_cast<std::uint32_t>(plan.sync_points.size());
    s.signals = static_cast<std::uint32_t>(signals.size());
    plan.sync_points.insert(plan.sync_points.end(), signals.begin(), signals.end());
    if (s.waits + s.signals != 0) plan.sync.push_back(s);
    waits.clear();
    signals.clear();
  };
  // Of those that name their timelines' values in a chained structure.
  const auto batches = [&](const auto& all) {
    for (const auto& batch : all) {
      const auto* values =
          find_chained<VkTimelineSemaphoreSubmitInfo>(batch.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
      const auto value = [](const std::uint64_t* given, std::uint32_t count, std::uint32_t i) {
        return given != nullptr && i < count ? given[i] : 0;
      };
      for (std::uint32_t i = 0; i < batch.waitSemaphoreCount; ++i)
        add(waits, &batch.pWaitSemaphores[i],
            values == nullptr ? 0 : value(values->pWaitSemaphoreValues, values->waitSemaphoreValueCount, i));
      for (std::uint32_t i = 0; i < batch.signalSemaphoreCount; ++i)
        add(signals, &batch.pSignalSemaphores[i],
            values == nullptr ? 0 : value(values->pSignalSemaphoreValues, values->signalSemaphoreValueCount, i));
      step(op.dispatch);
    }
  };
  switch (command.canonical) {
    case CommandId::vkCreateSemaphore: {
      const auto* info = view_.as<args_vkCreateSemaphore>().pCreateInfo;
      const auto* type = info == nullptr ? nullptr
                                         : find_chained<VkSemaphoreTypeCreateInfo>(
                                               info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
      if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE || op.subject == ObjectId::null) break;
      timelines_.insert(op.subject);
      signals.push_back({op.subject, type->initialValue, true});
      step(ObjectId::null);
      break;
    }
    case CommandId::vkSignalSemaphore: {
      const auto* info = view_.as<args_vkSignalSemaphore>().pSignalInfo;
      if (info == nullptr) break;
      add(signals, &info->semaphore, info->value);
      step(ObjectId::null);
      break;
    }
    case CommandId::vkAcquireNextImageKHR: {
      const auto& args = view_.as<args_vkAcquireNextImageKHR>();
      add(signals, &args.semaphore, 1);
      step(view_.id(&args.swapchain));
      break;
    }
    case CommandId::vkAcquireNextImage2KHR: {
      const VkAcquireNextImageInfoKHR& info = *view_.as<args_vkAcquireNextImage2KHR>().pAcquireInfo;
      add(signals, &info.semaphore, 1);
      step(view_.id(&info.swapchain));
      break;
    }
    case CommandId::vkQueuePresentKHR: {
      const VkPresentInfoKHR& info = *view_.as<args_vkQueuePresentKHR>().pPresentInfo;
      for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i) add(waits, &info.pWaitSemaphores[i], 1);
      step(op.dispatch);
      break;
    }
    case CommandId::vkQueueSubmit: {
      const auto& args = view_.as<args_vkQueueSubmit>();
      batches(std::span(args.pSubmits, args.submitCount));
      break;
    }
    case CommandId::vkQueueBindSparse: {
      const auto& args = view_.as<args_vkQueueBindSparse>();
      batches(std::span(args.pBindInfo, args.bindInfoCount));
      break;
    }
    case CommandId::vkQueueSubmit2: {
      const auto& args = view_.as<args_vkQueueSubmit2>();
      for (std::uint32_t s = 0; s < args.submitCount; ++s) {
        const VkSubmitInfo2& batch = args.pSubmits[s];
        for (std::uint32_t i = 0; i < batch.waitSemaphoreInfoCount; ++i)
          add(waits, &batch.pWaitSemaphoreInfos[i].semaphore, batch.pWaitSemaphoreInfos[i].value);
        for (std::uint32_t i = 0; i < batch.signalSemaphoreInfoCount; ++i)
          add(signals, &batch.pSignalSemaphoreInfos[i].semaphore, batch.pSignalSemaphoreInfos[i].value);
        step(op.dispatch);
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace rondo::player
