// SPDX-License-Identifier: Apache-2.0
#include "player/loop/looper.h"

#include <cstring>

#include "generated/args.h"
#include "generated/thunks.h"
#include "model/gpu/one_shot.h"

namespace rondo::player {

namespace {

template <class Handle>
Handle as_handle(std::uint64_t slot) {
  return reinterpret_cast<Handle>(slot);
}

}  // namespace

Looper::Looper(Run& run, const LoopPlan& plan, const LoopOptions& options)
    : run_(run),
      plan_(plan),
      options_(options),
      layouts_(run, plan.layouts),
      contents_(run, options.memory_budget),
      sets_(run),
      begin_(run.position()) {}

DeviceState& Looper::device_of(ObjectId id) {
  const Plan& plan = run_.plan();
  return *run_.device_at(plan.place_of(plan.objects.objects()[id].device));
}

Error Looper::failure(ObjectId id, const char* command, VkResult result) const {
  return {Status::failed, run_.plan().path + ": putting " + run_.plan().full_name(id) +
                              " back between iterations: " + gpu::describe(command, result)};
}

Result<void> Looper::keep() {
  RONDO_TRY(run_.idle());
  begin_ = run_.position();
  RONDO_TRY(keep_states());
  RONDO_TRY(sets_.keep(plan_.sets));
  RONDO_TRY(layouts_.prepare());
  return contents_.keep();
}

// Nothing works any more: all ids were reached.
void Looper::settle_presents(VirtualSwapchain& swapchain) {
  DeviceState& device = *run_.device_at(run_.plan().swapchains[swapchain.place].device);
  for (const VirtualSwapchain::Present& present : swapchain.presents) {
    swapchain.presented_id = std::max(swapchain.presented_id, present.id);
    device.dispatch.vkDestroyFence(device.handle, present.done, nullptr);
  }
  swapchain.presents.clear();
}

Result<void> Looper::keep_states() {
  for (const ObjectId id : plan_.fences) {
    const DeviceState& device = device_of(id);
    fences_.push_back(device.dispatch.vkGetFenceStatus(device.handle, as_handle<VkFence>(run_.slot(id))) == VK_SUCCESS);
  }
  for (const ObjectId id : plan_.events) {
    const DeviceState& device = device_of(id);
    events_.push_back(device.dispatch.vkGetEventStatus(device.handle, as_handle<VkEvent>(run_.slot(id))) ==
                      VK_EVENT_SET);
  }
  for (const ObjectId id : plan_.timelines) {
    const DeviceState& device = device_of(id);
    std::uint64_t value = 0;
    const VkResult r =
        device.dispatch.vkGetSemaphoreCounterValue(device.handle, as_handle<VkSemaphore>(run_.slot(id)), &value);
    if (r < 0) return tl::unexpected<Error>(failure(id, "vkGetSemaphoreCounterValue", r));
    timelines_.push_back(value);
  }
  for (const auto& swapchain : run_.swapchains()) {
    if (swapchain == nullptr) continue;
    settle_presents(*swapchain);
    presents_.emplace_back(swapchain.get(), swapchain->presented_id);
  }
  return {};
}

Result<void> Looper::restore() {
  RONDO_TRY(run_.idle());
  run_.skip_image_checks();
  // In front of what frees memory.
  if (puts_back("sparse")) RONDO_TRY(player::restore(run_, plan_.sparse));
  if (puts_back("objects")) RONDO_TRY(run_.release_objects(plan_.survivors));
  // A change of layout may write to an image's memory, so the contents come behind it.
  if (puts_back("layouts")) RONDO_TRY(layouts_.restore());
  if (!narrowed_) {
    RONDO_TRY(contents_.narrow());
    begin_.sync.make_room(run_.position().sync);
  }
  narrowed_ = true;
  if (puts_back("contents")) RONDO_TRY(contents_.restore());
  if (puts_back("contents")) RONDO_TRY(zero());
  if (puts_back("sets")) sets_.restore();
  if (puts_back("queries")) RONDO_TRY(restore_queries());
  if (puts_back("binaries")) RONDO_TRY(restore_binaries());
  if (puts_back("timelines")) RONDO_TRY(restore_timelines());
  if (puts_back("fences")) RONDO_TRY(restore_fences());
  if (puts_back("events")) RONDO_TRY(restore_events());
  if (puts_back("events")) RONDO_TRY(restore_device_events());
  RONDO_TRY(restore_recordings());
  if (puts_back("labels")) RONDO_TRY(restore_labels());
  if (puts_back("presents"))
    for (auto& [swapchain, id] : presents_) {
      settle_presents(*swapchain);
      swapchain->presented_id = id;
    }
  RONDO_TRY(run_.idle());
  run_.go_back(begin_);
  return {};
}

// As it was when it was fresh.
Result<void> Looper::zero() {
  for (const ObjectId id : plan_.zeroed) {
    const std::uint32_t place = run_.plan().place_of(id);
    if (place == kNone) continue;
    MemoryState& memory = run_.memory_at(place);
    DeviceState& device = device_of(id);
    if (memory.handle == VK_NULL_HANDLE) continue;
    if (memory.mapped == nullptr) {
      RONDO_TRY(run_.zero(device, memory, run_.placements().of[place].type));
      continue;
    }
    std::memset(memory.mapped, 0, memory.bytes);
    if (memory.coherent) continue;
    const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle, 0, VK_WHOLE_SIZE};
    if (const VkResult r = device.dispatch.vkFlushMappedMemoryRanges(device.handle, 1, &all); r < 0)
      return tl::unexpected<Error>(failure(id, "vkFlushMappedMemoryRanges", r));
  }
  return {};
}

