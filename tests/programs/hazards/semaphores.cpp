// SPDX-License-Identifier: Apache-2.0
// Semaphores that nothing needs, and semaphores that a barrier can replace.
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// A is on queue 0, B on queue 1 waits for it. Only in the clean twin B reads what A wrote.
void waits_on_other_queue(Bench& b, VkSemaphore semaphore, std::uint64_t value) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {semaphore, kComputeWrites, value}});
  begin(b, 1);
  dispatch(b, "B", b.clean ? kernel(b, move_comp_spv, {x, y}) : kernel(b, ones_comp_spv, {y}));
  submit(b, {.wait = {semaphore, kComputeReads, value}, .queue = 1});
}

void binary_independent(Bench& b) { waits_on_other_queue(b, binary(b), 0); }
void timeline_independent(Bench& b) { waits_on_other_queue(b, timeline(b), 1); }

// The writer B must wait for the reader A, or writes something else.
void before_writer(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b), z = make_local_buffer(b);
  const VkSemaphore read = binary(b);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.signal = {read, kComputeReads}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, ones_comp_spv, {b.clean ? x : z}));
  submit(b, {.wait = {read, kComputeWrites}, .queue = 1});
}

// A wait holds back what is submitted to the queue later, too: the second one adds nothing.
void waited_again(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b), z = make_local_buffer(b);
  const Semaphore written{timeline(b), kComputeWrites, 1}, wait{written.semaphore, kComputeReads, 1};
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = written});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = wait, .queue = 1});
  begin(b, 1);
  dispatch(b, "C", kernel(b, move_comp_spv, {x, z}));
  submit(b, {.wait = b.clean ? Semaphore{} : wait, .queue = 1});
}

// The batch that waits has no commands. It waits for those after it.
void empty_batch(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written}});
  submit(b, {.wait = {written, kComputeReads}, .queue = 1});
  begin(b, 1);
  dispatch(b, "B", b.clean ? kernel(b, move_comp_spv, {x, y}) : kernel(b, ones_comp_spv, {y}));
  submit(b, {.queue = 1});
}

// From queue 0 to queue 1 and back. Only in the clean twin C needs B.
void there_and_back(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b), z = make_local_buffer(b);
  const VkSemaphore values = timeline(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {values, kComputeWrites, 1}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {values, kComputeReads, 1}, .signal = {values, kComputeWrites, 2}, .queue = 1});
  begin(b);
  dispatch(b, "C", b.clean ? kernel(b, move_comp_spv, {y, z}) : kernel(b, ones_comp_spv, {z}));
  submit(b, {.wait = {values, kComputeReads, 2}});
}

// No data needs the semaphore. But the host waits only for queue 1, and then ends what queue 0 uses.
void for_the_host(Bench& b) {
  const VkSemaphore written = binary(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {make_local_buffer(b)}));
  submit(b, {.signal = {written}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, ones_comp_spv, {make_local_buffer(b)}));
  submit(b, {.wait = {written, kComputeReads}, .queue = 1, .fence = done});
  if (!b.clean) return;
  wait_for(b, done);
  CHECK(vkResetCommandPool(b.device, b.pools[0], 0));
  b.is_idle = true;
}

// One queue with two submits. The second waits for the first, but for the clean twin, which has no semaphore.
void waits_on_same_queue(Bench& b, VkSemaphore semaphore, std::uint64_t value, bool is_dependent, bool has_barrier) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = b.clean ? Semaphore{} : Semaphore{semaphore, kComputeWrites, value}});
  begin(b);
  if (has_barrier) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", is_dependent ? kernel(b, move_comp_spv, {x, y}) : kernel(b, ones_comp_spv, {y}));
  submit(b, {.wait = b.clean ? Semaphore{} : Semaphore{semaphore, kComputeReads, value}});
}

void same_queue_independent(Bench& b) { waits_on_same_queue(b, binary(b), 0, false, false); }
void same_queue_and_barrier(Bench& b) { waits_on_same_queue(b, binary(b), 0, true, true); }
void for_barrier(Bench& b) { waits_on_same_queue(b, binary(b), 0, true, b.clean); }
void timeline_for_barrier(Bench& b) { waits_on_same_queue(b, timeline(b), 1, true, b.clean); }

