// SPDX-License-Identifier: Apache-2.0
// Waits of the host that nothing needs, and what makes a wait needed. What the device writes is in memory that is not
// mapped, except where a plant is about that: of a wait before mapped memory nobody knows whether the host reads.
#include <thread>

#include "move.comp.h"
#include "objects.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

enum class Wait { fence, timeline, queue, device };

// Submits the open command buffer to queue 0, and waits until it has been executed.
void submit_and_wait(Bench& b, Wait how) {
  Submit what;
  if (how == Wait::fence) what.fence = make_fence(b);
  if (how == Wait::timeline) what.signal = {timeline(b), kAllWrites, 1};
  submit(b, what);
  switch (how) {
    case Wait::fence:
      return wait_for(b, what.fence);
    case Wait::timeline:
      return wait_for(b, what.signal);
    case Wait::queue:
      return CHECK(vkQueueWaitIdle(b.queues[0]));
    case Wait::device:
      return CHECK(vkDeviceWaitIdle(b.device));
  }
}

void reset_pool(Bench& b, std::uint32_t queue = 0) { CHECK(vkResetCommandPool(b.device, b.pools[queue], 0)); }

// A kernel that writes a buffer of its own.
Kernel filling(Bench& b) { return kernel(b, ones_comp_spv, {make_local_buffer(b)}); }

// The host waits for A, and then submits B. In the clean twin `use` comes after the wait, and needs it.
template <class Use>
void wait_between(Bench& b, Wait how, const Kernel& first, const Kernel& second, const Use& use) {
  dispatch(b, "A", first);
  submit_and_wait(b, how);
  if (b.clean) use();
  begin(b);
  dispatch(b, "B", second);
}

void before_pool_reset(Bench& b) {
  wait_between(b, Wait::fence, filling(b), filling(b), [&] { reset_pool(b); });
}

void before_destruction(Bench& b) {
  const MappedBuffer x = make_local_buffer(b);
  std::function<void()> destroy_x = take_last(b);
  wait_between(b, Wait::timeline, kernel(b, ones_comp_spv, {x}), filling(b), [&] {
    destroy_x();
    destroy_x = nullptr;
  });
  if (destroy_x) b.at_end.push_back(destroy_x);
}

// The host destroys a buffer that the device never uses, or the one that it uses.
void before_other_destruction(Bench& b) {
  const MappedBuffer x = make_local_buffer(b);
  const std::function<void()> destroy_x = take_last(b);
  make_local_buffer(b);
  const std::function<void()> destroy_unused = take_last(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  const Kernel other = filling(b);
  submit_and_wait(b, Wait::queue);
  b.clean ? destroy_x() : destroy_unused();
  b.at_end.push_back(b.clean ? destroy_unused : destroy_x);
  begin(b);
  dispatch(b, "B", other);
}

// The device only reads the memory that the host writes.
void before_host_write(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  wait_between(b, Wait::queue, kernel(b, move_comp_spv, {x, make_local_buffer(b)}),
               kernel(b, move_comp_spv, {x, make_local_buffer(b)}), [&] {
                 for (std::uint32_t i = 0; i < kBytes / 4; ++i) x.words[i] = 5;
               });
}

void before_descriptors(Bench& b) {
  const MappedBuffer y = make_local_buffer(b);
  const Kernel first = filling(b);
  wait_between(b, Wait::device, first, b.clean ? first : filling(b), [&] { write_buffer(b, first.set, 0, y); });
}

void before_reader(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), reads = kernel(b, move_comp_spv, {x, y});
  wait_between(b, Wait::fence, writes, b.clean ? reads : filling(b), [] {});
}

void map_and_read(const Bench& b, const MappedBuffer& x) {
  void* mapped = nullptr;
  CHECK(vkMapMemory(b.device, x.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  if (*static_cast<const volatile std::uint32_t*>(mapped) != 1) wrong("what the device wrote", 0);
  vkUnmapMemory(b.device, x.memory);
}

// A writes memory that the host can map, and shows it to the host.
MappedBuffer write_for_host(Bench& b) {
  const MappedBuffer x = make_local_buffer(b, Sharing::concurrent,
                                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "to host", kComputeWrites, kHostReads);
  return x;
}

void before_mapping(Bench& b) {
  const Kernel other = filling(b);
  const MappedBuffer x = write_for_host(b);
  submit_and_wait(b, Wait::timeline);
  if (b.clean) map_and_read(b, x);
  begin(b);
  dispatch(b, "B", other);
}

// The memory is mapped after a later wait, which covers the write, too.
void before_later_mapping(Bench& b) {
  const Kernel other = filling(b);
  const MappedBuffer x = write_for_host(b);
  const VkFence first = make_fence(b), second = make_fence(b);
  submit(b, {.fence = first});
  if (!b.clean) wait_for(b, first);
  begin(b);
  dispatch(b, "B", other);
  submit(b, {.fence = second});
  wait_for(b, second);
  b.is_idle = true;
  map_and_read(b, x);
}

// Of memory that is mapped all the time nobody knows when the host reads it.
void with_mapped_memory(Bench& b) {
  const MappedBuffer x = b.clean ? make_buffer(b) : make_local_buffer(b);
  wait_between(b, Wait::queue, kernel(b, ones_comp_spv, {x}), filling(b), [] {});
}

void before_results(Bench& b) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 1, 0};
  VkQueryPool made;
  CHECK(vkCreateQueryPool(b.device, &info, nullptr, &made));
  const VkQueryPool pool = keep(b, vkDestroyQueryPool, made);
  vkCmdResetQueryPool(b.cmd, pool, 0, 1);
  vkCmdBeginQuery(b.cmd, pool, 0, 0);
  vkCmdEndQuery(b.cmd, pool, 0);
  wait_between(b, Wait::fence, filling(b), filling(b), [&] {
    std::uint32_t passed = 0;
    CHECK(vkGetQueryPoolResults(b.device, pool, 0, 1, sizeof passed, &passed, sizeof passed, 0));
  });
}

