// SPDX-License-Identifier: Apache-2.0
// Submits and waits. What the capture saw finish is waited for; what it saw
// unfinished never comes here (plan_actions.cpp).
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "generated/args.h"
#include "player/measure/command_times.h"
#include "player/measure/gpu_times.h"
#include "player/run/idle.h"

namespace rondo::player {

namespace {

template <class Args>
Result<void> submit(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<Args>(args);
  using Batch = std::remove_const_t<std::remove_pointer_t<decltype(a.pSubmits)>>;
  run.submitting();
  if (CommandTimes* const times = run.command_times(); times != nullptr)
    times->insert(run.op_index(op), const_cast<Batch*>(a.pSubmits), a.submitCount);
  if (GpuTimes* const times = run.gpu_times(); times != nullptr)  // its blocks are the run's own
    RONDO_TRY(times->surround(run.op_index(op), const_cast<Batch*>(a.pSubmits), a.submitCount));
  RONDO_TRY(run.call_checked(op, args));
  run.submitted(op, a.submitCount);
  if (op.watched) [[unlikely]]
    return run.watch_submit(op);
  return {};
}

Result<void> finished_wait(Run& run, const Op& op, std::int64_t result, const char* command = nullptr) {
  if (result == VK_TIMEOUT || result == VK_NOT_READY) return tl::unexpected<Error>(run.timed_out(op));
  if (result < 0) return tl::unexpected<Error>(run.failure(op, result, command));
  run.waited(op);
  return {};
}

Error never_ends(Run& run, const Op& op) {
  return run.refuse(op, Status::failed, "waits for work that waits for a later record" + run.behind_last_submit());
}

// To the processor's other thread.
void yield_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Asks again and again for so long. The processor is kept busy, as the program kept it.
template <class Wait>
VkResult poll(std::uint64_t apart_ns, std::uint64_t ns, Wait wait) {
  std::uint64_t now = now_ns();
  const std::uint64_t end = now + ns;
  while (true) {
    const VkResult result = wait(0);
    if (result != VK_TIMEOUT || now >= end) return result;
    const std::uint64_t next = now_ns() + apart_ns;
    while ((now = now_ns()) < next) yield_processor();
  }
}

// Long, but not for what does not `come()`. `wait(ns)` says VK_TIMEOUT of what is not there
// after so long, 0 among them.
template <class Wait, class Come>
Result<void> wait_patiently(Run& run, const Op& op, Wait wait, Come come, const char* command = nullptr) {
  constexpr std::uint64_t kLookEveryNs = 1'000'000'000;
  VkResult result = VK_TIMEOUT;
  for (std::uint64_t left = run.deadline().left_ns();; left = run.deadline().left_ns()) {
    const std::uint64_t ns = std::min(left, kLookEveryNs);
    result = op.poll_ns == 0 ? wait(ns) : poll(op.poll_ns, ns, wait);
    if (result != VK_TIMEOUT || left == 0) break;
    if (!come()) return tl::unexpected<Error>(never_ends(run, op));
  }
  return finished_wait(run, op, result, command);
}

// All of so many, or one of them.
template <class One>
bool come_in(std::uint32_t count, bool all, One one) {
  std::uint32_t coming = 0;
  for (std::uint32_t i = 0; i < count; ++i) coming += one(i) ? 1 : 0;
  return all ? coming == count : coming != 0;
}

Result<void> wait_fences(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkWaitForFences>(args);
  return wait_patiently(
      run, op,
      [&](std::uint64_t ns) {
        a.timeout = ns;
        return static_cast<VkResult>(run.call(op, args));
      },
      [&] {
        return come_in(a.fenceCount, a.waitAll != VK_FALSE,
                       [&](std::uint32_t i) { return run.comes(run.patched_id(op, offset_in(args, &a.pFences[i]))); });
      });
}

Result<void> fence_was_ready(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkGetFenceStatus>(args);
  const DeviceState& device = run.device(op);
  return wait_patiently(
      run, op,
      [&](std::uint64_t ns) {
        if (ns != 0) return device.dispatch.vkWaitForFences(device.handle, 1, &a.fence, VK_TRUE, ns);
        const VkResult result = device.dispatch.vkGetFenceStatus(device.handle, a.fence);
        return result == VK_NOT_READY ? VK_TIMEOUT : result;
      },
      [&] { return run.comes(run.patched_id(op, offset_in(args, &a.fence))); }, "vkWaitForFences");
}

Result<void> wait_for_present(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkWaitForPresentKHR>(args);
  const auto* swapchain = reinterpret_cast<const VirtualSwapchain*>(a.swapchain);
  if (swapchain == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the swapchain does not exist here"));
  if (a.presentId <= swapchain->presented_id) return {};
  const auto& presents = swapchain->presents;
  const auto is_it = [&](const VirtualSwapchain::Present& one) { return one.id >= a.presentId; };
  const auto found = std::find_if(presents.begin(), presents.end(), is_it);
  if (found == presents.end())
    return tl::unexpected<Error>(run.refuse(op, Status::failed, "waits for a present that no earlier record made"));
  const DeviceState& device = run.device(op);
  return wait_patiently(
      run, op,
      [&](std::uint64_t ns) { return device.dispatch.vkWaitForFences(device.handle, 1, &found->done, VK_TRUE, ns); },
      [&] { return !run.blocked(device, found->queue, false); }, "vkWaitForFences");
}

Result<void> wait_semaphores(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkWaitSemaphores>(args);
  return wait_patiently(
      run, op,
      [&](std::uint64_t ns) {
        a.timeout = ns;
        return static_cast<VkResult>(run.call(op, args));
      },
      [&] {
        const VkSemaphoreWaitInfo& info = *a.pWaitInfo;
        return come_in(info.semaphoreCount, (info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) == 0, [&](std::uint32_t i) {
          return run.comes(run.patched_id(op, offset_in(args, &info.pSemaphores[i])), info.pValues[i]);
        });
      });
}

// The value in the block is what the program read.
Result<void> semaphore_had_value(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_vkGetSemaphoreCounterValue>(args);
  if (a.pValue == nullptr || *a.pValue == 0) return {};
  const DeviceState& device = run.device(op);
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &a.semaphore;
  info.pValues = a.pValue;
  return wait_patiently(
      run, op, [&](std::uint64_t ns) { return device.dispatch.vkWaitSemaphores(device.handle, &info, ns); },
      [&] { return run.comes(run.patched_id(op, offset_in(args, &a.semaphore)), *a.pValue); }, "vkWaitSemaphores");
}

Result<void> wait_idle(Run& run, const Op& op, std::byte* args) {
  // It has no timeout.
  if (run.blocked(run.device(op), as<args_vkQueueWaitIdle>(args).queue,
                  codec::info(op.command).canonical == CommandId::vkDeviceWaitIdle))
    return tl::unexpected<Error>(never_ends(run, op));
  RONDO_TRY(run.call_checked(op, args));
  run.waited(op);
  return {};
}

// Host writes follow that may hold what the work before them wrote.
Result<void> work_is_finished(Run& run, const Op& op, std::byte*) {
  const IdleProbe probe(run.device(op));
  return wait_patiently(
      run, op, [&](std::uint64_t ns) { return probe.wait(ns); }, [&] { return !run.blocked(run.device(op)); },
      "the wait before host writes");
}

// Repeats a poll until it says what it said in the capture, or until the work that could change the answer is
// finished. Where that work may have taken back what the program saw, its end is enough.
template <class Poll>
Result<void> poll_until(Run& run, const Op& op, Poll poll, std::int64_t wanted) {
  std::int64_t result = poll();
  for (int i = 0; i < 64 && result != wanted && result >= 0; ++i) {
    std::this_thread::yield();
    result = poll();
  }
  std::optional<IdleProbe> probe;
  while (result != wanted && result >= 0) {
    bool last = false;
    if (op.may_pass) {
      const Result<bool> ended = run.brought_about(op);
      if (!ended) return tl::unexpected<Error>(ended.error());
      last = *ended;
    } else {
      if (!probe) probe.emplace(run.device(op));
      last = probe->idle();
    }
    result = poll();
    if (result == wanted) break;
    if (last && result >= 0) {
      if (op.may_pass) break;
      return tl::unexpected<Error>(run.failure(op, result));  // it never will
    }
    if (run.deadline().left_ns() == 0) return tl::unexpected<Error>(run.timed_out(op));
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (result < 0) return tl::unexpected<Error>(run.failure(op, result));
  run.waited(op);
  return {};
}

Result<void> destroy_semaphore(Run& run, const Op& op, std::byte* args) {
  run.await_timeline(run.device(op), run.patched_id(op, offset_in(args, &as<args_vkDestroySemaphore>(args).semaphore)));
  run.call(op, args);
  return {};
}

Result<void> event_was_seen(Run& run, const Op& op, std::byte* args) {
  return poll_until(
      run, op, [&] { return run.call(op, args); }, op.captured);
}

Result<void> query_was_ready(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkGetQueryPoolResults>(args);
  // The block holds what the program got, perhaps in a blob that is the plan's:
  // the driver writes elsewhere.
  std::vector<std::byte>& buffer = run.output_buffer();
  a.stride = query_bytes(1, 0);  // where each result goes is nobody's business
  a.dataSize = query_bytes(a.queryCount, a.stride);
  if (buffer.size() < a.dataSize) buffer.resize(a.dataSize);
  a.pData = buffer.data();
  a.flags &= ~static_cast<VkQueryResultFlags>(VK_QUERY_RESULT_WAIT_BIT);  // a wait here could not time out
  return poll_until(
      run, op, [&] { return run.call(op, args); }, VK_SUCCESS);
}

}  // namespace

void add_sync_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkQueueSubmit)] = submit<args_vkQueueSubmit>;
  table[static_cast<std::size_t>(CommandId::vkQueueSubmit2)] = submit<args_vkQueueSubmit2>;
  table[static_cast<std::size_t>(CommandId::vkWaitForFences)] = wait_fences;
  table[static_cast<std::size_t>(CommandId::vkGetFenceStatus)] = fence_was_ready;
  table[static_cast<std::size_t>(CommandId::vkWaitForPresentKHR)] = wait_for_present;
  table[static_cast<std::size_t>(CommandId::vkWaitSemaphores)] = wait_semaphores;
  table[static_cast<std::size_t>(CommandId::vkGetSemaphoreCounterValue)] = semaphore_had_value;
  table[static_cast<std::size_t>(CommandId::vkDestroySemaphore)] = destroy_semaphore;
  table[static_cast<std::size_t>(CommandId::vkQueueWaitIdle)] = wait_idle;
  table[static_cast<std::size_t>(CommandId::vkDeviceWaitIdle)] = wait_idle;
  table[static_cast<std::size_t>(CommandId::rondoDeviceIdle)] = work_is_finished;
  table[static_cast<std::size_t>(CommandId::vkGetEventStatus)] = event_was_seen;
  table[static_cast<std::size_t>(CommandId::vkGetQueryPoolResults)] = query_was_ready;
}

}  // namespace rondo::player