Result<void> Looper::restore_binaries() {
  for (const LoopPlan::Binary& binary : plan_.binaries) {
    DeviceState& device = device_of(binary.semaphore);
    const auto semaphore = as_handle<VkSemaphore>(run_.slot(binary.semaphore));
    constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = binary.signalled ? 0 : 1;
    submit.pWaitSemaphores = &semaphore;
    submit.pWaitDstStageMask = &stage;
    submit.signalSemaphoreCount = binary.signalled ? 1 : 0;
    submit.pSignalSemaphores = &semaphore;
    const VkResult r = device.dispatch.vkQueueSubmit(device.service_queue, 1, &submit, VK_NULL_HANDLE);
    if (r < 0) return tl::unexpected<Error>(failure(binary.semaphore, "vkQueueSubmit", r));
  }
  return {};
}

// Values only grow: another one takes its place.
Result<void> Looper::restore_timelines() {
  for (std::size_t i = 0; i < plan_.timelines.size(); ++i) {
    const ObjectId id = plan_.timelines[i];
    DeviceState& device = device_of(id);
    const auto old = as_handle<VkSemaphore>(run_.slot(id));
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    type.initialValue = timelines_[i];
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkSemaphore fresh = VK_NULL_HANDLE;
    const VkResult r = device.dispatch.vkCreateSemaphore(device.handle, &info, nullptr, &fresh);
    if (r < 0) return tl::unexpected<Error>(failure(id, "vkCreateSemaphore", r));
    run_.await_timeline(device, id);
    device.dispatch.vkDestroySemaphore(device.handle, old, nullptr);
    run_.slot(id) = reinterpret_cast<std::uint64_t>(fresh);
  }
  return {};
}

Result<void> Looper::restore_fences() {
  for (std::size_t i = 0; i < plan_.fences.size(); ++i) {
    const ObjectId id = plan_.fences[i];
    DeviceState& device = device_of(id);
    const auto fence = as_handle<VkFence>(run_.slot(id));
    const bool signalled = device.dispatch.vkGetFenceStatus(device.handle, fence) == VK_SUCCESS;
    if (signalled == fences_[i]) continue;
    const VkResult r = signalled ? device.dispatch.vkResetFences(device.handle, 1, &fence)
                                 : device.dispatch.vkQueueSubmit(device.service_queue, 0, nullptr, fence);
    if (r < 0) return tl::unexpected<Error>(failure(id, signalled ? "vkResetFences" : "vkQueueSubmit", r));
  }
  return {};
}

