// SPDX-License-Identifier: Apache-2.0
// Work in several submits, on one queue and on two: semaphores, timelines, and the host that writes meanwhile.
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// Submission order alone orders no memory access.
void two_submits(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b);
  begin(b);
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// The wait holds fragment shaders back; the draw reads its vertices before them.
void semaphore_late(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written, kComputeWrites}});
  begin(b);
  draw_vertices(b, "B", x);
  submit(b, {.wait = {written, b.clean ? kVertexReads : kFragmentSamples}});
}

// The signal waits for copies; the dispatch may still run.
void semaphore_early(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written, b.clean ? kComputeWrites : kCopyWrites}});
  begin(b);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {written, kComputeReads}});
}

void two_queues(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = b.clean ? Semaphore{written, kComputeWrites} : Semaphore{}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = b.clean ? Semaphore{written, kComputeReads} : Semaphore{}, .queue = 1});
}

void two_queues_late(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written, kComputeWrites}});
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {written, b.clean ? kComputeReads : kCopyReads}, .queue = 1});
}

// A barrier orders only work of its own queue.
void two_queues_barrier(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = b.clean ? Semaphore{written, kComputeWrites} : Semaphore{}});
  begin(b, 1);
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = b.clean ? Semaphore{written, kComputeReads} : Semaphore{}, .queue = 1});
}

// The value that the reader waits for is reached before the writer begins.
void timeline_low(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), reads = kernel(b, move_comp_spv, {x, y});
  const VkSemaphore values = timeline(b);
  submit(b, {.signal = {values, kComputeWrites, 1}});
  begin(b);
  dispatch(b, "A", writes);
  submit(b, {.signal = {values, kComputeWrites, 2}});
  begin(b);
  dispatch(b, "B", reads);
  submit(b, {.wait = {values, kComputeReads, b.clean ? 2u : 1u}});
}

// The reader B is submitted before the writer A whose value it waits for. The next writer C must wait for B, too.
void timeline_before_signal(Bench& b) {
  const MappedBuffer x = make_local_buffer(b), y = make_local_buffer(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), reads = kernel(b, move_comp_spv, {x, y});
  const VkSemaphore values = timeline(b);
  submit(b);  // queue 0 has nothing to do yet
  begin(b, 1);
  dispatch(b, "B", reads);
  submit(b, {.wait = {values, kComputeReads, 1}, .signal = {values, kComputeReads, 2}, .queue = 1});
  begin(b);
  dispatch(b, "A", writes);
  submit(b, {.signal = {values, kComputeWrites, 1}});
  begin(b);
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeWrites);
  dispatch(b, "C", writes);
  submit(b, {.wait = b.clean ? Semaphore{values, kComputeWrites, 2} : Semaphore{}});
}

// The host writes what a submitted copy may not have read yet.
void host_write(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  const VkFence done = keep(b, vkDestroyFence, create_fence(b));
  copy(b, "B", x, y);
  submit(b, {.fence = done});
  if (b.clean) CHECK(vkWaitForFences(b.device, 1, &done, VK_TRUE, UINT64_MAX));
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) x.words[i] = 5;
  begin(b);
  copy(b, "C", x, z);
}

}  // namespace

std::vector<Plant> submit_plants() {
  constexpr Queues one = Queues::one, two = Queues::two;
  const std::vector<const char*> read{"race RAW A B"};
  // A semaphore between two submits of one queue does what a barrier could do. One with a wrong stage orders nothing
  // that needs it.
  const std::vector<const char*> semaphore{"race RAW A B", "allow superfluous vkQueueSubmit#2",
                                           "allow ineffective vkQueueSubmit#2", "allow replaceable vkQueueSubmit#2"};
  const std::vector<const char*> semaphore2{"race RAW A B", "allow superfluous vkQueueSubmit2#2",
                                            "allow ineffective vkQueueSubmit2#2", "allow replaceable vkQueueSubmit2#2"};
  return {{"two-submits", Form::first, read, two_submits},
          {"semaphore-late", Form::first, semaphore, semaphore_late, one, {"replaceable vkQueueSubmit#2"}},
          {"semaphore-early", Form::second, semaphore2, semaphore_early, one, {"replaceable vkQueueSubmit2#2"}},
          {"two-queues", Form::first, read, two_queues, two},
          {"two-queues-late",
           Form::second,
           {"race RAW A B", "allow superfluous vkQueueSubmit2#2", "allow ineffective vkQueueSubmit2#2"},
           two_queues_late,
           two},
          {"two-queues-barrier",
           Form::first,
           {"race RAW A B", "superfluous barrier1", "allow ineffective barrier1"},
           two_queues_barrier,
           two},
          {"timeline-low",
           Form::first,
           {"race RAW A B", "allow superfluous vkQueueSubmit#3", "allow ineffective vkQueueSubmit#3",
            "allow replaceable vkQueueSubmit#3"},
           timeline_low,
           one,
           {"replaceable vkQueueSubmit#3"}},
          {"timeline-before-signal", Form::second, {"race WAR B C"}, timeline_before_signal, two},
          {"host-write", Form::first, {"race WAR B host"}, host_write}};
}

}  // namespace hazards