// The next command buffer is the same one, or another. Neither may be pending twice.
void before_resubmit(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  std::vector<VkCommandBuffer> recorded;
  for (const auto& [label, k] : {std::pair{"A", first}, std::pair{"B", second}}) {
    begin(b, 0, 0);
    dispatch(b, label, k);
    CHECK(vkEndCommandBuffer(b.cmd));
    recorded.push_back(b.cmd);
  }
  b.is_recording = false;
  program::submit(b.queues[0], recorded[0], VK_NULL_HANDLE);
  CHECK(vkQueueWaitIdle(b.queues[0]));
  program::submit(b.queues[0], recorded[b.clean ? 0 : 1], VK_NULL_HANDLE);
}

// A fence must be reset before the next submit takes it; that is no reason to wait for it.
void before_fence_reset(Bench& b) {
  const Kernel other = filling(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", filling(b));
  submit(b, {.fence = done});
  wait_for(b, done);
  CHECK(vkResetFences(b.device, 1, &done));
  if (b.clean) reset_pool(b);
  begin(b);
  dispatch(b, "B", other);
  submit(b, {.fence = done});
}

void same_fence_twice(Bench& b) {
  const VkFence done = make_fence(b);
  dispatch(b, "A", filling(b));
  submit(b, {.fence = done});
  wait_for(b, done);
  if (!b.clean) wait_for(b, done);
  reset_pool(b);
  b.is_idle = true;
}

// Before it ends, a program may wait for all again. Here it goes on.
void queue_and_device(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  dispatch(b, "A", first);
  submit_and_wait(b, Wait::queue);
  if (!b.clean) CHECK(vkDeviceWaitIdle(b.device));
  reset_pool(b);
  begin(b);
  dispatch(b, "B", second);
}

void queue_and_fence(Bench& b) {
  const VkFence done = make_fence(b);
  dispatch(b, "A", filling(b));
  submit(b, {.fence = done});
  if (!b.clean) CHECK(vkQueueWaitIdle(b.queues[0]));
  wait_for(b, done);
  reset_pool(b);
  b.is_idle = true;
}

// The host has seen the fence signaled before it waits.
void after_status(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", first);
  submit(b, {.fence = done});
  VkResult status = VK_NOT_READY;
  while ((status = vkGetFenceStatus(b.device, done)) == VK_NOT_READY) std::this_thread::yield();
  CHECK(status);
  if (!b.clean) wait_for(b, done);
  reset_pool(b);
  begin(b);
  dispatch(b, "B", second);
}

// The later wait is for both submits.
void before_idle(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", first);
  submit(b, {.fence = done});
  if (!b.clean) wait_for(b, done);
  begin(b);
  dispatch(b, "B", second);
  submit(b);
  CHECK(vkQueueWaitIdle(b.queues[0]));
  reset_pool(b);
  b.is_idle = true;
}

// A fence is signaled after all that was submitted to the queue before.
void before_later_fence(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  const VkFence fences[2] = {make_fence(b), make_fence(b)};
  dispatch(b, "A", first);
  submit(b, {.fence = fences[0]});
  begin(b);
  dispatch(b, "B", second);
  submit(b, {.fence = fences[1]});
  if (!b.clean) wait_for(b, fences[0]);
  wait_for(b, fences[1]);
  reset_pool(b);
  b.is_idle = true;
}

void before_later_value(Bench& b) {
  const Kernel first = filling(b), second = filling(b);
  const VkSemaphore values = timeline(b);
  dispatch(b, "A", first);
  submit(b, {.signal = {values, kAllWrites, 1}});
  begin(b);
  dispatch(b, "B", second);
  submit(b, {.signal = {values, kAllWrites, 2}});
  if (!b.clean) wait_for(b, {values, {}, 1});
  wait_for(b, {values, {}, 2});
  reset_pool(b);
  b.is_idle = true;
}

void after_each(Bench& b) {
  const Kernel kernels[3] = {filling(b), filling(b), filling(b)};
  const char* const labels[3] = {"A", "B", "C"};
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (i != 0) begin(b);
    dispatch(b, labels[i], kernels[i]);
    const VkFence done = make_fence(b);
    submit(b, {.fence = done});
    if (!b.clean && i != 2) wait_for(b, done);
  }
}