// Both batches are in one call.
void one_call(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  const VkCommandBuffer first = b.cmd;
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  CHECK(vkEndCommandBuffer(first));
  begin(b);
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  CHECK(vkEndCommandBuffer(b.cmd));
  b.is_recording = false;
  const std::uint32_t used = b.clean ? 0 : 1;
  VkSubmitInfo batches[2]{{VK_STRUCTURE_TYPE_SUBMIT_INFO}, {VK_STRUCTURE_TYPE_SUBMIT_INFO}};
  batches[0].commandBufferCount = batches[1].commandBufferCount = 1;
  batches[0].pCommandBuffers = &first;
  batches[1].pCommandBuffers = &b.cmd;
  batches[0].signalSemaphoreCount = batches[1].waitSemaphoreCount = used;
  batches[0].pSignalSemaphores = batches[1].pWaitSemaphores = &written;
  batches[1].pWaitDstStageMask = &kComputeReads.stages;
  CHECK(vkQueueSubmit(b.queues[0], 2, batches, VK_NULL_HANDLE));
}

// Queue 1 waits for both submits of queue 0. The semaphore of the later one is enough: it is signaled after both.
void one_of_two(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b), z = make_local_buffer(b);
  const VkSemaphore earlier = binary(b), later = binary(b), both[2] = {later, earlier};
  const VkPipelineStageFlags stages[2] = {kComputeReads.stages, kComputeReads.stages};
  dispatch(b, "C", kernel(b, ones_comp_spv, {z}));
  submit(b, {.signal = b.clean ? Semaphore{} : Semaphore{earlier}});
  begin(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {later}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  CHECK(vkEndCommandBuffer(b.cmd));
  b.is_recording = false;
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .waitSemaphoreCount = b.clean ? 1u : 2u,
                          .pWaitSemaphores = both,
                          .pWaitDstStageMask = stages,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &b.cmd};
  CHECK(vkQueueSubmit(b.queues[1], 1, &info, VK_NULL_HANDLE));
}

// The host has signaled the value before the submit that waits for it.
void signaled_by_host(Bench& b) {
  const Semaphore value{timeline(b), kComputeWrites, 1};
  const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, value.semaphore, value.value};
  dispatch(b, "A", kernel(b, ones_comp_spv, {make_local_buffer(b)}));
  CHECK(vkSignalSemaphore(b.device, &info));
  submit(b, {.wait = b.clean ? Semaphore{} : value});
}

}  // namespace

std::vector<Plant> semaphore_plants() {
  const std::vector<const char*> superfluous{"superfluous vkQueueSubmit#2"};
  return {{"semaphore-independent", Form::first, superfluous, binary_independent, Queues::two},
          {"timeline-independent", Form::second, {"superfluous vkQueueSubmit2#2"}, timeline_independent, Queues::two},
          {"semaphore-before-writer", Form::first, superfluous, before_writer, Queues::two},
          {"semaphore-waited-again", Form::second, {"superfluous vkQueueSubmit2#3"}, waited_again, Queues::two},
          {"semaphore-empty-batch", Form::first, superfluous, empty_batch, Queues::two},
          {"semaphore-one-of-two", Form::first, {"superfluous vkQueueSubmit#3"}, one_of_two, Queues::two},
          {"semaphore-there-and-back", Form::second, {"superfluous vkQueueSubmit2#3"}, there_and_back, Queues::two},
          {"semaphore-for-host", Form::first, superfluous, for_the_host, Queues::two},
          {"semaphore-same-queue", Form::first, superfluous, same_queue_independent},
          // Either can go; the barrier costs less.
          {"semaphore-and-barrier",
           Form::first,
           {"either superfluous vkQueueSubmit#2 or superfluous barrier1 and replaceable vkQueueSubmit#2"},
           same_queue_and_barrier},
          {"semaphore-for-barrier", Form::first, {"replaceable vkQueueSubmit#2"}, for_barrier},
          {"timeline-for-barrier", Form::second, {"replaceable vkQueueSubmit2#2"}, timeline_for_barrier},
          {"semaphore-in-one-call", Form::first, {"replaceable vkQueueSubmit#1"}, one_call},
          {"semaphore-of-host", Form::second, {"superfluous vkQueueSubmit2#1"}, signaled_by_host}};
}

}  // namespace hazards
