// SPDX-License-Identifier: Apache-2.0
// Fences and binary semaphores: a wait for what nothing signals would never
// end. Timelines may be signalled later (sync_model.h). And what waits tell of
// the work that has ended (work.h).
#include <algorithm>
#include <span>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

Wrong create_fence(Validity& v, const Call& c) {
  const VkFenceCreateInfo& info = *c.as<args_vkCreateFence>().pCreateInfo;
  if (const ObjectId id = c.created(); id != ObjectId::null)
    v.fences.make(id).signals = (info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
  return {};
}

Wrong never_signalled(Validity& v, ObjectId fence) { return "waits for " + v.name(fence) + ", which nothing signals"; }

bool signals(Validity& v, ObjectId id) {
  const Fence* fence = v.fences.find(id);
  return fence == nullptr || fence->signals;
}

// A wait of the capture: its work had ended.
Wrong ended(Validity& v, Place place) {
  if (!v.work.running(place)) return {};
  if (Wrong w = v.never_ends(place); !w.empty()) return w;
  v.work.finish(place);
  return {};
}

Wrong was_signalled(Validity& v, ObjectId id) {
  Fence* fence = v.fences.find(id);
  if (fence == nullptr || !fence->signals) return {};
  return fence->sources.empty() ? ended(v, fence->place) : saw_imported(v, *fence);
}

Wrong wait_fences(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkWaitForFences>();
  bool any = a.fenceCount == 0;
  for (std::uint32_t i = 0; i < a.fenceCount; ++i) {
    const ObjectId id = c.id(&a.pFences[i]);
    any = any || signals(v, id);
    if (a.waitAll != VK_FALSE && !signals(v, id)) return never_signalled(v, id);
  }
  if (!any) return never_signalled(v, c.id(&a.pFences[0]));
  for (std::uint32_t i = 0; i < a.fenceCount && (a.waitAll != VK_FALSE || a.fenceCount == 1); ++i)
    if (Wrong w = was_signalled(v, c.id(&a.pFences[i])); !w.empty()) return w;
  return {};
}

Wrong fence_status(Validity& v, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetFenceStatus>().fence);
  if (!signals(v, id)) return never_signalled(v, id);
  return was_signalled(v, id);
}

Wrong reset_fences(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkResetFences>();
  for (std::uint32_t i = 0; i < a.fenceCount; ++i)
    if (Fence* fence = v.fences.find(c.id(&a.pFences[i])); fence != nullptr) {
      if (fence->signals) v.needs_end(fence->place);
      *fence = {};
    }
  return {};
}

// In front of the batches that it is given with.
void make_unsignalled(Validity& v, ObjectId id) {
  Fence* fence = v.fences.find(id);
  if (fence == nullptr || !fence->signals) return;
  v.needs_end(fence->place);
  v.needs_reset(id);
  *fence = {};
}

void give(Validity& v, ObjectId id, Place place) {
  Fence* fence = v.fences.find(id);
  if (fence == nullptr) return;
  fence->signals = true;
  fence->place = place;
  v.work.use(id, place);
}

Wrong create_semaphore(Validity& v, const Call& c) {
  const VkSemaphoreCreateInfo& info = *c.as<args_vkCreateSemaphore>().pCreateInfo;
  const auto* type = find_chained<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    Semaphore& semaphore = v.semaphores.make(id);
    semaphore.timeline = type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    if (type != nullptr) semaphore.value = type->initialValue;
    if (semaphore.timeline) semaphore.given.push_back({semaphore.value, {}});
  }
  return {};
}

Wrong wait(Validity& v, ObjectId id, std::uint64_t value, Place place) {
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr) return {};
  v.work.use(id, place);
  if (semaphore->timeline) {
    for (const Semaphore::Signal& signal : semaphore->given) {
      v.work.depend(place, signal.place);
      if (signal.value >= value) break;  // values only grow
    }
    return {};
  }
  if (semaphore->imported) return take_imported(v, id, place);
  if (semaphore->signals == 0) return "waits for " + v.name(id) + ", which nothing signals";
  semaphore->signals = 0;
  if (!semaphore->given.empty()) v.work.depend(place, semaphore->given[0].place);
  return {};
}

