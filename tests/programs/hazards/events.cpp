// SPDX-License-Identifier: Apache-2.0
// Events, secondary command buffers and queries.
#include <utility>

#include "move.comp.h"
#include "objects.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

VkEvent make_event(Bench& b) { return keep(b, vkDestroyEvent, create_event(b)); }

// The dependency of an event, as synchronization 2 has it.
struct Described {
  explicit Described(const Dependency& d)
      : memory{
            VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, d.from.stages2, d.from.access2, d.to.stages2, d.to.access2} {
    info.pMemoryBarriers = &memory;
  }
  Described(const Described&) = delete;
  VkMemoryBarrier2 memory;
  VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1};
};

void set(Bench& b, const char* label, VkEvent event, const Dependency& d) {
  const Described described(d);
  labelled(b, label, [&] {
    if (b.form == Form::first)
      vkCmdSetEvent(b.cmd, event, d.from.stages);
    else
      vkCmdSetEvent2(b.cmd, event, &described.info);
  });
}

void wait(Bench& b, const char* label, VkEvent event, const Dependency& d) {
  const Described described(d);
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, d.from.access, d.to.access};
  labelled(b, label, [&] {
    if (b.form == Form::first)
      vkCmdWaitEvents(b.cmd, 1, &event, d.from.stages, d.to.stages, 1, &memory, 0, nullptr, 0, nullptr);
    else
      vkCmdWaitEvents2(b.cmd, 1, &event, &described.info);
  });
}

// A dispatch writes, an event is set and waited for, and the next dispatch reads.
void written_then_read(Bench& b, const Dependency& wrong) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkEvent event = make_event(b);
  const Dependency d = b.clean ? Dependency{kComputeWrites, kComputeReads} : wrong;
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  set(b, "barrier1", event, d);
  wait(b, "barrier1", event, d);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void event_wrong_stage(Bench& b) { written_then_read(b, {kCopyWrites, kComputeReads}); }
void event_wrong_access(Bench& b) { written_then_read(b, {kComputeWrites, kComputeReadsUniform}); }

// The event is set too early: the second writer comes after it.
void event_too_early(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  const VkEvent event = make_event(b);
  const Dependency d{kComputeWrites, kComputeReads};
  dispatch(b, "C", kernel(b, ones_comp_spv, {z}));
  if (!b.clean) set(b, "barrier1", event, d);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) set(b, "barrier1", event, d);
  wait(b, "barrier1", event, d);
  dispatch(b, "D", kernel(b, move_comp_spv, {z, make_buffer(b)}));
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void event_without_wait(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkEvent event = make_event(b);
  const Dependency d{kComputeWrites, kComputeReads};
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  set(b, "barrier1", event, d);
  if (b.clean) wait(b, "barrier1", event, d);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// The host sets the event before the submit. That orders what the host did before, and no command.
void event_by_host(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkEvent event = make_event(b);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) x.words[i] = i;
  CHECK(vkSetEvent(b.device, event));
  if (!b.clean) dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  wait(b, "barrier1", event, {kHostWrites, kComputeReads});
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// A secondary command buffer that records what `record` does.
template <class Record>
VkCommandBuffer secondary(Bench& b, const Record& record) {
  const VkCommandBuffer made = begin_secondary(b, b.pools[0]);
  const VkCommandBuffer primary = std::exchange(b.cmd, made);
  record();
  b.cmd = primary;
  CHECK(vkEndCommandBuffer(made));
  return made;
}

void secondaries(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), reads = kernel(b, move_comp_spv, {x, y});
  const VkCommandBuffer both[2] = {secondary(b, [&] { dispatch(b, "A", writes); }), secondary(b, [&] {
                                     if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
                                     dispatch(b, "B", reads);
                                   })};
  vkCmdExecuteCommands(b.cmd, 2, both);
}

// An occlusion query in which nothing is drawn, and the copy of its result.
void copied_query(Bench& b, const char* needless, const char* label, const MappedBuffer& to) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 1, 0};
  VkQueryPool made;
  CHECK(vkCreateQueryPool(b.device, &info, nullptr, &made));
  const VkQueryPool pool = keep(b, vkDestroyQueryPool, made);
  vkCmdResetQueryPool(b.cmd, pool, 0, 1);
  if (needless != nullptr) barrier(b, needless, stages_of(kCopyWrites), stages_of(kDepthWrites));
  vkCmdBeginQuery(b.cmd, pool, 0, 0);
  vkCmdEndQuery(b.cmd, pool, 0);
  labelled(b, label, [&] { vkCmdCopyQueryPoolResults(b.cmd, pool, 0, 1, to.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT); });
}

void query_result(Bench& b) {
  const MappedBuffer x = make_buffer(b, 1), y = make_buffer(b);
  copied_query(b, nullptr, "A", x);
  if (b.clean) barrier(b, "barrier1", kCopyWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// The commands of one query are in order without a barrier.
void query_reset(Bench& b) { copied_query(b, b.clean ? nullptr : "barrier1", "A", make_buffer(b)); }

}  // namespace

std::vector<Plant> event_plants() {
  const std::vector<const char*> ineffective{"race RAW A B", "ineffective barrier1"};
  return {{"event-wrong-stage", Form::first, ineffective, event_wrong_stage},
          {"event-wrong-access", Form::second, ineffective, event_wrong_access},
          {"event-too-early", Form::second, {"race RAW A B"}, event_too_early},
          {"event-without-wait",
           Form::first,
           {"race RAW A B", "allow superfluous barrier1", "allow ineffective barrier1"},
           event_without_wait},
          {"event-by-host",
           Form::first,
           {"race RAW A B", "allow superfluous barrier1", "allow ineffective barrier1"},
           event_by_host,
           Queues::one,
           {"allow superfluous barrier1"}},
          {"secondaries", Form::first, {"race RAW A B"}, secondaries},
          {"query-result", Form::second, {"race RAW A B"}, query_result},
          {"query-reset", Form::first, {"superfluous barrier1"}, query_reset}};
}

}  // namespace hazards