void before_any_work(Bench& b) {
  if (!b.clean) CHECK(vkDeviceWaitIdle(b.device));
  dispatch(b, "A", filling(b));
}

// The second queue waits for the first by a semaphore: when it is idle, the work of both is done.
void first_queue_too(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {written, kComputeReads}, .queue = 1});
  if (!b.clean) CHECK(vkQueueWaitIdle(b.queues[0]));
  CHECK(vkQueueWaitIdle(b.queues[1]));
  reset_pool(b, 0);
  reset_pool(b, 1);
  b.is_idle = true;
}

// The host's wait is all that orders the work of two queues.
void between_queues(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b);
  CHECK(vkDeviceWaitIdle(b.device));
  begin(b, 1);
  dispatch(b, "B", b.clean ? kernel(b, move_comp_spv, {x, y}) : kernel(b, ones_comp_spv, {y}));
  submit(b, {.queue = 1});
}

// A set may be written while work uses it, where its layout says so and the work does not use the descriptor.
void before_later_descriptors(Bench& b) {
  if (!b.updates_after_bind) std::exit(cannot_run("the device cannot update descriptors after they are bound"));
  constexpr VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  constexpr VkDescriptorBindingFlags unused = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                              VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT,
                                     flags[2] = {0, unused};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo chained{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, flags};
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  Kernel k;
  k.set_layout = create_set_layout(
      b, {{0, storage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}, {1, storage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}},
      VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, &chained);
  k.layout = create_layout(b, {k.set_layout});
  k.pipeline = create_compute(b, k.layout, shader(b, ones_comp_spv));
  k.set = allocate_set(b, create_pool(b, 1, {{storage, 2}}, nullptr, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT),
                       k.set_layout);
  write_buffer(b, k.set, 0, x);
  write_buffer(b, k.set, 1, x);
  const Kernel other = filling(b);
  dispatch(b, "A", k);
  submit(b);
  if (!b.clean) CHECK(vkQueueWaitIdle(b.queues[0]));
  write_buffer(b, k.set, 1, y);
  begin(b);
  dispatch(b, "B", other);
}

}  // namespace

std::vector<Plant> wait_plants() {
  const std::vector<const char*> fence{"superfluous vkWaitForFences#1"}, value{"superfluous vkWaitSemaphores#1"},
      queue{"superfluous vkQueueWaitIdle#1"}, device{"superfluous vkDeviceWaitIdle#1"};
  return {{"wait-pool-reset", Form::first, fence, before_pool_reset},
          {"wait-destruction", Form::second, value, before_destruction},
          {"wait-other-destruction", Form::first, queue, before_other_destruction},
          {"wait-host-write", Form::first, queue, before_host_write},
          {"wait-descriptors", Form::second, device, before_descriptors},
          {"wait-reader", Form::first, fence, before_reader},
          {"wait-mapping", Form::second, value, before_mapping},
          {"wait-later-mapping", Form::first, fence, before_later_mapping},
          {"wait-mapped", Form::first, queue, with_mapped_memory},
          {"wait-results", Form::second, fence, before_results},
          {"wait-resubmit", Form::first, queue, before_resubmit},
          {"wait-fence-reset", Form::second, fence, before_fence_reset},
          {"wait-twice",
           Form::first,
           {"either superfluous vkWaitForFences#1 or superfluous vkWaitForFences#2"},
           same_fence_twice},
          {"wait-queue-and-device",
           Form::first,
           {"either superfluous vkQueueWaitIdle#1 or superfluous vkDeviceWaitIdle#1"},
           queue_and_device},
          {"wait-queue-and-fence",
           Form::second,
           {"either superfluous vkQueueWaitIdle#1 or superfluous vkWaitForFences#1"},
           queue_and_fence},
          {"wait-after-status", Form::first, fence, after_status},
          {"wait-before-idle", Form::first, fence, before_idle},
          {"wait-earlier-fence", Form::second, fence, before_later_fence},
          {"wait-earlier-value", Form::first, value, before_later_value},
          {"wait-each", Form::first, {"superfluous vkWaitForFences#1", "superfluous vkWaitForFences#2"}, after_each},
          {"wait-no-work", Form::first, device, before_any_work},
          {"wait-first-queue", Form::first, queue, first_queue_too, Queues::two},
          {"wait-between-queues", Form::second, device, between_queues, Queues::two},
          // Which descriptors a shader uses the calls do not say: the wait may be kept.
          {"wait-later-descriptors", Form::first, {"allow superfluous vkQueueWaitIdle#1"}, before_later_descriptors}};
}

}  // namespace hazards