Wrong signal_timeline(Validity& v, ObjectId id, Semaphore& semaphore, std::uint64_t value, Place place) {
  std::vector<Semaphore::Signal>& given = semaphore.given;
  // The last that has happened is enough of those.
  std::size_t happened = 0;
  while (happened < given.size() && !v.work.running(given[happened].place)) ++happened;
  if (happened > 1) given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(happened - 1));
  auto at = given.end();
  for (; at != given.begin() && (at - 1)->value >= value; --at)
    if (!v.work.running((at - 1)->place) || (at - 1)->place.queue == place.queue)
      return "signals " + std::to_string(value) + " of " + v.name(id) + ", which reached " +
             std::to_string((at - 1)->value) + " before";
  given.insert(at, {value, place});
  semaphore.value = std::max(semaphore.value, value);
  return {};
}

Wrong signal(Validity& v, ObjectId id, std::uint64_t value, Place place) {
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr) return {};
  v.work.use(id, place);
  if (semaphore->timeline) return signal_timeline(v, id, *semaphore, value, place);
  // A second signal changes nothing; drivers may take it for an error.
  if (semaphore->signals != 0 && place.queue != ObjectId::null) v.needs_drain(place.queue, id);
  semaphore->signals = 1;
  semaphore->given.assign(1, {1, place});
  return {};
}

// The host waited for it: what leads there was recorded before.
bool reaches(Validity& v, ObjectId id, std::uint64_t value) {
  const Semaphore* semaphore = v.semaphores.find(id);
  return semaphore == nullptr || semaphore->value >= value;
}
Wrong never_reached(Validity& v, ObjectId id, std::uint64_t value) {
  return "waits for " + std::to_string(value) + " of " + v.name(id) + ", which nothing signals";
}

// What the program saw of a timeline has happened.
Wrong was_reached(Validity& v, ObjectId id, std::uint64_t value) {
  const Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr || !semaphore->timeline) return {};
  for (const Semaphore::Signal& signal : semaphore->given) {
    if (Wrong w = ended(v, signal.place); !w.empty()) return w;
    if (signal.value >= value) break;
  }
  return {};
}

// The submit that stands for it goes to the queue that presents (exec_swapchain.cpp),
// which may be known later only: the swapchain stands for it.
Wrong acquire_image(Validity& v, ObjectId swapchain, ObjectId semaphore, ObjectId fence) {
  const ObjectId queue = v.plan().queue_of_presents(swapchain);
  make_unsignalled(v, fence);
  const Place place = v.work.next(queue != ObjectId::null ? queue : swapchain);
  give(v, fence, place);
  return signal(v, semaphore, 0, place);
}
Wrong acquire(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkAcquireNextImageKHR>();
  return acquire_image(v, c.id(&a.swapchain), c.id(&a.semaphore), c.id(&a.fence));
}
Wrong acquire_2(Validity& v, const Call& c) {
  const VkAcquireNextImageInfoKHR& info = *c.as<args_vkAcquireNextImage2KHR>().pAcquireInfo;
  return acquire_image(v, c.id(&info.swapchain), c.id(&info.semaphore), c.id(&info.fence));
}

void note_id(Validity& v, ObjectId swapchain, std::uint64_t id, Place place) {
  if (id == 0) return;
  Presents* presents = v.presents.find(swapchain);
  if (presents == nullptr) presents = &v.presents.make(swapchain);
  auto& given = presents->given;
  std::size_t done = 0;
  while (done < given.size() && !v.work.running(given[done].place)) ++done;
  if (done > 1) given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(done - 1));
  given.push_back({id, place});
  if (presents->first == 0) presents->first = id;
}