template <class Record>
Result<void> Looper::by_commands(ObjectId of, const Record& record) {
  DeviceState& device = device_of(of);
  gpu::OneShot& commands = device.one_shot(device.service_family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  record(device.dispatch, *begun);
  return commands.submit_and_wait(device.service_queue, {});
}

template <class Otherwise>
Result<void> Looper::set_event(ObjectId event, const Otherwise& otherwise) {
  const auto found = plan_.setters.find(event);
  if (found == plan_.setters.end()) return otherwise();
  const Plan& plan = run_.plan();
  const Op& op = plan.ops[found->second.op];
  // What its barriers name may be gone.
  for (std::uint32_t i = 0; i < op.patches; ++i)
    if (const ObjectId id = plan.patches[op.first_patch + i].id; id != op.dispatch && run_.slot(id) == 0)
      return otherwise();
  return by_commands(event, [&](const Dispatch& vk, VkCommandBuffer commands) {
    std::vector<std::byte> args = run_.prepared_copy(op);
    if (op.command == CommandId::rondoEventSet) {  // of a cut
      const auto& a = *reinterpret_cast<const args_rondoEventSet*>(args.data());
      if (a.pDependencyInfo != nullptr)
        vk.vkCmdSetEvent2(commands, a.event, a.pDependencyInfo);
      else
        vk.vkCmdSetEvent(commands, a.event, a.stageMask);
      return;
    }
    std::memcpy(args.data(), &commands, sizeof commands);
    invoke(op.command, vk.at(op.command), args.data());
  });
}

Result<void> Looper::restore_events() {
  for (std::size_t i = 0; i < plan_.events.size(); ++i) {
    const ObjectId id = plan_.events[i];
    DeviceState& device = device_of(id);
    const auto event = as_handle<VkEvent>(run_.slot(id));
    const auto setter = plan_.setters.find(id);
    const bool again = setter != plan_.setters.end() && setter->second.changed;
    const bool set = device.dispatch.vkGetEventStatus(device.handle, event) == VK_EVENT_SET;
    if (set == events_[i] && !again) continue;
    const auto by_host = [&]() -> Result<void> {
      const VkResult r = events_[i] ? device.dispatch.vkSetEvent(device.handle, event)
                                    : device.dispatch.vkResetEvent(device.handle, event);
      if (r < 0) return tl::unexpected<Error>(failure(id, events_[i] ? "vkSetEvent" : "vkResetEvent", r));
      return {};
    };
    RONDO_TRY(events_[i] ? set_event(id, by_host) : by_host());
  }
  return {};
}

Result<void> Looper::restore_device_events() {
  for (const LoopPlan::DeviceEvent& event : plan_.device_events) {
    const auto by_any = [&] {
      return by_commands(event.event, [&](const Dispatch& vk, VkCommandBuffer commands) {
        const auto handle = as_handle<VkEvent>(run_.slot(event.event));
        (event.set ? vk.vkCmdSetEvent : vk.vkCmdResetEvent)(commands, handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
      });
    };
    RONDO_TRY(event.set ? set_event(event.event, by_any) : by_any());
  }
  return {};
}

Result<void> Looper::restore_queries() {
  for (const LoopPlan::Queries& queries : plan_.queries)
    RONDO_TRY(by_commands(queries.pool, [&](const Dispatch& vk, VkCommandBuffer commands) {
      vk.vkCmdResetQueryPool(commands, as_handle<VkQueryPool>(run_.slot(queries.pool)), queries.first, queries.count);
    }));
  return {};
}

Result<void> Looper::restore_labels() {
  for (const OpenLabels& labels : plan_.labels) {
    const auto end = device_of(labels.queue).dispatch.vkQueueEndDebugUtilsLabelEXT;
    if (end == nullptr) continue;
    for (std::uint32_t i = 0; i < labels.ends; ++i) end(as_handle<VkQueue>(run_.slot(labels.queue)));
    for (const std::uint32_t begin : labels.begins) RONDO_TRY(run_.play_again(begin));
  }
  return {};
}

Result<void> Looper::restore_recordings() {
  for (const ObjectId id : plan_.half_recorded) {
    if (!puts_back("recordings")) break;
    DeviceState& device = device_of(id);
    const VkResult r = device.dispatch.vkResetCommandBuffer(as_handle<VkCommandBuffer>(run_.slot(id)), 0);
    if (r < 0) return tl::unexpected<Error>(failure(id, "vkResetCommandBuffer", r));
  }
  const auto& objects = run_.plan().objects.objects();
  for (const std::uint32_t op : plan_.recordings) {
    const bool records = objects[run_.plan().ops[op].dispatch].type == HandleType::VkCommandBuffer;
    if (puts_back(records ? "recordings" : "execution-sets")) RONDO_TRY(run_.play_again(op));
  }
  return {};
}

}  // namespace rondo::player
