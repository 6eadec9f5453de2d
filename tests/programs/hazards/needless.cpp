// SPDX-License-Identifier: Apache-2.0
// Barriers that nothing needs, and barriers that are wider than what is needed.
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// A dispatch writes what the next one reads, with these dependencies between them, or with the one that is right.
void written_then_read(Bench& b, const std::vector<Dependency>& wide) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean)
    barrier(b, "barrier1", kComputeWrites, kComputeReads);
  else
    barrier(b, "barrier1", wide);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void twice(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "barrier1", kComputeWrites, kComputeReads);
  if (!b.clean) barrier(b, "barrier2", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void before_independent(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (!b.clean) barrier(b, "barrier1", kAllWrites, kAllReads | kAllWrites);
  dispatch(b, "B", kernel(b, ones_comp_spv, {y}));
}

void between_reads(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, z}));
}

// A semaphore orders all that comes before its signal: the barrier can go. So can the semaphore, but not both.
void after_semaphore(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written, kComputeWrites}});
  begin(b);
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {written, kComputeReads}});
}

// The host has waited for the writer before it submits the reader.
void after_host_wait(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkFence done = keep(b, vkDestroyFence, create_fence(b));
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.fence = done});
  CHECK(vkWaitForFences(b.device, 1, &done, VK_TRUE, UINT64_MAX));
  begin(b);
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// A submit makes visible what the host wrote before it.
void after_host_write(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) x.words[i] = i;
  if (!b.clean) barrier(b, "barrier1", kHostWrites, kComputeReads);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
}

// No command comes after it, and the host reads nothing.
void at_the_end(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
}

// Two barriers of two buffers, one of which the next command does not use.
void two_calls_one_needed(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  dispatch(b, "C", kernel(b, ones_comp_spv, {z}));
  barrier(b, "barrier1", {{.from = kComputeWrites, .to = kComputeReads, .buffer = x.buffer}});
  if (!b.clean) barrier(b, "barrier2", {{.from = kComputeWrites, .to = kComputeReads, .buffer = z.buffer}});
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void wide_stages(Bench& b) {
  Scope from = kAllWrites, to = kAllReads;
  from.access = kComputeWrites.access, from.access2 = kComputeWrites.access2;
  to.access = kComputeReads.access, to.access2 = kComputeReads.access2;
  written_then_read(b, {{from, to}});
}

void wide_access(Bench& b) {
  Scope from = kComputeWrites;
  from.access = kAllWrites.access, from.access2 = kAllWrites.access2;
  written_then_read(b, {{from, kComputeReads}});
}

void unused_destination(Bench& b) { written_then_read(b, {{kComputeWrites, kComputeReads | kCopyReads}}); }
void unused_source(Bench& b) { written_then_read(b, {{kComputeWrites | kCopyWrites, kComputeReads}}); }

void unused_barrier_of_two(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  std::vector<Dependency> of{{.from = kComputeWrites, .to = kComputeReads, .buffer = x.buffer}};
  if (!b.clean) of.push_back({.from = kComputeWrites, .to = kComputeReads, .buffer = z.buffer});
  barrier(b, "barrier1", of);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

}  // namespace

std::vector<Plant> needless_plants() {
  const std::vector<const char*> superfluous{"superfluous barrier1"}, wide{"too-wide barrier1"};
  return {{"twice", Form::first, {"superfluous barrier2"}, twice},
          {"before-independent", Form::second, superfluous, before_independent},
          {"between-reads", Form::first, superfluous, between_reads},
          {"after-semaphore",
           Form::second,
           {"either superfluous barrier1 and replaceable vkQueueSubmit2#2 or superfluous vkQueueSubmit2#2"},
           after_semaphore,
           Queues::one,
           {"replaceable vkQueueSubmit2#2"}},
          {"after-host-wait", Form::first, superfluous, after_host_wait},
          {"after-host-write", Form::first, superfluous, after_host_write},
          {"at-the-end", Form::second, superfluous, at_the_end},
          {"two-calls-one-needed", Form::second, {"superfluous barrier2"}, two_calls_one_needed},
          {"wide-stages", Form::first, wide, wide_stages},
          {"wide-access", Form::second, wide, wide_access},
          {"unused-destination", Form::first, wide, unused_destination},
          {"unused-source", Form::second, wide, unused_source},
          {"unused-barrier-of-two", Form::second, wide, unused_barrier_of_two}};
}

}  // namespace hazards