// Its swapchains presented before, and all of that is done.
Wrong begin_cut(Validity& v, const Call&) {
  const ByObject<Object>& objects = v.plan().objects.objects();
  for (const ObjectId id : all_ids(objects.size()))
    if (objects[id].type == HandleType::VkSwapchainKHR && objects[id].destroyed == 0) v.presents.make(id).older = true;
  return {};
}

// A wait of the capture that succeeded: that present was made, and what it waited for had ended.
Wrong wait_for_present(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkWaitForPresentKHR>();
  const ObjectId swapchain = c.id(&a.swapchain);
  if (const Presents* presents = v.presents.find(swapchain); presents != nullptr) {
    if (presents->older && (presents->first == 0 || a.presentId < presents->first)) {
      v.skip();
      return {};
    }
    for (const Presents::Present& one : presents->given)
      if (one.id >= a.presentId) return ended(v, one.place);
  }
  return "waits for present " + std::to_string(a.presentId) + " of " + v.name(swapchain) + ", which was not made";
}

Wrong present(Validity& v, const Call& c) {
  const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
  const auto* fences =
      find_chained<VkSwapchainPresentFenceInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  const std::uint32_t signalled = fences != nullptr && fences->pFences != nullptr ? fences->swapchainCount : 0;
  for (std::uint32_t i = 0; i < signalled; ++i) {
    const ObjectId id = c.id(&fences->pFences[i]);
    for (std::uint32_t k = 0; id != ObjectId::null && k < i; ++k)
      if (c.id(&fences->pFences[k]) == id) return v.name(id) + " is signalled twice";
    make_unsignalled(v, id);
  }
  const Place place = v.work.next(c.dispatch());
  for (std::uint32_t i = 0; i < signalled; ++i) give(v, c.id(&fences->pFences[i]), place);
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    if (const Semaphore* one = v.semaphores.find(c.id(&info.pWaitSemaphores[i])); one != nullptr && one->timeline)
      return "waits for " + v.name(c.id(&info.pWaitSemaphores[i])) + ", a timeline semaphore";
    else if (Wrong w = wait(v, c.id(&info.pWaitSemaphores[i]), 0, place); !w.empty())
      return w;
  if (const auto* ids = find_chained<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
      ids != nullptr && ids->pPresentIds != nullptr)
    for (std::uint32_t i = 0; i < std::min(info.swapchainCount, ids->swapchainCount); ++i)
      note_id(v, c.id(&info.pSwapchains[i]), ids->pPresentIds[i], place);
  return {};
}

Wrong queue_idle(Validity& v, const Call& c) {
  if (Wrong w = v.never_ends({c.dispatch(), UINT64_MAX}); !w.empty()) return w;
  v.work.finish_queue(c.dispatch());
  return {};
}

Wrong device_idle(Validity& v, const Call& c) {
  const ByObject<Object>& objects = v.plan().objects.objects();
  for (const ObjectId id : all_ids(v.any_waits_for_event() ? objects.size() : 0))
    if (objects[id].type == HandleType::VkQueue && objects[id].device == c.dispatch())
      if (Wrong w = v.never_ends({id, UINT64_MAX}); !w.empty()) return w;
  v.work.finish_device(c.dispatch(), v.plan().objects.objects());
  return {};
}

