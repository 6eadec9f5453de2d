// SPDX-License-Identifier: Apache-2.0
#include "analyzers/prove/edit_records.h"

#include <algorithm>
#include <cstring>

#include "format/native_view.h"
#include "generated/args.h"

namespace rondo::prove {

namespace {

tl::unexpected<Error> no_such(const char* what) {
  return fail(Status::failed, std::string("the capture has no such ") + what + ": it is another one than was analyzed");
}

// Leaves the element out, in the array's own place.
template <class T>
void leave_out(const T* array, std::uint32_t count, std::uint32_t index) {
  if (array == nullptr) return;
  T* const at = const_cast<T*>(array) + index;
  std::memmove(static_cast<void*>(at), static_cast<const void*>(at + 1), sizeof(T) * (count - index - 1));
}

// The masks of the first form have 32 bits.
std::uint32_t narrow_flags(VkFlags64 flags) { return static_cast<std::uint32_t>(flags); }
VkPipelineStageFlags or_first(VkPipelineStageFlags2 stages) {
  return stages == 0 ? VkPipelineStageFlags{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT} : narrow_flags(stages);
}
VkPipelineStageFlags or_last(VkPipelineStageFlags2 stages) {
  return stages == 0 ? VkPipelineStageFlags{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT} : narrow_flags(stages);
}

template <class Barrier>
void set_masks(const Barrier& barrier, const BarrierEdit& edit) {
  auto& to = const_cast<Barrier&>(barrier);
  if constexpr (requires { to.srcStageMask; }) {
    to.srcStageMask = edit.src_stages;
    to.dstStageMask = edit.dst_stages;
  }
  to.srcAccessMask = static_cast<decltype(to.srcAccessMask)>(edit.src_access);
  to.dstAccessMask = static_cast<decltype(to.dstAccessMask)>(edit.dst_access);
}

// Edits element `index` of one of the three arrays of barriers, and takes their number off `index` if it is none of
// this array. True: it was of this array.
template <class Barrier>
bool edit_one(const Barrier* array, std::uint32_t& count, std::uint32_t& index, const BarrierEdit& edit) {
  if (index >= count) {
    index -= count;
    return false;
  }
  if (edit.drops)
    leave_out(array, count--, index);
  else
    set_masks(array[index], edit);
  return true;
}

// From the last to the first, so that the numbers of the others stay.
std::vector<BarrierEdit> from_last(std::span<const BarrierEdit> edits) {
  std::vector<BarrierEdit> sorted(edits.begin(), edits.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const BarrierEdit& a, const BarrierEdit& b) { return a.barrier > b.barrier; });
  return sorted;
}

Result<void> edit_first_form(args_vkCmdPipelineBarrier& a, std::span<const BarrierEdit> edits) {
  // Readers see one of all memory that says nothing where the call has none (model/second_form_passes.cpp).
  const std::uint32_t made = a.memoryBarrierCount == 0 ? 1 : 0;
  for (const BarrierEdit& edit : from_last(edits)) {
    if (!edit.drops) {  // all barriers of the call have the same
      a.srcStageMask = or_first(edit.src_stages);
      a.dstStageMask = or_last(edit.dst_stages);
    }
    std::uint32_t index = edit.barrier;
    if (index < made) continue;
    index -= made;
    if (!edit_one(a.pMemoryBarriers, a.memoryBarrierCount, index, edit) &&
        !edit_one(a.pBufferMemoryBarriers, a.bufferMemoryBarrierCount, index, edit) &&
        !edit_one(a.pImageMemoryBarriers, a.imageMemoryBarrierCount, index, edit))
      return no_such("barrier");
  }
  return {};
}

Result<void> edit_second_form(VkDependencyInfo& info, std::span<const BarrierEdit> edits) {
  for (const BarrierEdit& edit : from_last(edits)) {
    std::uint32_t index = edit.barrier;
    if (!edit_one(info.pMemoryBarriers, info.memoryBarrierCount, index, edit) &&
        !edit_one(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount, index, edit) &&
        !edit_one(info.pImageMemoryBarriers, info.imageMemoryBarrierCount, index, edit))
      return no_such("barrier");
  }
  return {};
}

void set_dependency(VkSubpassDependency& to, const BarrierEdit& edit) {
  to.srcStageMask = or_first(edit.src_stages);
  to.dstStageMask = or_last(edit.dst_stages);
  to.srcAccessMask = narrow_flags(edit.src_access);
  to.dstAccessMask = narrow_flags(edit.dst_access);
}
// A chained barrier says the scopes, if there is one.
void set_dependency(VkSubpassDependency2& to, const BarrierEdit& edit) {
  if (const auto* chained = find_chained<VkMemoryBarrier2>(to.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2)) {
    set_masks(*chained, edit);
    return;
  }
  to.srcStageMask = or_first(edit.src_stages);
  to.dstStageMask = or_last(edit.dst_stages);
  to.srcAccessMask = narrow_flags(edit.src_access);
  to.dstAccessMask = narrow_flags(edit.dst_access);
}

template <class Info>
Result<void> edit_pass(Info& info, std::span<const DependencyEdit> edits) {
  std::vector<bool> dropped(info.dependencyCount);
  for (const DependencyEdit& one : edits) {
    std::uint32_t number = 0, at = 0;
    while (at < info.dependencyCount &&
           (info.pDependencies[at].dstSubpass != one.dst_subpass || number++ != one.edit.barrier))
      ++at;
    if (at == info.dependencyCount) return no_such("dependency of subpasses");
    if (one.edit.drops)
      dropped[at] = true;
    else
      set_dependency(trim::Loaded::change(info.pDependencies[at]), one.edit);
  }
  for (std::uint32_t i = static_cast<std::uint32_t>(dropped.size()); i-- > 0;)
    if (dropped[i]) leave_out(info.pDependencies, info.dependencyCount--, i);
  return {};
}

// Semaphores that one call no longer waits for, or no longer signals; and those of them that were there.
struct LeftOut {
  bool is_wait;
  std::set<ObjectId> semaphores, found;
};

// Where a batch uses them, from the last place to the first. The objects of handles are found by their place, so this
// comes before an array is changed.
template <class Handle>
std::vector<std::uint32_t> uses_of(const trim::Loaded& call, LeftOut& out, std::uint32_t count, const Handle& handle) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = count; i-- > 0;) {
    const ObjectId id = call.id(&handle(i));
    if (out.semaphores.count(id) == 0) continue;
    places.push_back(i);
    out.found.insert(id);
  }
  return places;
}