// Of timelines only.
Wrong needs_timeline(Validity& v, ObjectId id) {
  const Semaphore* semaphore = v.semaphores.find(id);
  return semaphore != nullptr && !semaphore->timeline ? v.name(id) + " is no timeline semaphore" : Wrong();
}
Wrong host_signal(Validity& v, const Call& c) {
  const VkSemaphoreSignalInfo& info = *c.as<args_vkSignalSemaphore>().pSignalInfo;
  const ObjectId id = c.id(&info.semaphore);
  if (Wrong w = needs_timeline(v, id); !w.empty()) return w;
  return signal(v, id, info.value, {});
}
Wrong counter_value(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetSemaphoreCounterValue>();
  const ObjectId id = c.id(&a.semaphore);
  if (Wrong w = needs_timeline(v, id); !w.empty()) return w;
  if (a.pValue == nullptr) return {};
  if (!reaches(v, id, *a.pValue)) return never_reached(v, id, *a.pValue);
  return was_reached(v, id, *a.pValue);
}
Wrong host_wait(Validity& v, const Call& c) {
  const VkSemaphoreWaitInfo& info = *c.as<args_vkWaitSemaphores>().pWaitInfo;
  const bool one_is_enough = (info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0;
  bool any = info.semaphoreCount == 0;
  for (std::uint32_t i = 0; i < info.semaphoreCount; ++i) {
    const ObjectId id = c.id(&info.pSemaphores[i]);
    if (Wrong w = needs_timeline(v, id); !w.empty()) return w;
    const bool will = reaches(v, id, info.pValues[i]);
    if (!will && !one_is_enough) return never_reached(v, id, info.pValues[i]);
    any = any || will;
  }
  if (!any) return never_reached(v, c.id(&info.pSemaphores[0]), info.pValues[0]);
  for (std::uint32_t i = 0; i < info.semaphoreCount && (!one_is_enough || info.semaphoreCount == 1); ++i)
    if (Wrong w = was_reached(v, c.id(&info.pSemaphores[i]), info.pValues[i]); !w.empty()) return w;
  return {};
}

// A driver reads a value for each timeline.
template <class Batch>
Wrong check_values(Validity& v, const Call& c, const Batch& batch, const VkTimelineSemaphoreSubmitInfo* values) {
  const auto check = [&](const VkSemaphore* all, std::uint32_t count, const std::uint64_t* given,
                         std::uint32_t enough) -> Wrong {
    for (std::uint32_t i = 0; i < count; ++i)
      if (const Semaphore* one = v.semaphores.find(c.id(&all[i]));
          one != nullptr && one->timeline && (given == nullptr || i >= enough))
        return "has no value for " + v.name(c.id(&all[i])) + ", a timeline semaphore";
    return {};
  };
  if (Wrong w = check(batch.pWaitSemaphores, batch.waitSemaphoreCount,
                      values != nullptr ? values->pWaitSemaphoreValues : nullptr,
                      values != nullptr ? values->waitSemaphoreValueCount : 0);
      !w.empty())
    return w;
  return check(batch.pSignalSemaphores, batch.signalSemaphoreCount,
               values != nullptr ? values->pSignalSemaphoreValues : nullptr,
               values != nullptr ? values->signalSemaphoreValueCount : 0);
}

Wrong execute(Validity& v, const Call& c, const VkSubmitInfo& batch, Place place) {
  for (std::uint32_t i = 0; i < batch.commandBufferCount; ++i)
    if (Wrong w = submit_commands(v, c.id(&batch.pCommandBuffers[i]), place); !w.empty()) return w;
  return {};
}
Wrong execute(Validity& v, const Call& c, const VkBindSparseInfo& batch, Place place) {
  return bind_sparse(v, c, batch, place);
}

// Of the two that name their timelines' values in a chained structure.
template <class Batch>
Wrong follow_batch(Validity& v, const Call& c, const Batch& batch, Place place) {
  const auto* values =
      find_chained<VkTimelineSemaphoreSubmitInfo>(batch.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  if (Wrong w = check_values(v, c, batch, values); !w.empty()) return w;
  const auto value = [](const std::uint64_t* all, std::uint32_t count, std::uint32_t i) {
    return all != nullptr && i < count ? all[i] : 0;
  };
  for (std::uint32_t i = 0; i < batch.waitSemaphoreCount; ++i)
    if (Wrong w = wait(v, c.id(&batch.pWaitSemaphores[i]),
                       values == nullptr ? 0 : value(values->pWaitSemaphoreValues, values->waitSemaphoreValueCount, i),
                       place);
        !w.empty())
      return w;
  if (Wrong w = execute(v, c, batch, place); !w.empty()) return w;
  for (std::uint32_t i = 0; i < batch.signalSemaphoreCount; ++i)
    if (Wrong w = signal(
            v, c.id(&batch.pSignalSemaphores[i]),
            values == nullptr ? 0 : value(values->pSignalSemaphoreValues, values->signalSemaphoreValueCount, i), place);
        !w.empty())
      return w;
  return {};
}

Wrong follow_sparse(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkQueueBindSparse>();
  const ObjectId fence = c.id(&a.fence);
  make_unsignalled(v, fence);
  Place place;
  for (const VkBindSparseInfo& batch : std::span(a.pBindInfo, a.bindInfoCount)) {
    place = v.work.next(c.dispatch());
    if (Wrong w = follow_batch(v, c, batch, place); !w.empty()) return w;
  }
  if (fence != ObjectId::null) give(v, fence, place.queue != ObjectId::null ? place : v.work.next(c.dispatch()));
  return {};
}

}  // namespace

Wrong follow_submit(Validity& v, const Call& c) {
  const ObjectId queue = c.dispatch();
  Place place;
  ObjectId fence = ObjectId::null;
  if (c.command.canonical == CommandId::vkQueueSubmit) {
    const auto& a = c.as<args_vkQueueSubmit>();
    fence = c.id(&a.fence);
    make_unsignalled(v, fence);
    for (const VkSubmitInfo& batch : std::span(a.pSubmits, a.submitCount)) {
      place = v.work.next(queue);
      if (Wrong w = follow_batch(v, c, batch, place); !w.empty()) return w;
    }
  } else {
    const auto& a = c.as<args_vkQueueSubmit2>();
    fence = c.id(&a.fence);
    make_unsignalled(v, fence);
    for (std::uint32_t s = 0; s < a.submitCount; ++s) {
      const VkSubmitInfo2& batch = a.pSubmits[s];
      place = v.work.next(queue);
      for (std::uint32_t i = 0; i < batch.waitSemaphoreInfoCount; ++i) {
        const VkSemaphoreSubmitInfo& one = batch.pWaitSemaphoreInfos[i];
        if (Wrong w = wait(v, c.id(&one.semaphore), one.value, place); !w.empty()) return w;
      }
      for (std::uint32_t i = 0; i < batch.commandBufferInfoCount; ++i)
        if (Wrong w = submit_commands(v, c.id(&batch.pCommandBufferInfos[i].commandBuffer), place); !w.empty())
          return w;
      for (std::uint32_t i = 0; i < batch.signalSemaphoreInfoCount; ++i) {
        const VkSemaphoreSubmitInfo& one = batch.pSignalSemaphoreInfos[i];
        if (Wrong w = signal(v, c.id(&one.semaphore), one.value, place); !w.empty()) return w;
      }
    }
  }
  if (fence != ObjectId::null) {
    if (place.queue == ObjectId::null) place = v.work.next(queue);
    give(v, fence, place);
  }
  v.work.submitted(place);
  return {};
}

void add_sync_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateFence, create_fence);
  add(CommandId::vkWaitForFences, wait_fences);
  add(CommandId::vkGetFenceStatus, fence_status);
  add(CommandId::vkResetFences, reset_fences);
  add(CommandId::vkCreateSemaphore, create_semaphore);
  add(CommandId::vkAcquireNextImageKHR, acquire);
  add(CommandId::vkAcquireNextImage2KHR, acquire_2);
  add(CommandId::vkQueuePresentKHR, present);
  add(CommandId::vkWaitForPresentKHR, wait_for_present);
  add(CommandId::vkSignalSemaphore, host_signal);
  add(CommandId::vkGetSemaphoreCounterValue, counter_value);
  add(CommandId::vkWaitSemaphores, host_wait);
  add(CommandId::vkQueueBindSparse, follow_sparse);
  add(CommandId::vkQueueWaitIdle, queue_idle);
  add(CommandId::vkDeviceWaitIdle, device_idle);
  add(CommandId::rondoDeviceIdle, device_idle);
  add(CommandId::rondoPrelude, begin_cut);
  add(CommandId::rondoCut, begin_cut);
}

}  // namespace rondo::player::validity