void edit_batch(const trim::Loaded& call, VkSubmitInfo& batch, LeftOut& out) {
  auto* const timeline = const_cast<VkTimelineSemaphoreSubmitInfo*>(
      find_chained<VkTimelineSemaphoreSubmitInfo>(batch.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO));
  const VkSemaphore* const semaphores = out.is_wait ? batch.pWaitSemaphores : batch.pSignalSemaphores;
  std::uint32_t& count = out.is_wait ? batch.waitSemaphoreCount : batch.signalSemaphoreCount;
  auto* const group = const_cast<VkDeviceGroupSubmitInfo*>(
      find_chained<VkDeviceGroupSubmitInfo>(batch.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO));
  const auto handle = [&](std::uint32_t i) -> const VkSemaphore& { return semaphores[i]; };
  for (const std::uint32_t i : uses_of(call, out, count, handle)) {
    leave_out(semaphores, count, i);
    if (out.is_wait) leave_out(batch.pWaitDstStageMask, count, i);
    if (group != nullptr) {
      std::uint32_t& devices = out.is_wait ? group->waitSemaphoreCount : group->signalSemaphoreCount;
      const std::uint32_t* const indexes =
          out.is_wait ? group->pWaitSemaphoreDeviceIndices : group->pSignalSemaphoreDeviceIndices;
      if (i < devices) leave_out(indexes, devices--, i);
    }
    if (timeline != nullptr) {
      std::uint32_t& values = out.is_wait ? timeline->waitSemaphoreValueCount : timeline->signalSemaphoreValueCount;
      if (i < values)
        leave_out(out.is_wait ? timeline->pWaitSemaphoreValues : timeline->pSignalSemaphoreValues, values--, i);
    }
    --count;
  }
}

void edit_batch(const trim::Loaded& call, VkSubmitInfo2& batch, LeftOut& out) {
  const VkSemaphoreSubmitInfo* const infos = out.is_wait ? batch.pWaitSemaphoreInfos : batch.pSignalSemaphoreInfos;
  std::uint32_t& count = out.is_wait ? batch.waitSemaphoreInfoCount : batch.signalSemaphoreInfoCount;
  const auto handle = [&](std::uint32_t i) -> const VkSemaphore& { return infos[i].semaphore; };
  for (const std::uint32_t i : uses_of(call, out, count, handle)) leave_out(infos, count--, i);
}

template <class Args>
Result<void> edit_submit(trim::Loaded& call, std::span<const SemaphoreEdit> edits) {
  auto& a = call.as<Args>();
  LeftOut both[] = {{true, {}, {}}, {false, {}, {}}};
  for (const SemaphoreEdit& one : edits) both[one.is_wait ? 0 : 1].semaphores.insert(one.semaphore);
  for (LeftOut& out : both) {
    for (std::uint32_t i = 0; i < a.submitCount; ++i) edit_batch(call, trim::Loaded::change(a.pSubmits[i]), out);
    if (out.found != out.semaphores) return no_such(out.is_wait ? "wait for a semaphore" : "signal of a semaphore");
  }
  return {};
}

}  // namespace

Result<void> edit_barriers(CommandId canonical, trim::Loaded& call, std::span<const BarrierEdit> edits) {
  switch (canonical) {
    case CommandId::vkCmdPipelineBarrier:
      return edit_first_form(call.as<args_vkCmdPipelineBarrier>(), edits);
    case CommandId::vkCmdPipelineBarrier2:
      return edit_second_form(trim::Loaded::change(*call.as<args_vkCmdPipelineBarrier2>().pDependencyInfo), edits);
    default:
      return fail(Status::failed, "only barriers of vkCmdPipelineBarrier and vkCmdPipelineBarrier2 can be changed");
  }
}

Result<void> edit_dependencies(CommandId canonical, trim::Loaded& call, std::span<const DependencyEdit> edits) {
  if (canonical == CommandId::vkCreateRenderPass)
    return edit_pass(trim::Loaded::change(*call.as<args_vkCreateRenderPass>().pCreateInfo), edits);
  if (canonical == CommandId::vkCreateRenderPass2)
    return edit_pass(trim::Loaded::change(*call.as<args_vkCreateRenderPass2>().pCreateInfo), edits);
  return no_such("render pass");
}

Result<void> edit_semaphores(CommandId canonical, trim::Loaded& call, std::span<const SemaphoreEdit> edits) {
  if (canonical == CommandId::vkQueueSubmit) return edit_submit<args_vkQueueSubmit>(call, edits);
  if (canonical == CommandId::vkQueueSubmit2) return edit_submit<args_vkQueueSubmit2>(call, edits);
  return no_such("submit");
}

}  // namespace rondo::prove
